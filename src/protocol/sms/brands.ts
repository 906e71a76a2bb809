// Brands that people trust with their money and safety, and names that look like one of them.
import { distance } from "fastest-levenshtein";
import { looksOf } from "./lookalikes.ts";

/** Names that no sender can have: the service's own, and those of operators, mobile money and emergency services. */
const RESERVED = `ATUMPAN
   ORANGE ORANGEMONEY ORANGECI MTN MTNCI MTNMOMO MTNMONEY MOMO MOBILEMONEY MOOV MOOVAFRICA MOOVMONEY FLOOZ AIRTEL AIRTELMONEY
   ADMIN ETAT POLICE GENDARMERIE POMPIERS SAMU SECOURS URGENCE URGENCES EMERGENCY`.split(/\s+/);

/** Brands of French-speaking West Africa. A name that looks like one is shown to the reviewer. */
const BRANDS = [
  ...["Atumpan"],
  ...[
    "Orange",
    "Orange Money",
    "Max it",
    "MTN",
    "MTN MoMo",
    "MoMo",
    "Mobile Money",
    "Moov",
    "Moov Africa",
    "Moov Money",
  ],
  ...["Flooz", "Airtel", "Airtel Money", "Free Money", "Mixx by Yas", "Togocom", "T-Money", "Sonatel"],
  ...[
    "Telecel",
    "Onatel",
    "Malitel",
    "Celtiis",
    "Zamani",
    "Wave",
    "Djamo",
    "Wizall",
    "Coris Money",
    "PayDunya",
  ],
  ...[
    "CinetPay",
    "Western Union",
    "MoneyGram",
    "WhatsApp",
    "Facebook",
    "Google",
    "PayPal",
    "Visa",
    "Mastercard",
  ],
  ...[
    "BCEAO",
    "Ecobank",
    "SGCI",
    "Société Générale",
    "BICICI",
    "NSIA",
    "UBA",
    "BOA",
    "Bank of Africa",
    "Orabank",
    "Coris Bank",
  ],
  ...[
    "Banque Atlantique",
    "Banque Populaire",
    "Bridge Bank",
    "Versus Bank",
    "BNI",
    "BHCI",
    "BGFI",
    "Afriland",
    "Stanbic",
  ],
  ...[
    "Standard Chartered",
    "Attijariwafa",
    "CBAO",
    "BDM",
    "BNDA",
    "Advans",
    "UNACOOPEC",
    "La Poste",
    "Trésor Public",
  ],
  ...[
    "Trésor Money",
    "Impôts",
    "DGI",
    "Douanes",
    "CNPS",
    "CNAM",
    "IPRES",
    "CNSS",
    "ANSUT",
    "ARTCI",
    "ONECI",
    "Présidence",
  ],
  ...[
    "Gouvernement",
    "Ministère",
    "Police",
    "Gendarmerie",
    "Pompiers",
    "SAMU",
    "Urgences",
    "Préfecture",
    "Ambassade",
    "UEMOA",
  ],
  ...["CEDEAO", "SODECI", "Senelec", "SBEE", "Sonabel", "Canal+", "Jumia", "Air Côte d’Ivoire", "DHL"],
];

/** Words that impostors add after or before a brand, without a space. */
const ADDED = [
  "INFO",
  "INFOS",
  "ALERT",
  "ALERTE",
  "PROMO",
  "SECU",
  "SECURITE",
  "SERVICE",
  "SUPPORT",
  "CLIENT",
  "CLIENTS",
]
  .concat([
    "PAY",
    "CASH",
    "MONEY",
    "BANK",
    "BONUS",
    "CADEAU",
    "GAIN",
    "OTP",
    "CODE",
    "SMS",
    "MOBILE",
    "APP",
    "WEB",
    "MY",
    "MON",
  ])
  .concat(["CI", "SN", "BF", "ML", "TG", "BJ", "NE", "GN"])
  .map(looksOf);

/** A brand of at least this length is recognised even with one wrong letter. */
const TYPO_FROM = 7;
/** A name that is written letter by letter may consist of this many pieces. */
const PIECES_AT_MOST = 24;
/** A misspelt brand is searched in this many neighbouring words. */
const WORDS_MISSPELT = 3;
/** Only this many characters of a name are checked. */
const NAME_AT_MOST = 200;

const reserved = new Set(RESERVED.map(looksOf));

/** Whether a sender's name is reserved, or looks on a handset like a reserved one: 0RANGE is read as ORANGE. */
export function isReserved(name: string, defaultSender: string): boolean {
  const looks = looksOf(name);
  return reserved.has(looks) || looks === looksOf(defaultSender);
}

/**
 * Returns a function that finds the brand, of `BRANDS` or `more`, that a name looks like; undefined if there is none.
 * Its result is for reviewers: a name may well be that of the brand itself.
 */
export function brandFinder(more: readonly string[]): (name: string) => string | undefined {
  const brands: Brands = new Map([...BRANDS, ...more].map((brand) => [squeezed(looksOf(brand)), brand]));
  const longest = Math.max(...[...brands.keys()].map((looks) => looks.length));
  return (name) => {
    const spellings = spellingsOf(name.slice(0, NAME_AT_MOST)).map(piecesOf);
    const alike = spellings.flatMap((pieces) => [
      ...runsOf(pieces, { longest, most: PIECES_AT_MOST }).flatMap((run) => brands.get(run) ?? []),
      ...pieces.flatMap((piece) => withAddition(piece, brands)),
      ...runsOf(pieces, { longest: longest + 1, most: WORDS_MISSPELT }).flatMap((run) =>
        misspelt(run, brands),
      ),
    ]);
    // The longest match is the most specific: Orange Money rather than Orange.
    return alike.toSorted((one, other) => other.length - one.length)[0];
  };
}

/** Brands by their skeleton without spaces. */
type Brands = ReadonlyMap<string, string>;

function squeezed(looks: string): string {
  return looks.replace(/[^\p{L}\p{N}]/gu, "");
}

/** A name as it is, and with pairs of small letters that look like one letter replaced: rn is read as m. */
function spellingsOf(name: string): string[] {
  const joined = name.replace(/rn/g, "m").replace(/vv/gi, "w");
  return joined === name ? [name] : [name, joined];
}

// A small letter before a capital, as in OrangeMoney, or a letter next to a digit.
const SEAM = /(?<=\p{Ll}\p{M}*)(?=\p{Lu})|(?<=\p{L}\p{M}*)(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const BETWEEN_WORDS = /[\s_.,:;/\\()[\]{}'’"«»+*&-]+/u;

/** The words of a name, also cut at seams. `runsOf` joins pieces that were cut wrongly. */
function piecesOf(name: string): string[] {
  const words = name.normalize("NFKD").replace(SEAM, " ").split(BETWEEN_WORDS);
  return words.map((word) => squeezed(looksOf(word))).filter((word) => word !== "");
}

/** Neighbouring pieces, joined: at most `most` pieces and `longest` characters. */
function runsOf(pieces: readonly string[], { longest, most }: { longest: number; most: number }): string[] {
  return pieces.flatMap((_, from) => {
    const runs: string[] = [];
    let run = "";
    for (const piece of pieces.slice(from, from + most)) {
      run += piece;
      if (run.length > longest) break;
      runs.push(run);
    }
    return runs;
  });
}

/** The brands that a word contains together with a word of `ADDED`. */
function withAddition(word: string, brands: Brands): string[] {
  return ADDED.flatMap((added) => [
    ...(word.endsWith(added) ? [word.slice(0, -added.length)] : []),
    ...(word.startsWith(added) ? [word.slice(added.length)] : []),
  ]).flatMap((rest) => brands.get(rest) ?? []);
}

function misspelt(run: string, brands: Brands): string[] {
  if (run.length < TYPO_FROM - 1) return [];
  return [...brands].flatMap(([looks, brand]) => {
    const couldBe = looks.length >= TYPO_FROM && Math.abs(looks.length - run.length) <= 1;
    return couldBe && distance(run, looks) === 1 ? brand : [];
  });
}
