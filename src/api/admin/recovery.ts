// The URLs of /v1/admin/recovery.
import { Type } from "typebox";
import { type AdminCaller, adminWho } from "../../identity/admins/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { ForgottenWanted, listForgotten } from "../../messaging/recovery/forgotten.ts";
import { giveUpSince, readRecovery, resumeSending } from "../../messaging/recovery/recovery.ts";
import { Forgotten, Recovery, recoveryMeanings } from "../../messaging/recovery/shapes.ts";
import { listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { Instant } from "../../platform/http/periods.ts";
import { route } from "../../platform/http/routes.ts";
import { readInstant } from "../../platform/http/timestamps.ts";

export const read = route("/v1/admin/recovery/read", {
  title: { fr: "Lire l’état de la reprise", en: "Read the recovery state" },
  says: {
    fr: "Indique si l’envoi est suspendu parce que la base de données a pu perdre la trace de messages déjà envoyés.",
    en: "Says whether sending is on hold because the database may have lost the record of messages already sent.",
  },
  body: Type.Object({}),
  reads: true,
  caller: adminWho("read"),
  answers: Recovery,
  run: (app) => readRecovery(app.database),
});

const ON = { on: { kind: "recovery", id: null } };

/** The name of the administrator who decides, as in the audit log. */
function nameOf({ by }: AdminCaller): string {
  return by.name ?? by.kind;
}

export const resume = route("/v1/admin/recovery/resume", {
  title: { fr: "Reprendre tout l’envoi", en: "Resume all sending" },
  says: {
    fr: "Envoie tous les messages en file d’attente, y compris ceux qui ont peut-être déjà été envoyés.",
    en: "Sends all queued messages, including those that may have been sent before.",
  },
  body: Type.Object({}),
  caller: adminWho("govern"),
  answers: Recovery,
  refuses: ["conflict"],
  audit: {
    fr: "a repris l’envoi après une panne de la base de données",
    en: "resumed sending after a database failure",
  },
  run: (app, caller) => changing(app, caller, ON, (tx) => resumeSending(tx, nameOf(caller))),
});

export const giveUp = route("/v1/admin/recovery/unknown", {
  title: { fr: "Marquer les messages en file d’attente UNKNOWN", en: "Mark queued messages UNKNOWN" },
  says: {
    fr: "Marque UNKNOWN les messages en file d’attente, dont on ignore s’ils ont été envoyés. Aucun n’est renvoyé. Avec submittedOnly, seuls les messages déjà soumis sont marqués.",
    en: "Marks queued messages UNKNOWN, since it is not known whether they were sent. None is sent again. With submittedOnly, only messages already submitted are marked.",
  },
  body: Type.Object({
    since: member(Instant, recoveryMeanings.since),
    submittedOnly: member(Type.Optional(Type.Boolean()), recoveryMeanings.submittedOnly),
  }),
  caller: adminWho("govern"),
  answers: Recovery,
  refuses: ["conflict"],
  example: { submittedOnly: true },
  audit: {
    fr: "a abandonné les envois en attente avant une panne de la base de données",
    en: "abandoned the sends that were pending before a database failure",
  },
  run: (app, caller, { since: at, submittedOnly = false }) => {
    const since = at === undefined ? undefined : readInstant(at, "since");
    return changing(app, caller, ON, (tx) => giveUpSince(tx, nameOf(caller), { since, submittedOnly }));
  },
});

export const forgotten = listRoute("/v1/admin/recovery/forgotten/list", {
  title: { fr: "Lister les données perdues", en: "List lost data" },
  says: {
    fr: "Liste les données que le service avait acceptées et que la base de données a perdues.",
    en: "Lists the data that the service had acknowledged and the database has lost.",
  },
  body: ForgottenWanted.properties,
  caller: adminWho("read"),
  rows: Forgotten,
  example: { kind: "campaign" },
  list: (app, _caller, wanted) => listForgotten(app.database, wanted),
});
