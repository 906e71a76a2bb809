// Schemas of ids, which say what they name.
import { Type } from "typebox";

/**
 * The id of a thing in a request: `idOf("contact")`. It may be any text: an id of another form is not found. Tests send
 * every URL the ids of another account, so `thing` is a member of `Things` in `test/things.ts`.
 */
export function idOf(thing: string) {
  return Type.String({ minLength: 1, maxLength: 200, ...named(thing) });
}

/** Marks the schema of a text as the id of a thing: see `idOf`. */
export function named(thing: string) {
  return { "x-id-of": thing };
}

/** The thing of an id that names nothing of an account: it is public, ignored, or a secret of whoever has it. */
export const OF_NO_ACCOUNT = "nothing";
/** The thing of an id that its caller chooses. */
export const CHOSEN = "chosen";

/** The body of a URL whose path names one thing. */
export function oneId(thing: string) {
  return Type.Object({ id: idOf(thing) });
}
