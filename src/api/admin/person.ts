// The URLs of /v1/admin/person.
import { Type } from "typebox";
import { beginErasure, readErasure as findErasure } from "../../compliance/privacy/erasures.ts";
import { auditOfErasure, Erasure } from "../../compliance/privacy/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { audited } from "../../identity/audit/audit.ts";
import { oneId } from "../../platform/http/idschemas.ts";
import { route } from "../../platform/http/routes.ts";
import { Phone } from "../../platform/http/schemas.ts";

export const erasePerson = route("/v1/admin/person/erase", {
  title: { fr: "Effacer une personne de tous les comptes", en: "Erase a person from all accounts" },
  says: {
    fr: "Efface une personne de tous les comptes. Ses désinscriptions restent en vigueur.",
    en: "Erases a person from all accounts. Opt-outs stay in force.",
  },
  body: Type.Object({ phone: Phone }),
  caller: adminWho("govern"),
  answers: Erasure,
  refuses: ["invalid-phone-number"],
  example: { phone: "2250102030406" },
  audit: { fr: "a demandé l’effacement d’une personne", en: "requested the erasure of a person" },
  run: (app, caller, { phone }) =>
    audited(app, caller, { on: auditOfErasure }, (tx) => beginErasure(app, tx, null, phone)),
});

export const readErasureOfPerson = route("/v1/admin/person/erase/{id}", {
  title: {
    fr: "Suivre un effacement dans tous les comptes",
    en: "Read the progress of an erasure from all accounts",
  },
  says: {
    fr: "Renvoie l’avancement d’un effacement dans tous les comptes et les données effacées.",
    en: "Returns the progress of an erasure from all accounts and what was erased.",
  },
  body: oneId("personErasure"),
  reads: true,
  caller: adminWho("govern"),
  answers: Erasure,
  refuses: ["not-found"],
  run: (app, _caller, { id }) => findErasure(app.database, null, id),
});
