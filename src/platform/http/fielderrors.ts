// What is wrong with the fields of a request, and the refusals that say so.

import { Refusal, refuse, type Sentence } from "./refusals.ts";

/** A rule for values that clients in this process explain in words of their own. */
export type Rule =
  | "required"
  | "not-empty"
  | "minimum"
  | "maximum"
  | "min-length"
  | "max-length"
  | "number"
  | "choice"
  | "email"
  | "phone"
  | "https"
  | "future"
  | "days-ahead";

/** What is wrong with a value: a sentence and, for a common rule, the rule and its limit, which answers do not show. */
export type ValidationError = { readonly rule?: Rule; readonly limit?: number; readonly message: Sentence };

/** An element of the `details` of a refusal: what is wrong with a field such as `contacts[3].phone`. */
export type Detail = { field: string } & ValidationError;

/** An element of the `warnings` of an answer: something that was done but may not be intended. */
export type Warning = { field: string; message: Sentence };

/** Returns the detail of one field. */
export function detailOf(field: string, wrong: Sentence | ValidationError): Detail {
  return "message" in wrong ? { field, ...wrong } : { field, message: wrong };
}

/** Returns an `invalid-request` that names one field. */
export function invalidField(field: string, wrong: Sentence | ValidationError): Refusal {
  return new Refusal("invalid-request", { details: [detailOf(field, wrong)] });
}

/** Throws an `invalid-request` that names one field. */
export function refuseField(field: string, wrong: Sentence | ValidationError): never {
  throw invalidField(field, wrong);
}

/** Throws a `conflict` that explains what conflicts with one field. */
export function refuseConflict(field: string, message: Sentence): never {
  refuse("conflict", { details: [{ field, message }] });
}
