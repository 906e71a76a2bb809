// What other folders use of sms: encodings, segments, phones, personalisation, the tariff; all of it pure functions.
export { type Culprit, unicodeCulprits } from "./culprits.ts";
export { decodeGsm7, decodeUcs2, type Encoding, encodeGsm7, encodeUcs2, encodingOf } from "./encoding.ts";
export { compileTemplate, type Recipient, type Template } from "./personalise.ts";
export { callingCodeOf, foreignCodeOf, maskPhone, normalisePhone } from "./phone.ts";
export { type Segments, type SplitText, segmentsOf, splitText } from "./segments.ts";
export { priceOf, pricePerSegment, TARIFF, type Tariff } from "./tariff.ts";
