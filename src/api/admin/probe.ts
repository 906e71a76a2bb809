// The URLs of /v1/admin/probe.
import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited, thingMade } from "../../identity/audit/audit.ts";
import * as probes from "../../messaging/probes/probes.ts";
import { sendProbe } from "../../messaging/probes/sending.ts";
import { Probe, ProbeSend } from "../../messaging/probes/shapes.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { route } from "../../platform/http/routes.ts";

export const create = route("/v1/admin/probe/create", {
  title: { fr: "Ajouter un téléphone de test", en: "Add a test handset" },
  says: {
    fr: "Ajoute un téléphone dont la personne accepte de recevoir des messages par chaque opérateur et de les confirmer. Avec everyHours, des messages partent régulièrement par chaque opérateur qui dessert le numéro, aux frais du service.",
    en: "Adds a phone whose owner agrees to receive messages over each operator and to confirm them. With everyHours, messages go out regularly over each operator that serves the number, at the service’s expense.",
  },
  body: probes.ProbeInput,
  caller: adminWho("govern"),
  answers: Probe,
  refuses: ["invalid-phone-number", "conflict"],
  example: {
    phone: "2250102030405",
    name: "Awa, Abidjan",
    consent: "Awa Koné, par écrit, le 28/11/2026",
  },
  audit: { fr: "a ajouté un téléphone de test", en: "added a test handset" },
  run: (app, caller, body) =>
    audited(app, caller, { on: thingMade("probe") }, (tx) => probes.createProbe(tx, app, body)),
});

export const list = listRoute("/v1/admin/probe/list", {
  title: { fr: "Lister les téléphones de test", en: "List test handsets" },
  says: {
    fr: "Liste les téléphones de test, du plus récent au plus ancien.",
    en: "Lists the test handsets, newest first.",
  },
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: Probe,
  list: (app, _caller, page) => probes.listProbes(app.database, page),
});

export const read = route("/v1/admin/probe/{id}", {
  title: { fr: "Lire un téléphone de test", en: "Read a test handset" },
  says: { fr: "Renvoie un téléphone de test.", en: "Returns a test handset." },
  body: oneId("probe"),
  reads: true,
  caller: adminWho("read"),
  answers: Probe,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => probes.readProbe(app.database, id),
});

export const remove = route("/v1/admin/probe/{id}/delete", {
  title: { fr: "Supprimer un téléphone de test", en: "Delete a test handset" },
  says: {
    fr: "Supprime un téléphone de test et ses résultats. Les chiffres des routes sont conservés.",
    en: "Deletes a test handset and its results. The figures of routes are kept.",
  },
  body: oneId("probe"),
  caller: adminWho("govern"),
  answers: Probe,
  refuses: ["not-found"],
  audit: { fr: "a supprimé un téléphone de test", en: "deleted a test handset" },
  run(app, caller, { id }) {
    const audit = {
      on: { kind: "probe", id },
      before: (tx: Tx) => probes.readProbe(tx, id),
      after: () => null,
    };
    return audited(app, caller, audit, (tx) => probes.deleteProbe(tx, id));
  },
});

export const send = route("/v1/admin/probe/{id}/send", {
  title: { fr: "Envoyer un message à un téléphone de test", en: "Send a message to a test handset" },
  says: {
    fr: "Envoie par cet opérateur, quel que soit le routage, un message qui contient un code. La personne le confirme en renvoyant le code ; l’application du téléphone peut aussi transmettre le message reçu. Aux frais du service.",
    en: "Sends a message with a code over this operator, whatever the routing. The person confirms it by sending the code back; the app on the phone may also forward the received message. At the service’s expense.",
  },
  body: Type.Object({ id: idOf("probe"), operatorId: idOf("operator") }),
  caller: adminWho("govern"),
  answers: ProbeSend,
  refuses: ["not-found", "conflict"],
  example: { operatorId: "<operatorId>" },
  audit: { fr: "a envoyé un message à un téléphone de test", en: "sent a message to a test handset" },
  run: (app, caller, { id, operatorId }) =>
    audited(app, caller, { on: { kind: "probe", id } }, (tx) => sendProbe(app, tx, id, operatorId)),
});

export const results = listRoute("/v1/admin/probe/{id}/results", {
  title: { fr: "Lister les messages d’un téléphone de test", en: "List the messages of a test handset" },
  says: {
    fr: "Liste les messages envoyés à un téléphone de test depuis 90 jours, avec le statut donné par l’opérateur et la confirmation de la personne.",
    en: "Lists the messages sent to a test handset in the last 90 days, with the operator’s status and the person’s confirmation.",
  },
  body: { id: idOf("probe"), ...inOrder("desc") },
  caller: adminWho("read"),
  rows: ProbeSend,
  refuses: ["not-found"],
  list: (app, _caller, wanted) => probes.listResults(app.database, wanted),
});
