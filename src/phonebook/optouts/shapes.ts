// The shapes of opt-outs in responses.
import { type Static, Type } from "typebox";
import { shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** `source`: who requested it, the company through its interface or the person by a reply. */
export const Optout = shape("Optout", {
  phone: Type.String(),
  source: Type.Enum(["COMPANY", "HANDSET"]),
  createdAt: Timestamp,
});
export type Optout = Static<typeof Optout>;
