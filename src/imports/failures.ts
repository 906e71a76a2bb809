// Why an import failed, and why a row was not imported, in words.
import type { Sentence } from "../kernel/refusals.ts";

/** Why a file cannot be imported, or not further. */
const FAILURES = {
  "not-a-table": {
    fr: "Ce fichier n’est ni un CSV ni un classeur XLSX.",
    en: "This file is neither a CSV nor an XLSX workbook.",
  },
  "old-workbook": {
    fr: "Ce classeur est d’un ancien format ou protégé par un mot de passe. Enregistrez-le au format .xlsx, sans mot de passe.",
    en: "This workbook has an old format or a password. Save it as .xlsx without a password.",
  },
  damaged: {
    fr: "Ce fichier est endommagé ou incomplet.",
    en: "This file is damaged or incomplete.",
  },
  empty: { fr: "Ce fichier n’a aucune ligne.", en: "This file has no rows." },
  "too-many-rows": {
    fr: "Ce fichier a plus de 1 048 576 lignes : partagez-le en plusieurs.",
    en: "This file has more than 1,048,576 rows: split it.",
  },
  "too-large-inside": {
    fr: "Ce classeur est trop grand une fois ouvert : enregistrez la feuille en CSV.",
    en: "This workbook is too large once opened: save the sheet as CSV.",
  },
  "record-too-long": {
    fr: "Une ligne est trop longue : un guillemet n’y est sans doute pas fermé.",
    en: "A row is too long: a quote in it is probably not closed.",
  },
  "too-many-columns": {
    fr: "Une ligne a plus de 16 384 colonnes : vérifiez le séparateur du fichier, ou enregistrez-le de nouveau.",
    en: "A row has more than 16,384 columns: check the file's separator, or save the file again.",
  },
  "contacts-full": {
    fr: "Votre entreprise a atteint son nombre maximal de contacts. Ce qui précède est importé.",
    en: "Your company has as many contacts as it may have. What came before is imported.",
  },
  "groups-full": {
    fr: "Les groupes de votre entreprise ont atteint leur nombre maximal de contacts. Ce qui précède est importé.",
    en: "The groups of your company have as many contacts as they may have. What came before is imported.",
  },
  "fields-full": {
    fr: "Un contact aurait plus de 20 champs personnalisés avec ceux du fichier. Ce qui précède est importé.",
    en: "A contact would have more than 20 own fields with those of the file. What came before is imported.",
  },
  "group-gone": {
    fr: "Le groupe a été supprimé pendant l’import. Ce qui précède est importé.",
    en: "The group was deleted during the import. What came before is imported.",
  },
  "given-up": {
    fr: "L’import n’a pas abouti malgré plusieurs essais. Renvoyez le fichier.",
    en: "The import did not succeed in several attempts. Send the file again.",
  },
} as const satisfies Record<string, Sentence>;
export type Failure = keyof typeof FAILURES;

/** A file that cannot be read, or not further. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** The sentence of a stored failure. */
export function failureOf(code: string): Sentence {
  return FAILURES[code as Failure];
}

/** Why a row is not imported, or what of it is not. */
const REASONS = {
  "no-phone": { fr: "le numéro de téléphone manque", en: "the phone number is missing" },
  "not-a-phone": { fr: "n’est pas un numéro de téléphone", en: "is not a phone number" },
  rounded: {
    fr: "le tableur a arrondi ce numéro : mettez la colonne au format texte et ressaisissez-le",
    en: "the spreadsheet rounded this number: format the column as text and type it again",
  },
  date: { fr: "est une date, pas un numéro de téléphone", en: "is a date, not a phone number" },
  "other-number": {
    fr: "est un autre numéro de la même cellule : seul le premier est importé",
    en: "is another number of the same cell: only the first is imported",
  },
  "old-number": {
    fr: "est un ancien numéro dont le nouveau n’est pas connu avec certitude",
    en: "is an old number whose new one is not known for certain",
  },
  "too-long": { fr: "a plus de 200 caractères", en: "has more than 200 characters" },
  "field-too-long": { fr: "a plus de 100 caractères", en: "has more than 100 characters" },
  // Of rows that earlier versions did not import.
  "not-a-sex": { fr: "doit être M ou F", en: "must be M or F" },
  "unknown-sex": {
    fr: "n’est pas un sexe connu : le contact est importé sans",
    en: "is no known sex: the contact is imported without one",
  },
} as const satisfies Record<string, Sentence>;
export type RejectReason = keyof typeof REASONS;

/** The sentence of a stored reason. */
export function reasonOf(code: string): Sentence {
  return REASONS[code as RejectReason];
}
