// The URL of /v1/admin/operator/{id} that only phones have.
import { openPairing, PhonePairing } from "../../delivery/operators/phones.ts";
import { adminWho, raising } from "../../identity/admins/callers.ts";
import { oneId } from "../../platform/http/idschemas.ts";
import { route } from "../../platform/http/routes.ts";

export const pair = route("/v1/admin/operator/{id}/pair", {
  title: { fr: "Appairer un téléphone", en: "Pair a phone" },
  says: {
    fr: "Renvoie les valeurs avec lesquelles un seul téléphone peut s’appairer pendant une heure. Le téléphone appairé auparavant perd son accès aussitôt. Les valeurs ne sont plus jamais affichées.",
    en: "Returns the values with which one phone may pair within an hour. The phone that was paired before loses its access at once. The values are never shown again.",
  },
  body: oneId("operator"),
  caller: adminWho("govern"),
  answers: PhonePairing,
  refuses: ["not-found", "conflict"],
  audit: {
    fr: "a ouvert l’appairage d’un téléphone",
    en: "opened the pairing of a phone",
  },
  run: (app, caller, { id }) =>
    raising(app, caller, { on: { kind: "operator", id }, after: () => null }, (tx) =>
      openPairing(app, tx, id),
    ),
});
