// What an operation is called: its anchor on the page, and its name in clients. All is made from its path alone.

/**
 * The name of an operation in a client, part by part: `/v1/contact/{id}/update` is `contact.update`,
 * `/v1/third-party-app/sms/send` is `thirdPartyApp.sms.send`. A path that ends in a parameter reads what it names:
 * `/v1/campaign/{id}` is `campaign.read`. Of two parameters side by side the second one is a word: `/v1/company/webhook/{id}/{deliveryId}`
 * is `company.webhook.delivery.read`.
 */
export function clientNameOf(path: string): string[] {
  const segments = path.replace(/^\/v1\//, "").split("/");
  const words = segments.flatMap((segment, at) => {
    if (!isParameter(segment)) return [camelCase(segment)];
    return at > 0 && isParameter(segments[at - 1]!) ? [segment.replace(/^\{|(Id)?\}$/g, "")] : [];
  });
  return isParameter(segments.at(-1)!) ? [...words, "read"] : words;
}

/** The name as one word, which generated clients make a function of: `contactUpdate`. */
export function operationIdOf(path: string): string {
  return camelCase(clientNameOf(path).join("-"));
}

/** The anchor of an operation on the page: `contact-id-update`. */
export function anchorOf(path: string): string {
  return path
    .replace("/v1/", "")
    .replace(/[^a-z0-9]+/gi, "-")
    .replace(/-$/, "");
}

/** The name of an event's operation, which is its receiver's: `onMessageDelivered`. */
export function receiverIdOf(type: string): string {
  return camelCase(`on-${type.replace(/\W/g, "-")}`);
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function camelCase(text: string): string {
  return text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
