// The URLs of /v1/admin/ported.
import { Type } from "typebox";
import * as operators from "../../delivery/operators/operators.ts";
import {
  forgetPortedNumbers,
  importPortedNumbers,
  PortedInput,
  readPortedNumber,
} from "../../delivery/operators/ported.ts";
import { rerouting } from "../../delivery/operators/rerouting.ts";
import { PortedImport, PortedNumber } from "../../delivery/operators/shapes.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { note } from "../../identity/audit/audit.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { Phone } from "../../platform/http/schemas.ts";

const PORTED = { kind: "ported", id: null };

export const importNumbers = route("/v1/admin/ported/import", {
  title: { fr: "Importer des numéros portés", en: "Import ported numbers" },
  says: {
    fr: "Importe des numéros portés, un par ligne avec le nom de leur opérateur. Cet opérateur est alors prioritaire sur celui du préfixe.",
    en: "Imports ported numbers, one per line with the name of their operator. That operator then takes precedence over the one of the prefix.",
  },
  body: PortedInput,
  bulk: true,
  actsOutside: true,
  caller: adminWho("govern"),
  answers: PortedImport,
  example: { numbers: "2250501020304,Opérateur 07\n2250501020305,\n" },
  audit: { fr: "a importé des numéros portés", en: "imported ported numbers" },
  async run(app, caller, body) {
    const result = await importPortedNumbers(app.database, body);
    operators.forgetRouting(app);
    // Every 10,000 lines are committed on their own, so the audit entry follows them. The refused lines contain whole
    // phones and are omitted.
    const { refusedLines: _, ...after } = result;
    await note(app, { acter: caller, on: PORTED, before: null, after });
    return result;
  },
});

export const findNumber = route("/v1/admin/ported/find", {
  title: { fr: "Rechercher un numéro porté", en: "Look up a ported number" },
  says: {
    fr: "Renvoie l’opérateur d’un numéro, s’il est porté.",
    en: "Returns the operator of a phone number, if it is ported.",
  },
  body: Type.Object({ phone: Phone }),
  reads: true,
  caller: adminWho("read"),
  answers: PortedNumber,
  refuses: ["invalid-phone-number"],
  example: { phone: "2250501020304" },
  run: (app, _caller, { phone }) => readPortedNumber(app.database, phone),
});

export const clearNumbers = route("/v1/admin/ported/clear", {
  title: { fr: "Supprimer tous les numéros portés", en: "Delete all ported numbers" },
  says: {
    fr: "Supprime tous les numéros portés. Le routage se fait de nouveau par préfixe.",
    en: "Deletes all ported numbers. Routing is by prefix again.",
  },
  body: Type.Object({}),
  caller: adminWho("govern"),
  answers: Type.Object({
    cleared: member(Type.Boolean({ examples: [true] }), {
      fr: "Indique que tous les numéros portés sont supprimés",
      en: "Whether all ported numbers were deleted",
    }),
  }),
  audit: { fr: "a supprimé tous les numéros portés", en: "deleted all ported numbers" },
  run: (app, caller) =>
    rerouting(app, caller, { on: PORTED }, async (tx) => {
      await forgetPortedNumbers(tx);
      return { cleared: true };
    }),
});
