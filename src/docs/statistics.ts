// The section of the reference on statistics, and the meaning of their members.
import type { Term } from "./glossary.ts";

export const statisticsTerms: Record<string, Term> = {
  queueSearched: {
    fr: "Si tout ce qui attend a été parcouru ; faux quand tant de messages attendent que seuls les plus récents l’ont été",
    en: "Whether all that waits was searched; false where so many messages wait that only the newest were",
    sample: true,
  },
  day: {
    fr: "Le jour de l’envoi, à l’heure du pays de l’entreprise ; un accusé compte pour le jour de son message",
    en: "The day of the sending, in the time of the company’s country; a receipt counts for the day of its message",
    sample: "2026-11-22",
  },
  undelivered: {
    fr: "Acceptés par l’opérateur, mais pas remis selon l’accusé",
    en: "Taken by the operator, but not delivered as the receipt says",
    sample: 0,
  },
  expired: {
    fr: "De ceux qui ont échoué, ceux que personne n’a pris à temps",
    en: "Of those that failed, those that nobody took in time",
    sample: 0,
  },
  canceled: {
    fr: "De ceux qui ont échoué, ceux qui ont été annulés",
    en: "Of those that failed, those that were canceled",
    sample: 0,
  },
  byReason: {
    fr: "Pourquoi des messages ont échoué, le plus fréquent d’abord",
    en: "Why messages failed, the most frequent first",
  },
  curve: {
    fr: "Combien étaient acceptés et remis à chaque moment, 100 points au plus",
    en: "How many were taken and delivered by each time, 100 points at most",
  },
  waiting: {
    fr: "Dont on ne sait pas encore ce qu’ils deviennent",
    en: "Of which nobody knows yet what becomes of them",
    sample: 0,
  },
  afterNumber: {
    fr: "Seulement les messages derrière celui-ci, comme next l’a dit ; une page filtrée peut être courte alors qu’il y en a d’autres",
    en: "Only the messages behind this one, as next said; a filtered page may be short though there are more",
    sample: 0,
  },
  campaignName: { fr: "Nom de la campagne", en: "Name of the campaign", sample: "Rentrée" },
  contact: {
    fr: "Le contact de ce numéro, s’il y en a un",
    en: "The contact of this number, if there is one",
  },
  optout: {
    fr: "Qui a dit que ce numéro ne veut plus de messages : l’entreprise ou la personne ; null : il en veut",
    en: "Who said that this number wants no more messages: the company or the person; null: it wants them",
    sample: null,
  },
  search: {
    fr: "Le début du numéro, du nom ou du nom de famille d’un contact (les 1 000 premiers, par nom), une partie du nom d’un groupe, ou pour un administrateur le début de mots du nom d’une entreprise ou de son responsable, de son numéro, ou 8 caractères de son identifiant",
    en: "The beginning of the number, name or last name of a contact (the first 1,000, by name), a part of the name of a group, or for an administrator the beginning of words of the name of a company or its owner, of the phone, or 8 characters of the id",
    sample: "Awa",
  },
  byOperator: { fr: "Par opérateur", en: "By operator" },
};
