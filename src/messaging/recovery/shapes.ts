// The shapes of the recovery in responses.
import { type Static, Type } from "typebox";
import { ACKNOWLEDGED_KINDS } from "../../platform/files/acknowledgedlines.ts";
import { type Meaning, member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** The meanings of the members that several schemas of this capability have. */
export const recoveryMeanings = {
  since: {
    fr: "Début de la période pour laquelle les envois sont inconnus. Par défaut : lastSeenAt",
    en: "Start of the period for which it is unknown what was sent. Default: lastSeenAt",
    sample: "2026-11-25T02:00:00Z",
  },
  submittedOnly: {
    fr: "true : seuls les messages qu’un processus avait soumis sont abandonnés. Les messages qui ne sont certainement pas partis sont envoyés",
    en: "true: only messages that a process had submitted are given up. Messages that were certainly not sent are sent",
    sample: true,
  },
  kind: { fr: "Type d’écriture ou de message", en: "Type of entry or message" },
} satisfies Record<string, Meaning>;

/** The sums of acknowledged data that an incarnation lacks. */
const ForgottenSums = member(
  shape("ForgottenSums", {
    campaigns: member(Type.Integer(), {
      fr: "Campagnes et envois d’applications",
      en: "Campaigns and sends by applications",
      sample: 2,
    }),
    messages: member(Type.Integer(), {
      fr: "Messages de ces campagnes",
      en: "Messages of these campaigns",
      sample: 1,
    }),
    codes: Type.Integer(),
    credits: member(Type.Integer(), { fr: "Crédits", en: "Credits", sample: 1 }),
    changes: member(Type.Integer(), {
      fr: "Modifications inscrites au journal d’audit",
      en: "Changes recorded in the audit log",
      sample: 1,
    }),
  }),
  {
    fr: "Éléments acceptés par les processus et perdus par la base de données",
    en: "Items that the processes accepted and the database lost",
  },
);
export type ForgottenSums = Static<typeof ForgottenSums>;

const Host = member(Type.String(), {
  fr: "Nom de la machine",
  en: "Machine name",
  sample: "smsc.example.com",
});

/** The result of a process that checked what the processes with its folder had acknowledged. */
const ForgottenReport = shape("ForgottenReport", {
  host: Host,
  folder: member(Type.String(), {
    fr: "DATA_DIR du processus",
    en: "DATA_DIR of the process",
    sample: "/var/lib/atumpan/api",
  }),
  since: member(Timestamp, {
    fr: "Date depuis laquelle le processus conserve ce qu’il a accepté",
    en: "Time since which the process has kept what it accepted",
    sample: "2026-11-25T02:00:00Z",
  }),
  acknowledged: member(Type.Integer(), {
    fr: "Nombre d’éléments acceptés par le processus depuis le dernier signe de vie connu",
    en: "Number of items that the process accepted since the last known heartbeat",
    sample: 1204,
  }),
  forgotten: ForgottenSums,
  reportedAt: member(Timestamp, {
    fr: "Date du rapport (UTC)",
    en: "Time of the report (UTC)",
    sample: "2026-11-25T02:00:10.000Z",
  }),
});
export type ForgottenReport = Static<typeof ForgottenReport>;

/** A gateway from before the incarnation, and whether all that it had submitted since the last heartbeat is known. */
const GatewayReport = shape("GatewayReport", {
  node: Type.String(),
  host: Host,
  reported: member(Type.Enum(["ALL", "PART", "NOTHING"]), {
    fr: "Messages soumis depuis le dernier signe de vie et connus par ses fichiers : tous (ALL), une partie (PART), ou aucun car les fichiers n’ont pas été lus (NOTHING)",
    en: "Messages submitted since the last heartbeat that its files report: all (ALL), a part (PART), or none because the files have not been read (NOTHING)",
  }),
});
export type GatewayReport = Static<typeof GatewayReport>;

/** Acknowledged data that the database has lost. */
export const Forgotten = shape("Forgotten", {
  kind: member(Type.Enum([...ACKNOWLEDGED_KINDS]), recoveryMeanings.kind),
  id: Type.String(),
  accountId: member(orNull(Type.String()), {
    fr: "Compte concerné, ou null pour le service",
    en: "Account concerned, or null for the service",
    sample: "66f0c0ffee00000000000001",
  }),
  accountName: member(orNull(Type.String()), {
    fr: "Nom de l’entreprise. null si le compte n’est pas une entreprise, ou si la base de données l’a perdue aussi",
    en: "Company name. null if the account is not a company, or if the database lost it too",
    sample: "Boutique",
  }),
  count: Type.Integer(),
  name: orNull(Type.String()),
  acknowledgedAt: member(Timestamp, {
    fr: "Date d’acceptation (UTC)",
    en: "Time of acceptance (UTC)",
    sample: "2026-11-25T02:00:00.000Z",
  }),
  notifiedAt: member(orNull(Timestamp), {
    fr: "Date de notification de l’entreprise. null si elle n’est pas encore notifiée ou si l’élément n’est pas une campagne",
    en: "Time when the company was notified. null if it has not been notified yet or the item is not a campaign",
    sample: null,
  }),
});
export type Forgotten = Static<typeof Forgotten>;

/** An accepted campaign that the database has lost. */
export const ForgottenCampaign = shape("ForgottenCampaign", {
  campaignId: Type.String(),
  name: orNull(Type.String()),
  contactCount: Type.Integer(),
  createdAt: Timestamp,
});
export type ForgottenCampaign = Static<typeof ForgottenCampaign>;

/** The current incarnation of the database, and whether sending is held. */
export const Recovery = shape("Recovery", {
  state: member(Type.Enum(["NORMAL", "HELD", "SETTLING"], { examples: ["HELD"] }), {
    fr: "HELD : rien n’est envoyé avant une décision. SETTLING : la décision est en cours d’exécution",
    en: "HELD: nothing is sent before a decision. SETTLING: the decision is being carried out",
  }),
  incarnation: member(Type.Integer(), {
    fr: "Nombre de fois où la base de données a été restaurée ou reprise par un autre serveur",
    en: "Number of times the database was restored or taken over by another server",
    sample: 2,
  }),
  reason: member(
    orNull(Type.Enum(["RESTORED", "PROMOTED", "LOST", "WENT_BACK"], { examples: ["RESTORED"] })),
    {
      fr: "RESTORED : restauration d’une copie. PROMOTED : reprise par un autre serveur, ou restauration à un moment passé. LOST : un processus a des données que la base n’a plus. WENT_BACK : la base est revenue en arrière. null : aucun de ces cas",
      en: "RESTORED: restored from a copy. PROMOTED: taken over by another server, or restored to an earlier time. LOST: a process has data that the database no longer has. WENT_BACK: the database went back in time. null: none of these",
    },
  ),
  heldAt: member(orNull(Timestamp), {
    fr: "Date de suspension de l’envoi",
    en: "Time when sending was put on hold",
    sample: "2026-11-21T09:00:00.000Z",
  }),
  lastSeenAt: member(orNull(Timestamp), {
    fr: "Date du dernier signe de vie enregistré dans la base de données avant ce changement",
    en: "Time of the last heartbeat recorded in the database before this change",
    sample: "2026-11-25T02:00:00.000Z",
  }),
  messages: member(Type.Integer(), {
    fr: "Nombre de messages qui étaient en file d’attente. Avec RESUMED, ils peuvent partir deux fois. Avec UNKNOWN, leur résultat est inconnu",
    en: "Number of messages that were queued at the time. With RESUMED, they may be sent twice. With UNKNOWN, their outcome is unknown",
    sample: 1,
  }),
  decision: member(orNull(Type.Enum(["CONTINUED", "RESUMED", "UNKNOWN"])), {
    fr: "Décision prise, ou null. CONTINUED : les processus ont vérifié que rien n’est perdu",
    en: "Decision taken, or null. CONTINUED: the processes verified that nothing is lost",
    sample: null,
  }),
  decidedAt: member(orNull(Timestamp), {
    fr: "Date de la décision, ou null si elle n’est pas prise",
    en: "Time of the decision, or null if there is none yet",
    sample: null,
  }),
  decidedBy: member(orNull(Type.String()), {
    fr: "Administrateur qui a décidé, ou null",
    en: "Administrator who decided, or null",
    sample: null,
  }),
  since: member(orNull(Timestamp), recoveryMeanings.since),
  submittedOnly: member(Type.Boolean(), recoveryMeanings.submittedOnly),
  forgotten: ForgottenSums,
  reports: member(Type.Array(ForgottenReport), {
    fr: "Rapports des processus sur les fichiers de leur dossier, 100 au plus",
    en: "Reports of the processes on the files in their folders, at most 100",
  }),
  gateways: member(Type.Array(GatewayReport), {
    fr: "Processus qui envoyaient alors, 100 au plus. Ceux dont le rapport est incomplet viennent en premier",
    en: "Processes that were sending at the time, at most 100. Those with an incomplete report come first",
  }),
});
export type Recovery = Static<typeof Recovery>;
