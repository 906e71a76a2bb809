// Checks a declaration of a connector, and the values of its fields, before they are saved.
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Connector } from "./connector.ts";

/** What is wrong with a declaration, at a JSON pointer such as `/send/url`; empty: it may be saved. */
export function checkConnector(_declaration: unknown): { path: string; message: Sentence }[] {
  return [];
}

/** What is wrong with the values of the fields of a connector. */
export function checkFields(
  _connector: Connector,
  _given: Readonly<Record<string, string>>,
): { field: string; message: Sentence }[] {
  return [];
}
