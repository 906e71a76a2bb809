// Privacy: what a person or a company may ask of their data: to be erased.
export { emptySome } from "./closing.ts";
export { eraseSome, forgetErasures } from "./erasures.ts";
export { sealedPhones } from "./sql.ts";
