// The proof of a phone, and its origin.

import { Type } from "typebox";
import { named, OF_NO_ACCOUNT } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import type { Request } from "../../platform/http/routes.ts";
import type { SignInFrom } from "../accounts/sessions.ts";
import { sessionMeanings } from "./shapes.ts";

/** The token of a sign-in or a sign-up, with the code of its SMS. */
export const PhoneProof = Type.Object({
  token: member(Type.String({ minLength: 1, maxLength: 64, ...named(OF_NO_ACCOUNT) }), sessionMeanings.token),
  otp: member(Type.String({ minLength: 1, maxLength: 64 }), sessionMeanings.otp),
});

const BROWSER_CHARACTERS = 120;

/** Returns the origin of a request; only the printable characters of the browser's name. */
export function fromOf({ ip, headers }: Request): SignInFrom {
  const browser = (headers["user-agent"] ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, BROWSER_CHARACTERS);
  return { address: ip, browser };
}
