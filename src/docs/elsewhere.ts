// Members that mean something else in some places than their name says everywhere else.
import type { Place, Term } from "./glossary.ts";

/** Where a term holds: the end of the member's way, and if need be of which paths, and in which direction. */
type Exception = Term & { member: string; path?: RegExp; isAsked?: boolean };

const exceptions: readonly Exception[] = [
  {
    member: "text",
    path: /simulator\/reply$/,
    fr: "Ce que le téléphone écrit",
    en: "What the handset writes",
  },
];

/** What a member means in this place, if it is not what its name means everywhere. */
export function termElsewhere(place: Place): Term | undefined {
  return exceptions.find((one) => fits(one, place));
}

function fits({ member, path, isAsked }: Exception, place: Place): boolean {
  const plain = `.${place.member.replaceAll("[]", "")}`;
  return (
    plain.endsWith(`.${member}`) &&
    (path?.test(place.path) ?? true) &&
    (isAsked === undefined || isAsked === place.isAsked)
  );
}
