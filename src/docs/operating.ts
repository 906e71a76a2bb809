// The section of the reference on operating the service, and the meaning of its members.
import type { Exception } from "./elsewhere.ts";
import type { Term } from "./glossary.ts";

export const operatingTerms: Record<string, Term> = {
  pid: { fr: "Numéro du processus sur sa machine", en: "Number of the process on its machine", sample: 4242 },
  version: { fr: "Version du programme", en: "Version of the program", sample: "0.1.0" },
  roles: { fr: "Ce que fait le processus", en: "What the process does", sample: ["gateway"] },
  startedAt: { fr: "Démarré (UTC)", en: "Started at (UTC)", sample: "2026-11-25T02:00:00.000Z" },
  seenAt: {
    fr: "Dernier signe de vie ; il en donne un toutes les 3 s",
    en: "Last sign of life; it gives one every 3 s",
    sample: "2026-11-25T02:00:00.000Z",
  },
  isAlive: {
    fr: "A donné un signe de vie depuis moins de 10 s",
    en: "Gave a sign of life within the last 10 s",
    sample: true,
  },
  lastTurnAt: {
    fr: "Quand une de ses liaisons a enregistré un tour pour la dernière fois ; null : jamais",
    en: "When one of its links last committed a turn; null: never",
    sample: null,
  },
  aheadMs: {
    fr: "De combien l’horloge de sa machine avance sur celle de la base, en millisecondes",
    en: "How far the clock of its machine is ahead of the database’s, in milliseconds",
    sample: 3,
  },
  node: {
    fr: "Le processus, comme admin/node/list le nomme",
    en: "The process, as admin/node/list names it",
    sample: "atumpan 66f0c0ffee00000000000002",
  },
  incarnation: {
    fr: "Combien de fois la base est devenue une autre : restaurée, ou reprise par un autre serveur",
    en: "How often the database has become another one: restored, or taken over by another server",
    sample: 2,
  },
  lastSeenAt: {
    fr: "Dernier signe de vie que la base connaît d’avant",
    en: "Last sign of life from before that the database knows",
    sample: "2026-11-25T02:00:00.000Z",
  },
  decision: {
    fr: "Ce qui a été décidé ; CONTINUED : les processus savent que rien n’est oublié",
    en: "What was decided; CONTINUED: the processes know that nothing is forgotten",
    sample: null,
  },
  forgotten: {
    fr: "Ce que les processus avaient accepté et que la base a oublié",
    en: "What the processes had acknowledged and the database has forgotten",
  },
  reports: {
    fr: "Ce que chaque processus a trouvé dans les fichiers de son dossier ; 100 au plus",
    en: "What each process has found in the files of its folder; 100 at most",
  },
  gateways: {
    fr: "Les processus qui envoyaient alors ; 100 au plus, d’abord ceux qui n’ont pas tout dit",
    en: "The processes that sent then; 100 at most, those first that have not reported all",
  },
  reported: {
    fr: "Ce que ses fichiers disent de ce qu’il avait soumis depuis : tout (ALL), une partie (PART), ou personne ne les a lus (NOTHING)",
    en: "What its files report of what it had submitted since: all of it (ALL), a part (PART), or nobody has read them (NOTHING)",
    sample: "ALL",
  },
  submittedOnly: {
    fr: "N’abandonne que ce qu’un processus avait soumis ; ce qui n’est sûrement pas parti est envoyé",
    en: "Gives up only what a process had submitted; what surely did not go out is sent",
    sample: true,
  },
  campaigns: {
    fr: "Campagnes, et envois d’applications",
    en: "Campaigns, and sends of applications",
    sample: 2,
  },
  changes: {
    fr: "Changements que le journal d’audit avait",
    en: "Changes that the audit log had",
    sample: 1,
  },
  folder: {
    fr: "Le DATA_DIR du processus",
    en: "The DATA_DIR of the process",
    sample: "/var/lib/atumpan/api",
  },
  acknowledged: {
    fr: "Ce que le processus avait accepté depuis le dernier signe de vie connu",
    en: "What the process had acknowledged since the last known sign of life",
    sample: 1_204,
  },
  reportedAt: {
    fr: "Quand il l’a dit (UTC)",
    en: "When it said so (UTC)",
    sample: "2026-11-25T02:00:10.000Z",
  },
  acknowledgedAt: {
    fr: "Quand c’était accepté (UTC)",
    en: "When it was acknowledged (UTC)",
    sample: "2026-11-25T02:00:00.000Z",
  },
  notifiedAt: {
    fr: "Quand l’entreprise en a été avisée ; null : pas encore, ou ce n’est pas une campagne",
    en: "When the company was notified; null: not yet, or it is no campaign",
    sample: null,
  },
  accountName: {
    fr: "Nom de l’entreprise ; null : ce n’en est pas une, ou la base l’a oubliée aussi",
    en: "Name of the company; null: it is none, or the database has forgotten it too",
    sample: "Boutique",
  },
  since: {
    fr: "Depuis quand personne ne sait ce qui est parti ; par défaut lastSeenAt",
    en: "Since when nobody knows what was sent; lastSeenAt by default",
    sample: "2026-11-25T02:00:00Z",
  },
};

export const operatingExceptions: readonly Exception[] = [
  // Whether sending is held.
  {
    member: "state",
    path: /recovery/,
    fr: "HELD : rien ne part avant une décision ; SETTLING : elle est en cours d’exécution",
    en: "HELD: nothing is sent before a decision; SETTLING: it is being carried out",
  },
  {
    member: "reason",
    path: /recovery/,
    fr: "RESTORED : une copie ; PROMOTED : un autre serveur, ou un moment d’avant ; LOST : un processus en sait plus que la base ; WENT_BACK : elle a reculé ; null : rien de tel",
    en: "RESTORED: a copy; PROMOTED: another server, or an earlier moment; LOST: a process knows more than the database; WENT_BACK: it went back; null: none of that",
  },
  {
    member: "heldAt",
    path: /recovery/,
    fr: "Quand l’envoi a été suspendu",
    en: "When sending was held",
  },
  {
    member: "heldAt",
    path: /operator/,
    fr: "Depuis quand un administrateur le retient ; null : il ne l’est pas",
    en: "Since when an administrator holds it; null: it is not held",
  },
  {
    member: "accountId",
    path: /forgotten/,
    fr: "Le compte concerné ; null : le service",
    en: "The account that it concerns; null: the service",
  },
  { member: "host", path: /node|recovery/, fr: "Nom de la machine", en: "Name of the machine" },
  {
    member: "from",
    path: /operator/,
    fr: "Le processus qui l’avait",
    en: "The process that had it",
  },
  {
    member: "messages",
    path: /recovery/,
    fr: "Messages qui attendaient alors : avec RESUMED ils peuvent partir deux fois, avec UNKNOWN leur sort est inconnu",
    en: "Messages that waited then: with RESUMED they may go out twice, with UNKNOWN their fate is unknown",
  },
  {
    member: "decidedAt",
    path: /recovery/,
    fr: "Quand c’est décidé ; null : pas encore",
    en: "When it was decided; null: not yet",
  },
  {
    member: "decidedBy",
    path: /recovery/,
    fr: "L’administrateur qui a décidé ; null : personne",
    en: "The administrator who decided; null: nobody",
  },
];
