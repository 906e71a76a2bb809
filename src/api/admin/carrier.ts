// The URLs of /v1/admin/operator/{id} that only operators over HTTP have.
import { Type } from "typebox";
import { CarrierBalance, readCarrierBalance } from "../../delivery/operators/balances.ts";
import { CallbackAddress, readCallbackUrl, renewCallback } from "../../delivery/operators/callbackurls.ts";
import { DryRun, DryRunInput, runDry } from "../../delivery/operators/dryruns.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import { idOf, oneId } from "../../platform/http/idschemas.ts";
import { route } from "../../platform/http/routes.ts";
import { Phone } from "../../platform/http/schemas.ts";

export const dryRun = route("/v1/admin/operator/{id}/dry-run", {
  title: { fr: "Essayer un opérateur HTTP à blanc", en: "Try an operator over HTTP without sending" },
  says: {
    fr: "Renvoie la requête qu’un opérateur HTTP enverrait, celle qui demanderait l’état du message, avec les valeurs secrètes masquées, et le sens d’une réponse donnée. Rien n’est envoyé.",
    en: "Returns the request that an operator over HTTP would send and the one that would ask for the state of the message, with secret values masked, and the meaning of a given response. Nothing is sent.",
  },
  body: Type.Object({ id: idOf("operator"), phone: Phone, ...DryRunInput }),
  reads: true,
  caller: adminWho("govern"),
  answers: DryRun,
  refuses: ["not-found", "conflict", "invalid-phone-number"],
  run: (app, _caller, { id, ...input }) => runDry(app, app.database, id, input),
});

export const balance = route("/v1/admin/operator/{id}/balance", {
  title: { fr: "Demander le solde chez le fournisseur", en: "Ask the carrier for our balance" },
  says: {
    fr: "Demande au fournisseur d’un opérateur HTTP le solde de notre compte.",
    en: "Asks the carrier of an operator over HTTP for the balance of our account.",
  },
  body: oneId("operator"),
  reads: true,
  caller: adminWho("read"),
  answers: CarrierBalance,
  refuses: ["not-found", "conflict", "service-unavailable"],
  run: (app, _caller, { id }) => readCarrierBalance(app, app.database, id),
});

export const readCallback = route("/v1/admin/operator/{id}/callback", {
  title: { fr: "Lire l’adresse des accusés de réception", en: "Read the address for delivery receipts" },
  says: {
    fr: "Renvoie l’adresse à laquelle le fournisseur d’un opérateur HTTP envoie ses accusés de réception et les messages entrants. Elle contient un secret : ne la donnez qu’au fournisseur.",
    en: "Returns the address to which the carrier of an operator over HTTP sends receipts and incoming messages. It contains a secret: give it to the carrier only.",
  },
  body: oneId("operator"),
  reads: true,
  caller: adminWho("govern"),
  answers: CallbackAddress,
  refuses: ["not-found", "conflict"],
  run: (app, _caller, { id }) => readCallbackUrl(app, app.database, id),
});

export const renew = route("/v1/admin/operator/{id}/callback/renew", {
  title: { fr: "Changer l’adresse des accusés de réception", en: "Change the address for delivery receipts" },
  says: {
    fr: "Remplace le secret de cette adresse. L’ancienne adresse cesse de fonctionner en une seconde : donnez la nouvelle au fournisseur.",
    en: "Replaces the secret of this address. The old address stops working within a second: give the new one to the carrier.",
  },
  body: oneId("operator"),
  caller: adminWho("govern"),
  answers: CallbackAddress,
  refuses: ["not-found", "conflict"],
  audit: {
    fr: "a changé l’adresse des accusés de réception d’un opérateur",
    en: "changed the address for delivery receipts of an operator",
  },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: { kind: "operator", id }, after: () => null }, (tx) =>
      renewCallback(app, tx, id),
    ),
});
