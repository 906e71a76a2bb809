// Brands that people trust with their money and their safety, and names that look like one of them.
import { distance } from "fastest-levenshtein";
import { looksOf } from "./lookalikes.ts";

/** Names that no company can have as a sender: the service's own, those of operators and their money, and of rescue. */
const RESERVED = `ATUMPAN
   ORANGE ORANGEMONEY ORANGECI MTN MTNCI MTNMOMO MTNMONEY MOMO MOBILEMONEY MOOV MOOVAFRICA MOOVMONEY FLOOZ AIRTEL AIRTELMONEY
   ADMIN ETAT POLICE GENDARMERIE POMPIERS SAMU SECOURS URGENCE URGENCES EMERGENCY`.split(/\s+/);

/** Brands of French-speaking West Africa. A name that looks like one is shown to the reviewer, who may know its owner. */
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

/** Words that impostors put behind a brand, or before it, without a space. */
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

/** A brand so long is recognised with one letter wrong too. */
const TYPO_FROM = 7;
/** So many pieces may make up a name that is written letter by letter. */
const PIECES_AT_MOST = 24;
/** A misspelt brand is looked for in so many neighbouring words. */
const WORDS_MISSPELT = 3;
/** Of a long name, no more is looked at. */
const NAME_AT_MOST = 200;

const reserved = new Set(RESERVED.map(looksOf));

/** Whether a sender's name is reserved, or looks on a handset like one that is: 0RANGE is read ORANGE. */
export function isReserved(name: string, defaultSender: string): boolean {
  const looks = looksOf(name);
  return reserved.has(looks) || looks === looksOf(defaultSender);
}

/**
 * Makes a function that returns the brand that a name looks like, of those here and of `more`; undefined: none. It is
 * for people who review names: a name may well be that of the brand itself.
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
    // Of several the longest says most: Orange Money rather than Orange.
    return alike.toSorted((one, other) => other.length - one.length)[0];
  };
}

/** The brands by what they look like without spaces. */
type Brands = ReadonlyMap<string, string>;

function squeezed(looks: string): string {
  return looks.replace(/[^\p{L}\p{N}]/gu, "");
}

/** A name as it stands, and with the pairs of small letters that look like one: rn is read m. */
function spellingsOf(name: string): string[] {
  const joined = name.replace(/rn/g, "m").replace(/vv/gi, "w");
  return joined === name ? [name] : [name, joined];
}

// A small letter before a capital, as in OrangeMoney; a letter beside a digit.
const SEAM = /(?<=\p{Ll}\p{M}*)(?=\p{Lu})|(?<=\p{L}\p{M}*)(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;
const BETWEEN_WORDS = /[\s_.,:;/\\()[\]{}'’"«»+*&-]+/u;

/** The words of a name, cut at seams too. What is cut wrongly is joined again in a run. */
function piecesOf(name: string): string[] {
  const words = name.normalize("NFKD").replace(SEAM, " ").split(BETWEEN_WORDS);
  return words.map((word) => squeezed(looksOf(word))).filter((word) => word !== "");
}

/** Neighbouring pieces, joined: `most` of them, and `longest` characters. */
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

/** The brands that stand in one word with what impostors add. */
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
