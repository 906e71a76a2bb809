// The sentences that explain why an import failed, and why a row was not imported.
import type { Sentence } from "../../platform/http/refusals.ts";

/** Why a file cannot be imported, in whole or from some row on. */
const FAILURES = {
  "not-a-table": {
    fr: "Ce fichier n’est ni un CSV ni un classeur XLSX.",
    en: "This file is neither a CSV nor an XLSX workbook.",
  },
  "old-workbook": {
    fr: "Ce classeur est dans un ancien format ou protégé par un mot de passe. Enregistrez-le au format .xlsx, sans mot de passe.",
    en: "This workbook is in an old format or protected by a password. Save it as .xlsx without a password.",
  },
  damaged: {
    fr: "Ce fichier est endommagé ou incomplet.",
    en: "This file is damaged or incomplete.",
  },
  empty: { fr: "Ce fichier ne contient aucune ligne.", en: "This file contains no rows." },
  "too-many-rows": {
    fr: "Ce fichier a plus de 1 048 576 lignes. Divisez-le en plusieurs fichiers.",
    en: "This file has more than 1,048,576 rows. Split it into several files.",
  },
  "too-large-inside": {
    fr: "Ce classeur est trop volumineux une fois ouvert. Enregistrez la feuille en CSV.",
    en: "This workbook is too large once opened. Save the sheet as CSV.",
  },
  "record-too-long": {
    fr: "Une ligne est trop longue. Un guillemet n’est probablement pas fermé.",
    en: "A row is too long. A quotation mark is probably not closed.",
  },
  "too-many-columns": {
    fr: "Une ligne a plus de 16 384 colonnes. Vérifiez le séparateur du fichier, ou enregistrez-le de nouveau.",
    en: "A row has more than 16,384 columns. Check the file's separator, or save the file again.",
  },
  "contacts-full": {
    fr: "Votre entreprise a atteint son nombre maximal de contacts. Les lignes précédentes ont été importées.",
    en: "Your company has reached its maximum number of contacts. The preceding rows were imported.",
  },
  "groups-full": {
    fr: "Les groupes de votre entreprise ont atteint leur nombre maximal de contacts. Les lignes précédentes ont été importées.",
    en: "Your company's groups have reached their maximum number of contacts. The preceding rows were imported.",
  },
  "fields-full": {
    fr: "Un contact aurait plus de 20 champs personnalisés avec ceux du fichier. Les lignes précédentes ont été importées.",
    en: "A contact would have more than 20 custom fields with those of the file. The preceding rows were imported.",
  },
  "group-gone": {
    fr: "Le groupe a été supprimé pendant l’import. Les lignes précédentes ont été importées.",
    en: "The group was deleted during the import. The preceding rows were imported.",
  },
  "given-up": {
    fr: "L’import a échoué après plusieurs tentatives. Renvoyez le fichier.",
    en: "The import failed after several attempts. Send the file again.",
  },
} as const satisfies Record<string, Sentence>;
export type Failure = keyof typeof FAILURES;

/** A file that cannot be read, in whole or from some row on. */
export class Unreadable extends Error {
  override readonly name = "Unreadable";
  readonly failure: Failure;

  constructor(failure: Failure) {
    super(failure);
    this.failure = failure;
  }
}

/** Returns the sentence of a stored failure. */
export function failureOf(code: string): Sentence {
  return FAILURES[code as Failure];
}

/** Why a row is not imported, or only in part. */
const REASONS = {
  "no-phone": { fr: "le numéro de téléphone manque", en: "the phone number is missing" },
  "not-a-phone": { fr: "n’est pas un numéro de téléphone", en: "is not a phone number" },
  rounded: {
    fr: "le tableur a arrondi ce numéro : mettez la colonne au format texte et ressaisissez-le",
    en: "the spreadsheet rounded this number: format the column as text and enter it again",
  },
  date: { fr: "est une date, pas un numéro de téléphone", en: "is a date, not a phone number" },
  "other-number": {
    fr: "est un autre numéro de la même cellule : seul le premier est importé",
    en: "is another number in the same cell: only the first is imported",
  },
  "old-number": {
    fr: "est un ancien numéro, dont le nouveau numéro n’est pas certain",
    en: "is an old number, whose new number is not certain",
  },
  "too-long": { fr: "a plus de 200 caractères", en: "has more than 200 characters" },
  "field-too-long": { fr: "a plus de 100 caractères", en: "has more than 100 characters" },
  // Only rows of earlier versions have these codes.
  "not-a-sex": { fr: "doit être M ou F", en: "must be M or F" },
  "unknown-sex": {
    fr: "n’est pas un sexe reconnu : le contact est importé sans cette valeur",
    en: "is not a recognized sex: the contact is imported without this value",
  },
} as const satisfies Record<string, Sentence>;
export type RejectReason = keyof typeof REASONS;

/** Returns the sentence of a stored reason. */
export function reasonOf(code: string): Sentence {
  return REASONS[code as RejectReason];
}
