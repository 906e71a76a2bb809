// The names of an operation: its anchor on the page, and its name in clients. Both derive from its path alone.

/**
 * Returns the name of an operation in a client, part by part: `/v1/contact/{id}/update` is `contact.update`,
 * `/v1/third-party-app/sms/send` is `thirdPartyApp.sms.send`. A path that ends in a parameter reads the thing:
 * `/v1/campaign/{id}` is `campaign.read`. One that ends in two reads the second one's thing:
 * `/v1/company/webhook/{id}/{deliveryId}` is `company.webhook.delivery.read`.
 */
export function clientNameOf(path: string): string[] {
  const segments = path.replace(/^\/v1\//, "").split("/");
  const words = segments.filter((segment) => !isParameter(segment)).map(camelCase);
  const [above = "", last = ""] = segments.slice(-2);
  if (!isParameter(last)) return words;
  const noun = isParameter(above) ? [last.slice(1, -1).replace(/Id$/, "")] : [];
  return [...words, ...noun, "read"];
}

/** Returns the name as one word, which generated clients use for a function: `contactUpdate`. */
export function operationIdOf(path: string): string {
  return camelCase(clientNameOf(path).join("-"));
}

/** Returns the anchor of an operation on the page: `contact-id-update`. */
export function anchorOf(path: string): string {
  return path
    .replace("/v1/", "")
    .replace(/[^a-z0-9]+/gi, "-")
    .replace(/-$/, "");
}

/** Returns the name of an event's operation, which its receiver implements: `onMessageDelivered`. */
export function receiverIdOf(type: string): string {
  return camelCase(`on-${type.replace(/\W/g, "-")}`);
}

function isParameter(segment: string): boolean {
  return segment.startsWith("{");
}

function camelCase(text: string): string {
  return text.replace(/-(\w)/g, (_, letter: string) => letter.toUpperCase());
}
