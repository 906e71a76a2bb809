// Encodings: which compressed answers a client accepts.
import type { IncomingHttpHeaders } from "node:http";

/** Whether a client accepts gzip: its `Accept-Encoding` names it, without `q=0` (RFC 9110, section 12.5.3). */
export function takesGzip(headers: IncomingHttpHeaders): boolean {
  const accepted = String(headers["accept-encoding"] ?? "");
  return /(^|[ ,])gzip *(,|;(?! *q=0(\.0*)? *(,|$))|$)/i.test(accepted);
}
