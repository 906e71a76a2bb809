// What an administrator is told by SMS of its own account, so that it notices what somebody else has done.
import type { Reached } from "../admins/admins.ts";
import type { Tx } from "../kernel/database.ts";
import type { Sentence } from "../kernel/refusals.ts";
import type { Runtime } from "../kernel/runtime.ts";
import { sendNotice } from "../notices/notices.ts";

type Told = Pick<Reached, "phone" | "language">;

const SUBJECT: Sentence = {
  fr: "Votre compte d'administrateur Atumpan",
  en: "Your Atumpan administrator account",
};

const NOT_YOU: Sentence = {
  fr: "Si ce n'est pas vous ou convenu, prévenez le responsable du service.",
  en: "If this was not you or agreed, tell whoever runs the service.",
};

/** Tells that a recovery code was used, and how many are left. Call it last, as `sendNotice`. */
export function warnOfRecovery(app: Runtime, tx: Tx, told: Told, left: number): Promise<void> {
  return warn(app, tx, told, {
    fr: `un code de secours a servi à une connexion d'administrateur ; il en reste ${left}.`,
    en: `a recovery code was used to sign in as an administrator; ${left} are left.`,
  });
}

/** Tells that the second factor was taken away. Call it last, as `sendNotice`. */
export function warnOfReset(app: Runtime, tx: Tx, told: Told): Promise<void> {
  return warn(app, tx, told, {
    fr: "votre second facteur d'administrateur a été retiré ; vous en choisirez un autre à la prochaine connexion.",
    en: "your second factor as an administrator was taken away; you enrol another one when you sign in next.",
  });
}

/** Tells at the old phone that codes go to another one. Call it last, as `sendNotice`. */
export function warnOfPhone(app: Runtime, tx: Tx, told: Told): Promise<void> {
  return warn(app, tx, told, {
    fr: "vos codes d'administrateur vont désormais à un autre numéro que celui-ci.",
    en: "your codes as an administrator go to another phone than this one from now on.",
  });
}

async function warn(app: Runtime, tx: Tx, { phone, language }: Told, what: Sentence): Promise<void> {
  const text = `Atumpan${language === "fr" ? " " : ""}: ${what[language]} ${NOT_YOU[language]}`;
  await sendNotice(app, tx, { phone, email: null, subject: SUBJECT[language], text, sms: text });
}
