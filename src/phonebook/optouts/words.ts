// The words by which a person's reply opts out of messages or in again.
import { looksOf } from "../../protocol/sms/lookalikes.ts";

export type Wish = "stop" | "start";

/** A request to stop or to start. `name`: the given sender that it names; null: it names none. */
export type OptOutRequest = { wish: Wish; name: string | null };

/**
 * The role of a word or phrase in a request. Courtesy may occur anywhere. An `opener` ("je veux") introduces a keyword,
 * and a `reflexive` ("me") only a word for unsubscribing. A `verb` ("stopper") requests nothing alone: it needs an
 * opener or an object. An `object` ("sms") follows a keyword, with `links` before it ("de m'envoyer des").
 */
type Part =
  | "courtesy"
  | "opener"
  | "reflexive"
  | "stop"
  | "unsubscribe"
  | "start"
  | "verb"
  | "link"
  | "object";

const endings = (stem: string, list: string) =>
  list.split(" ").map((ending) => stem + ending.replace("-", ""));

/** French forms by stem; "-" is the stem itself. The missing and doubled letters are common typing errors. */
const STOP_FORMS = [
  ..."STOP STOPP STOPPEZ STOPALL STOPSMS STOPPUB CANCEL END QUIT REVOKE".split(" "),
  ...["ARRET", "ARET", "ARRETT", "ARETT"].flatMap((stem) => endings(stem, "- E ES ER EZ")),
];
const UNSUBSCRIBE_FORMS = [
  ..."UNSUBSCRIBE|UNSUBSCRIBE ME|UNSUSCRIBE|UNSUB|OPTOUT|OPT OUT".split("|"),
  ...["DESABONN", "DESABON"].flatMap((stem) => endings(stem, "E ES ER EZ EMENT")),
  ...["DESINSCRI", "DESINCRI"].flatMap((stem) => endings(stem, "RE PTION S T TE VEZ VE")),
];

const WORDS: Readonly<Record<Part, readonly string[]>> = {
  stop: STOP_FORMS,
  unsubscribe: UNSUBSCRIBE_FORMS,
  start: "START REPRENDRE REPRENEZ REPRENDS".split(" "),
  verb: "STOPPER STOPPE CESSER CESSEZ CESSE".split(" "),
  courtesy:
    `S IL VOUS PLAIT|S IL TE PLAIT|SIL VOUS PLAIT|SIL TE PLAIT|S IL VS PLAIT|SVP|STP|MERCI|MERCI BEAUCOUP|MERCI BIEN
    |MERCI D AVANCE|MERCI A VOUS|JE VOUS REMERCIE|JE VOUS PRIE|JE VOUS EN PRIE|CORDIALEMENT|BONNE JOURNEE|BONNE SOIREE
    |BONJOUR|BJR|BONSOIR|BSR|SALUT|SLT|COUCOU|MADAME|MONSIEUR|MESSIEURS|MME|MR|DESOLE|DESOLEE|OUI|D ACCORD|OK|PLEASE|PLS|PLZ
    |THANK YOU|THANK U|THANKS|THX|HELLO|HI|DEAR|SIR|MADAM|SORRY|YES|KINDLY|REGARDS`.split(/\s*\|/),
  opener:
    `JE VEUX|JVEUX|JE VOUDRAIS|J AIMERAIS|JE SOUHAITE|JE SOUHAITERAIS|JE DESIRE|JE DEMANDE|JE DEMANDE A|JE DEMANDE D
    |JE DEMANDE DE|JE DIS|VEUILLEZ|MERCI DE|MERCI D|MERCI DE BIEN VOULOIR|PRIERE DE|PRIERE D|IL FAUT|JE VOUS PRIE DE|JE VOUS PRIE D
    |JE VOUS DEMANDE DE|JE VOUS DEMANDE D|POUVEZ VOUS|POURRIEZ VOUS|VOUS POUVEZ|FAITES|I WANT|I WANT TO|I WOULD LIKE TO
    |I D LIKE TO|CAN YOU|COULD YOU`.split(/\s*\|/),
  reflexive: `ME|NOUS|SE|JE ME|VOUS|UNE|LA|MA|JE DEMANDE LA|JE DEMANDE MA|DEMANDE DE`.split("|"),
  link: `DE|D|DU|DES|LE|LA|LES|L|VOS|VOTRE|CE|CES|CET|CETTE|MON|MA|MES|TOUS|TOUTES|TOUTE|TOUS LES|TOUTES LES|ME|M|NOUS|ENVOYER
    |M ENVOYER|RECEVOIR|A RECEVOIR|THE|YOUR|MY|THESE|SENDING|RECEIVING|FROM|AUX|A`.split(/\s*\|/),
  object:
    `SMS|SMS PUB|MSG|MSGS|MESSAGE|MESSAGES|TEXTO|TEXTOS|TEXT|TEXTS|PUB|PUBS|PUBLICITE|PUBLICITES|PUBLICITAIRE|PUBLICITAIRES
    |PROMO|PROMOS|PROMOTION|PROMOTIONS|PROMOTIONNELS|MARKETING|SPAM|SPAMS|NOTIFICATION|NOTIFICATIONS|ENVOI|ENVOIS|NEWSLETTER|LISTE
    |LISTE DE DIFFUSION|ABONNEMENT|SUBSCRIPTION|LIST|ALL|TOUT|MOI|US|IT|CA|CELA|THIS|M ECRIRE|ME CONTACTER|ME DERANGER|TEXTING ME
    |SENDING ME|CONTACTING ME|MAINTENANT|TOUT DE SUITE|IMMEDIATEMENT|DEFINITIVEMENT|NOW|IMMEDIATELY`.split(
      /\s*\|/,
    ),
};

/** Each role is one letter, so that one linear pattern can define the valid sequences. */
const LETTERS: Readonly<Record<Part, string>> = {
  ...{ courtesy: "", opener: "o", reflexive: "r", stop: "K", start: "K", unsubscribe: "U", verb: "V" },
  ...{ link: "l", object: "b" },
};
/** A word that is both reflexive and a link: "la" occurs before "désinscription" and before "liste". */
const BOTH = "m";
const REQUEST = /^(?:[orm]*U(?:[lm]*b)*|o*K(?:[lm]*b)*|o+V(?:[lm]*b)*|V(?:[lm]*b)+)+$/;
const WISHES: Partial<Record<Part, Wish>> = {
  stop: "stop",
  unsubscribe: "stop",
  verb: "stop",
  start: "start",
};

type Phrase = { letter: string; wish: Wish | undefined };
const PHRASES = new Map<string, Phrase>();
for (const [part, phrases] of Object.entries(WORDS) as [Part, readonly string[]][]) {
  for (const phrase of phrases) {
    const looks = phrase.split(" ").map(looksOf).join(" ");
    PHRASES.set(looks, { letter: PHRASES.has(looks) ? BOTH : LETTERS[part], wish: WISHES[part] });
  }
}
const WORDS_IN_PHRASE = Math.max(...[...PHRASES.keys()].map((phrase) => phrase.split(" ").length));

/** Words before the name of a sender: "STOP au 98765". */
const BEFORE_NAME = new Set(
  "A AU AUX DE D DU DES CHEZ POUR LE LA LES FROM TO FOR NUMERO".split(" ").map(looksOf),
);
/** Keywords that people join with the name: STOP98765. */
const GLUED = ["STOP", "ARRET", "START"].map(looksOf);

/** A longer text is a message to a person, not a request. */
const CHARACTERS_AT_MOST = 100;
const NAME_AT_MOST = 20;
/** A keyword spelled letter by letter (S.T.O.P) has at least this many letters. */
const LETTERS_AT_LEAST = 4;

/**
 * Returns the request in a text, or null. After removal of case, accents, punctuation and words of courtesy, and with
 * look-alike letters replaced, a keyword must remain, optionally with an opener ("je veux"), an object ("les sms") and
 * one of `names` (the sender's name and number). Any other word makes the text no request: "stop au magasin demain",
 * "n'arrêtez pas". Takes linear time in the text, which has 100 characters at most.
 */
export function readRequest(text: string, names: readonly string[] = []): OptOutRequest | null {
  const words = wordsOf(text);
  const alone = wishOf(words);
  if (alone) return { wish: alone, name: null };
  for (const name of names) {
    const wish = wishOf(withoutName(words, joinedLooks(name)));
    if (wish) return { wish, name };
  }
  return null;
}

/** Whether a text would be a request if a word is the name of a sender, so that it is worth looking the names up. */
export function mayNameSender(text: string): boolean {
  const words = wordsOf(text);
  const ends = [words[0], words.at(-1)].map((word) => PHRASES.get(word ?? "")?.wish);
  const isGlued = words.length === 1 && GLUED.some((keyword) => words[0]?.startsWith(keyword));
  return (ends.some((wish) => wish !== undefined) || isGlued) && words.join("").length <= 2 * NAME_AT_MOST;
}

/** Splits a text into words in the form of `looksOf`, without accents, invisible characters and punctuation. */
function wordsOf(text: string): string[] {
  if (text.length > CHARACTERS_AT_MOST) return [];
  // Some characters decompose into eighteen; an accented letter into two.
  const decomposed = text.normalize("NFKD");
  if (decomposed.length > 2 * CHARACTERS_AT_MOST) return [];
  const plain = decomposed
    .replace(/[\p{M}\p{Cf}]/gu, "")
    // Encodings without Ê put a replacement character in its place.
    .replace(/(?<=[Aa][Rr]{1,2})[?\ufffd](?=[Tt])/g, "E")
    .replace(/[^\p{L}\p{N}$@€\u{1f150}-\u{1f189}]+/gu, " ");
  return joinLetters(plain.split(" ").filter(Boolean).map(looksOf));
}

/** Joins sequences of four or more single letters: S.T.O.P. */
function joinLetters(words: readonly string[]): string[] {
  const joined: string[] = [];
  for (let at = 0; at < words.length; ) {
    let end = at;
    while ([...(words[end] ?? "")].length === 1) end++;
    const next = end - at >= LETTERS_AT_LEAST ? end : at + 1;
    joined.push(words.slice(at, next).join(""));
    at = next;
  }
  return joined;
}

/** Returns the wish of words that form a valid request; null if they do not, or if they contradict each other. */
function wishOf(words: readonly string[]): Wish | null {
  const wishes = new Set<Wish>();
  let letters = "";
  for (let at = 0; at < words.length; ) {
    const found = phraseAt(words, at);
    if (!found) return null;
    if (found.phrase.wish) wishes.add(found.phrase.wish);
    letters += found.phrase.letter;
    at += found.length;
  }
  const [wish = null] = wishes;
  return wishes.size === 1 && REQUEST.test(letters) ? wish : null;
}

/** Returns the longest phrase that starts at a word. */
function phraseAt(words: readonly string[], at: number): { phrase: Phrase; length: number } | undefined {
  for (let length = Math.min(WORDS_IN_PHRASE, words.length - at); length > 0; length--) {
    const phrase = PHRASES.get(words.slice(at, at + length).join(" "));
    if (phrase) return { phrase, length };
  }
  return undefined;
}

function joinedLooks(name: string): string {
  const visible = name.normalize("NFKD").replace(/[^\p{L}\p{N}$@€]/gu, "");
  return looksOf(visible.slice(0, NAME_AT_MOST));
}

/** Removes the first mention of a name, ignoring spaces, and the words that introduce it. */
function withoutName(words: readonly string[], name: string): string[] {
  if (name === "") return [...words];
  const [only = ""] = words;
  if (words.length === 1 && GLUED.some((keyword) => only === keyword + name))
    return [only.slice(0, -name.length)];
  for (let from = 0; from < words.length; from++) {
    let run = "";
    for (let to = from; to < words.length && run.length < name.length + PREFIX_00.length; to++) {
      run += words[to] ?? "";
      if (!isMention(run, name)) continue;
      let before = from;
      while (before > 0 && BEFORE_NAME.has(words[before - 1] ?? "")) before--;
      return [...words.slice(0, before), ...words.slice(to + 1)];
    }
  }
  return [...words];
}

/** A number may be in its national form (the last digits of the international one), or start with 00. */
const NATIONAL_DIGITS = 8;
const PREFIX_00 = looksOf("00");

function isMention(run: string, name: string): boolean {
  if (run === name) return true;
  if (run.length < NATIONAL_DIGITS || !PHONE.test(run)) return false;
  return run === PREFIX_00 + name || name.endsWith(run);
}

/** Digits in the form of `looksOf`. */
const PHONE = new RegExp(`^[${[...new Set(looksOf("0123456789"))].join("")}]+$`);
