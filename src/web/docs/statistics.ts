// The section of the reference on statistics, and the meaning of its fields.
import type { Term } from "./glossary.ts";

export const statisticsTerms: Record<string, Term> = {
  queueSearched: {
    fr: "Indique si toute la file d’attente a été parcourue. false si elle est trop longue : seuls les messages les plus récents ont été parcourus",
    en: "Whether the whole queue was searched. false if it is too long: only the newest messages were searched",
    sample: true,
  },
  day: {
    fr: "Jour de l’envoi, à l’heure du pays de l’entreprise. Un accusé de réception compte pour le jour de son message",
    en: "Day of the send, in the time of the company’s country. A delivery receipt counts for the day of its message",
    sample: "2026-11-22",
  },
  undelivered: {
    fr: "Messages acceptés par l’opérateur mais non remis, d’après l’accusé de réception",
    en: "Messages accepted by the operator but not delivered, according to the delivery receipt",
    sample: 0,
  },
  expired: {
    fr: "Parmi les échecs, messages qu’aucun opérateur n’a pris à temps",
    en: "Of the failed messages, those that no operator accepted in time",
    sample: 0,
  },
  canceled: {
    fr: "Parmi les échecs, messages annulés",
    en: "Of the failed messages, those that were canceled",
    sample: 0,
  },
  byReason: {
    fr: "Raisons des échecs, la plus fréquente en premier",
    en: "Reasons for the failures, most frequent first",
  },
  curve: {
    fr: "Nombre total de messages acceptés et remis à chaque date, 100 points au plus",
    en: "Total number of messages accepted and delivered by each time, at most 100 points",
  },
  waiting: {
    fr: "Messages dont le résultat n’est pas encore connu",
    en: "Messages whose outcome is not known yet",
    sample: 0,
  },
  afterNumber: {
    fr: "Curseur de page : renvoie les messages qui suivent celui-ci. Donnez la valeur de next. Une page filtrée incomplète n’est pas toujours la dernière",
    en: "Page cursor: returns the messages after this one. Pass the value of next. A short filtered page is not always the last one",
    sample: 0,
  },
  campaignName: { fr: "Nom de la campagne", en: "Campaign name", sample: "Rentrée" },
  contact: {
    fr: "Contact qui a ce numéro, s’il existe",
    en: "Contact with this number, if there is one",
  },
  optout: {
    fr: "Auteur de la désinscription du numéro : l’entreprise ou la personne. null si le numéro n’est pas désinscrit",
    en: "Who opted the number out: the company or the person. null if the number is not opted out",
    sample: null,
  },
  search: {
    fr: "Début du numéro, du nom ou du nom de famille d’un contact (les 1 000 premiers, par nom), ou partie du nom d’un groupe. Pour un administrateur : début de mots du nom d’une entreprise ou de son propriétaire, début de son numéro, ou 8 caractères de son identifiant",
    en: "Beginning of the number, name or last name of a contact (the first 1,000, by name), or part of a group name. For an administrator: beginning of words of the name of a company or its owner, beginning of the phone number, or 8 characters of the ID",
    sample: "Awa",
  },
  byOperator: { fr: "Résultats par opérateur", en: "Results by operator" },
};
