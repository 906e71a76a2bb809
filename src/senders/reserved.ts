// Names that no company can have: the service's own, those of operators and their money, those of public authorities.

const LOOKALIKES: Record<string, string> = {
  "0": "O",
  "1": "I",
  L: "I",
  "3": "E",
  "4": "A",
  "5": "S",
  "7": "T",
};

/** Names as `plainOf` spells them. Other names that mislead (banks, brands) are refused by the administrator. */
const RESERVED = new Set(
  `ATUMPAN
   ORANGE ORANGEMONEY ORANGECI MTN MTNCI MTNMOMO MTNMONEY MOMO MOBILEMONEY MOOV MOOVAFRICA MOOVMONEY FLOOZ AIRTEL AIRTELMONEY
   ADMIN ETAT POLICE GENDARMERIE POMPIERS SAMU SECOURS URGENCE URGENCES EMERGENCY`
    .split(/\s+/)
    .map(plainOf),
);

/** Whether a name is reserved, or looks on a handset like one that is: 0RANGE is read ORANGE. */
export function isReserved(name: string, defaultSender: string): boolean {
  const plain = plainOf(name);
  return RESERVED.has(plain) || plain === plainOf(defaultSender);
}

/** Upper case, with one spelling for characters that look alike. */
function plainOf(name: string): string {
  return name.toUpperCase().replace(/[01L3457]/g, (character) => LOOKALIKES[character]!);
}
