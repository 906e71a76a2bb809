// The URLs of /v1/admin/operator.
import { Type } from "typebox";
import { checkOperatorAddress } from "../../delivery/operators/kinds.ts";
import { moveBind } from "../../delivery/operators/moves.ts";
import * as operators from "../../delivery/operators/operators.ts";
import { rerouting } from "../../delivery/operators/rerouting.ts";
import { BINDS_AT_MOST } from "../../delivery/operators/settings.ts";
import { BindMove, Operator } from "../../delivery/operators/shapes.ts";
import { QualityWanted, readQuality } from "../../delivery/quality/quality.ts";
import { RouteQuality } from "../../delivery/quality/shapes.ts";
import { readTrial, sendTrial } from "../../delivery/sends/record/operatortests.ts";
import { OperatorTest } from "../../delivery/sends/record/shapes.ts";
import { adminWho, raising } from "../../identity/admins/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { amongIds, inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { Phone, ShortText } from "../../platform/http/schemas.ts";

export const create = route("/v1/admin/operator/create", {
  title: { fr: "Ajouter un opérateur mobile", en: "Add a mobile operator" },
  says: {
    fr: "Ajoute un opérateur mobile, qui reçoit les messages vers ses préfixes. Son mot de passe n’est plus jamais affiché.",
    en: "Adds a mobile operator, which receives the messages to its prefixes. Its password is never shown again.",
  },
  body: operators.OperatorInput,
  caller: adminWho("govern"),
  answers: Operator,
  refuses: ["conflict"],
  example: {
    name: "Opérateur 07",
    host: "smsc.example.com",
    port: 2775,
    systemId: "boutique",
    password: "tambour",
    prefixes: ["22507"],
    enabled: false,
  },
  audit: { fr: "a ajouté un opérateur", en: "added an operator" },
  defaults: operators.operatorDefaults,
  async run(app, caller, body) {
    await checkOperatorAddress(app, body);
    const audit = { on: thingMade("operator") };
    return rerouting(app, caller, audit, (tx) => operators.createOperator(tx, app, body), raising);
  },
});

export const list = listRoute("/v1/admin/operator/list", {
  title: { fr: "Lister les opérateurs mobiles", en: "List mobile operators" },
  says: {
    fr: "Liste les opérateurs mobiles avec l’état actuel de leurs sessions.",
    en: "Lists mobile operators with the current state of their sessions.",
  },
  body: { ...inOrder("desc"), ...amongIds("operator") },
  caller: adminWho("read"),
  rows: Operator,
  list: (app, _caller, wanted) => operators.listOperators(app.database, wanted),
});

export const read = route("/v1/admin/operator/{id}", {
  title: { fr: "Lire un opérateur mobile", en: "Read a mobile operator" },
  says: {
    fr: "Renvoie un opérateur mobile avec l’état actuel de ses sessions.",
    en: "Returns a mobile operator with the current state of its sessions.",
  },
  body: oneId("operator"),
  reads: true,
  caller: adminWho("read"),
  answers: Operator,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => operators.readOperator(app.database, id),
});

/** The audit entry of an operator: before and after, without what its sessions report. */
function changeOf(id: string) {
  return { on: { kind: "operator", id }, before: (tx: Tx) => operators.readOperator(tx, id) };
}

export const update = route("/v1/admin/operator/{id}/update", {
  title: { fr: "Modifier un opérateur mobile", en: "Update a mobile operator" },
  says: {
    fr: "Modifie un opérateur mobile. Les champs omis ne changent pas. Ses sessions sont renouvelées si la modification l’exige.",
    en: "Updates a mobile operator. Omitted members are unchanged. Its sessions are renewed if the change requires it.",
  },
  body: Type.Object({ id: idOf("operator"), ...operators.OperatorChanges.properties }),
  emptyTexts: "emptied",
  caller: adminWho("govern"),
  answers: Operator,
  refuses: ["not-found", "conflict"],
  example: { tps: 50 },
  audit: { fr: "a modifié un opérateur", en: "updated an operator" },
  async run(app, caller, { id, ...changes }) {
    await checkOperatorAddress(app, changes, id);
    const update = (tx: Tx) => operators.updateOperator(tx, app, id, changes);
    const isSameHost =
      changes.host === undefined &&
      changes.connector === undefined &&
      changes.connectorSettings === undefined;
    // Whoever changes where messages go can read everyone's codes, so a new host needs what a new role needs.
    return rerouting(app, caller, changeOf(id), update, isSameHost ? audited : raising);
  },
});

export const remove = route("/v1/admin/operator/{id}/delete", {
  title: { fr: "Supprimer un opérateur mobile", en: "Delete a mobile operator" },
  says: {
    fr: "Supprime un opérateur mobile. Ses sessions se terminent après les réponses attendues, et ses messages en file d’attente passent aux autres opérateurs.",
    en: "Deletes a mobile operator. Its sessions close once outstanding responses have arrived, and its queued messages go to other operators.",
  },
  body: oneId("operator"),
  caller: adminWho("govern"),
  answers: Operator,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un opérateur", en: "deleted an operator" },
  run(app, caller, { id }) {
    const audit = { ...changeOf(id), after: () => null };
    return rerouting(app, caller, audit, (tx) => operators.deleteOperator(tx, id));
  },
});

export const hold = route("/v1/admin/operator/{id}/hold", {
  title: { fr: "Suspendre l’envoi par un opérateur", en: "Pause sending through an operator" },
  says: {
    fr: "Suspend l’envoi par un opérateur. Ses sessions restent ouvertes. Ses messages en file d’attente passent aux autres opérateurs.",
    en: "Pauses sending through an operator. Its sessions stay bound. Its queued messages go to other operators.",
  },
  body: oneId("operator"),
  caller: adminWho("govern"),
  answers: Operator,
  refuses: ["not-found"],
  audit: { fr: "a suspendu l’envoi vers un opérateur", en: "paused sending to an operator" },
  run: (app, caller, { id }) => rerouting(app, caller, changeOf(id), (tx) => operators.holdOperator(tx, id)),
});

export const resume = route("/v1/admin/operator/{id}/resume", {
  title: { fr: "Reprendre l’envoi par un opérateur", en: "Resume sending through an operator" },
  says: {
    fr: "Reprend l’envoi par un opérateur suspendu.",
    en: "Resumes sending through a paused operator.",
  },
  body: oneId("operator"),
  caller: adminWho("govern"),
  answers: Operator,
  refuses: ["not-found"],
  audit: { fr: "a repris l’envoi vers un opérateur", en: "resumed sending to an operator" },
  run: (app, caller, { id }) =>
    rerouting(app, caller, changeOf(id), (tx) => operators.resumeOperator(tx, id)),
});

export const move = route("/v1/admin/operator/{id}/move", {
  title: { fr: "Déplacer une session d’un opérateur", en: "Move a bind of an operator" },
  says: {
    fr: "Déplace une session d’un opérateur vers un autre processus, qui la prend une fois toutes les réponses reçues.",
    en: "Moves a bind of an operator to another process, which takes it once all responses have arrived.",
  },
  body: Type.Object({
    id: idOf("operator"),
    node: Type.Optional(ShortText),
    bind: Type.Optional(Type.Integer({ minimum: 0, maximum: BINDS_AT_MOST - 1 })),
  }),
  caller: adminWho("govern"),
  answers: BindMove,
  refuses: ["not-found", "conflict"],
  audit: {
    fr: "a déplacé une liaison d’opérateur vers un autre processus",
    en: "moved an operator bind to another process",
  },
  run: (app, caller, { id, ...wanted }) =>
    audited(app, caller, { on: { kind: "operator", id } }, (tx) => moveBind(tx, id, wanted)),
});

const TEXT_CHARACTERS_AT_MOST = 2_000;

export const testOperator = route("/v1/admin/operator/{id}/test", {
  title: { fr: "Tester un opérateur", en: "Test an operator" },
  says: {
    fr: "Envoie un message par cet opérateur, quel que soit le routage, aux frais du service. Le message expire après 10 minutes.",
    en: "Sends one message over this operator, whatever the routing, at the service’s expense. The message expires after 10 minutes.",
  },
  body: Type.Object({
    id: idOf("operator"),
    phone: Phone,
    text: Type.Optional(Type.String({ minLength: 1, maxLength: TEXT_CHARACTERS_AT_MOST, "x-visible": true })),
  }),
  caller: adminWho("govern"),
  answers: OperatorTest,
  refuses: ["not-found", "conflict", "invalid-phone-number", "message-too-long"],
  example: { phone: "2250102030405" },
  audit: { fr: "a testé un opérateur", en: "tested an operator" },
  run: (app, caller, { id, ...input }) =>
    audited(app, caller, { on: { kind: "operator", id } }, (tx) => sendTrial(app, tx, id, input)),
});

export const readTest = route("/v1/admin/operator/{id}/test/{testId}", {
  title: { fr: "Lire un test d’opérateur", en: "Read an operator test" },
  says: {
    fr: "Renvoie le résultat d’un test d’opérateur, jusqu’à l’accusé de réception.",
    en: "Returns the result of an operator test, up to the delivery receipt.",
  },
  body: Type.Object({
    id: idOf("operator"),
    testId: member(idOf("operatorTest"), {
      fr: "Identifiant du test d’opérateur",
      en: "ID of the operator test",
      sample: "<testId>",
    }),
  }),
  reads: true,
  caller: adminWho("read"),
  answers: OperatorTest,
  refuses: ["not-found"],
  run: (app, caller, { id, testId }) => readTrial(app.database, caller.language, id, testId),
});

export const quality = route("/v1/admin/operator/{id}/quality", {
  title: { fr: "Lire la qualité des routes d’un opérateur", en: "Read the quality of an operator’s routes" },
  says: {
    fr: "Renvoie, par heure ou par jour et par préfixe, ce que l’opérateur a accepté, remis et refusé, le temps jusqu’aux accusés de réception, et ce qui prouve que les messages arrivent : les mots de passe à usage unique vérifiés et les messages de test confirmés. Une route est suspecte si ces preuves restent très en dessous de ses accusés de réception. Les chiffres sont à jour à quelques secondes près ; les mots de passe comptent 15 minutes après leur envoi.",
    en: "Returns, by hour or day and by prefix, what the operator accepted, delivered and refused, the time until delivery receipts, and what proves that messages arrive: verified one-time passwords and confirmed test messages. A route is suspect if these proofs are far below its delivery receipts. The figures are a few seconds old; passwords count 15 minutes after they were sent.",
  },
  body: QualityWanted,
  reads: true,
  caller: adminWho("read"),
  answers: RouteQuality,
  refuses: ["not-found"],
  example: { by: "hour" },
  run: (app, caller, wanted) => readQuality(app.database, caller.language, wanted),
});
