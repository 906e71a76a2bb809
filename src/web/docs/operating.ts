// The section of the reference on operating the service, and the meaning of its fields.
import type { Exception } from "./elsewhere.ts";
import type { Term } from "./glossary.ts";

export const operatingTerms: Record<string, Term> = {
  pid: {
    fr: "Numéro du processus sur sa machine (PID)",
    en: "Process number on its machine (PID)",
    sample: 4242,
  },
  version: { fr: "Version du programme", en: "Program version", sample: "0.1.0" },
  roles: { fr: "Rôles du processus", en: "Roles of the process", sample: ["gateway"] },
  startedAt: { fr: "Date de démarrage (UTC)", en: "Start time (UTC)", sample: "2026-11-25T02:00:00.000Z" },
  seenAt: {
    fr: "Date du dernier signe de vie, envoyé toutes les 3 s",
    en: "Time of the last heartbeat, sent every 3 s",
    sample: "2026-11-25T02:00:00.000Z",
  },
  isAlive: {
    fr: "Indique si le processus a donné un signe de vie dans les 10 dernières secondes",
    en: "Whether the process sent a heartbeat within the last 10 s",
    sample: true,
  },
  lastTurnAt: {
    fr: "Date du dernier enregistrement fait par une de ses liaisons, ou null s’il n’y en a pas eu",
    en: "Time when one of its binds last committed its work, or null if never",
    sample: null,
  },
  aheadMs: {
    fr: "Avance de l’horloge de sa machine sur celle de la base de données, en millisecondes",
    en: "Clock offset of its machine relative to the database, in milliseconds",
    sample: 3,
  },
  node: {
    fr: "Identifiant du processus, donné par admin/node/list",
    en: "ID of the process, as given by admin/node/list",
    sample: "atumpan 66f0c0ffee00000000000002",
  },
  incarnation: {
    fr: "Nombre de fois où la base de données a été restaurée ou reprise par un autre serveur",
    en: "Number of times the database was restored or taken over by another server",
    sample: 2,
  },
  lastSeenAt: {
    fr: "Date du dernier signe de vie enregistré dans la base de données avant ce changement",
    en: "Time of the last heartbeat recorded in the database before this change",
    sample: "2026-11-25T02:00:00.000Z",
  },
  decision: {
    fr: "Décision prise, ou null. CONTINUED : les processus ont vérifié que rien n’est perdu",
    en: "Decision taken, or null. CONTINUED: the processes verified that nothing is lost",
    sample: null,
  },
  forgotten: {
    fr: "Éléments acceptés par les processus et perdus par la base de données",
    en: "Items that the processes accepted and the database lost",
  },
  reports: {
    fr: "Rapports des processus sur les fichiers de leur dossier, 100 au plus",
    en: "Reports of the processes on the files in their folders, at most 100",
  },
  gateways: {
    fr: "Processus qui envoyaient alors, 100 au plus. Ceux dont le rapport est incomplet viennent en premier",
    en: "Processes that were sending at the time, at most 100. Those with an incomplete report come first",
  },
  reported: {
    fr: "Messages soumis depuis le dernier signe de vie et connus par ses fichiers : tous (ALL), une partie (PART), ou aucun car les fichiers n’ont pas été lus (NOTHING)",
    en: "Messages submitted since the last heartbeat that its files report: all (ALL), a part (PART), or none because the files have not been read (NOTHING)",
    sample: "ALL",
  },
  submittedOnly: {
    fr: "true : seuls les messages qu’un processus avait soumis sont abandonnés. Les messages qui ne sont certainement pas partis sont envoyés",
    en: "true: only messages that a process had submitted are given up. Messages that were certainly not sent are sent",
    sample: true,
  },
  campaigns: {
    fr: "Campagnes et envois d’applications",
    en: "Campaigns and sends by applications",
    sample: 2,
  },
  changes: {
    fr: "Modifications inscrites au journal d’audit",
    en: "Changes recorded in the audit log",
    sample: 1,
  },
  folder: {
    fr: "DATA_DIR du processus",
    en: "DATA_DIR of the process",
    sample: "/var/lib/atumpan/api",
  },
  acknowledged: {
    fr: "Nombre d’éléments acceptés par le processus depuis le dernier signe de vie connu",
    en: "Number of items that the process accepted since the last known heartbeat",
    sample: 1_204,
  },
  reportedAt: {
    fr: "Date du rapport (UTC)",
    en: "Time of the report (UTC)",
    sample: "2026-11-25T02:00:10.000Z",
  },
  acknowledgedAt: {
    fr: "Date d’acceptation (UTC)",
    en: "Time of acceptance (UTC)",
    sample: "2026-11-25T02:00:00.000Z",
  },
  notifiedAt: {
    fr: "Date de notification de l’entreprise. null si elle n’est pas encore notifiée ou si l’élément n’est pas une campagne",
    en: "Time when the company was notified. null if it has not been notified yet or the item is not a campaign",
    sample: null,
  },
  accountName: {
    fr: "Nom de l’entreprise. null si le compte n’est pas une entreprise, ou si la base de données l’a perdue aussi",
    en: "Company name. null if the account is not a company, or if the database lost it too",
    sample: "Boutique",
  },
  since: {
    fr: "Début de la période pour laquelle les envois sont inconnus. Par défaut : lastSeenAt",
    en: "Start of the period for which it is unknown what was sent. Default: lastSeenAt",
    sample: "2026-11-25T02:00:00Z",
  },
};

export const operatingExceptions: readonly Exception[] = [
  // Whether sending is paused.
  {
    member: "state",
    path: /recovery/,
    fr: "HELD : rien n’est envoyé avant une décision. SETTLING : la décision est en cours d’exécution",
    en: "HELD: nothing is sent before a decision. SETTLING: the decision is being carried out",
  },
  {
    member: "reason",
    path: /recovery/,
    fr: "RESTORED : restauration d’une copie. PROMOTED : reprise par un autre serveur, ou restauration à un moment passé. LOST : un processus a des données que la base n’a plus. WENT_BACK : la base est revenue en arrière. null : aucun de ces cas",
    en: "RESTORED: restored from a copy. PROMOTED: taken over by another server, or restored to an earlier time. LOST: a process has data that the database no longer has. WENT_BACK: the database went back in time. null: none of these",
  },
  {
    member: "heldAt",
    path: /recovery/,
    fr: "Date de suspension de l’envoi",
    en: "Time when sending was put on hold",
  },
  {
    member: "heldAt",
    path: /operator/,
    fr: "Date à laquelle un administrateur a suspendu l’opérateur, ou null s’il n’est pas suspendu",
    en: "Time when an administrator put the operator on hold, or null if it is not on hold",
  },
  {
    member: "accountId",
    path: /forgotten/,
    fr: "Compte concerné, ou null pour le service",
    en: "Account concerned, or null for the service",
  },
  { member: "host", path: /node|recovery/, fr: "Nom de la machine", en: "Machine name" },
  {
    member: "from",
    path: /operator/,
    fr: "Processus qui tenait la liaison auparavant",
    en: "Process that held the bind before",
  },
  {
    member: "reports.since",
    fr: "Date depuis laquelle le processus conserve ce qu’il a accepté",
    en: "Time since which the process has kept what it accepted",
  },
  { member: "forgotten.messages", fr: "Messages de ces campagnes", en: "Messages of these campaigns" },
  { member: "forgotten.credits", fr: "Crédits", en: "Credits" },
  {
    member: "messages",
    path: /recovery/,
    fr: "Nombre de messages qui étaient en file d’attente. Avec RESUMED, ils peuvent partir deux fois. Avec UNKNOWN, leur résultat est inconnu",
    en: "Number of messages that were queued at the time. With RESUMED, they may be sent twice. With UNKNOWN, their outcome is unknown",
  },
  {
    member: "decidedAt",
    path: /recovery/,
    fr: "Date de la décision, ou null si elle n’est pas prise",
    en: "Time of the decision, or null if there is none yet",
  },
  {
    member: "decidedBy",
    path: /recovery/,
    fr: "Administrateur qui a décidé, ou null",
    en: "Administrator who decided, or null",
  },
];
