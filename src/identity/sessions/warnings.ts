// SMS warnings to administrators about their own accounts, so that they notice the actions of somebody else.
import { sendNotice } from "../../messaging/notices/notices.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { Reached } from "../admins/sql.ts";

type Told = Pick<Reached, "phone" | "language">;

const SUBJECT: Sentence = {
  fr: "Votre compte d'administrateur Atumpan",
  en: "Your Atumpan administrator account",
};

const NOT_YOU: Sentence = {
  fr: "Si cette action n'est pas de vous ou n'était pas convenue, prévenez le responsable du service.",
  en: "If you did not do this or agree to it, contact the person in charge of the service.",
};

/** Notifies that a recovery code was used, and how many are left. Call it last, like `sendNotice`. */
export function warnOfRecovery(app: Runtime, tx: Tx, told: Told, left: number): Promise<void> {
  return warn(app, tx, told, {
    fr: `un code de secours a été utilisé pour une connexion d'administrateur. Il en reste ${left}.`,
    en: `a recovery code was used to sign in as an administrator. Codes left: ${left}.`,
  });
}

/** Notifies that the second factor was removed. Call it last, like `sendNotice`. */
export function warnOfReset(app: Runtime, tx: Tx, told: Told): Promise<void> {
  return warn(app, tx, told, {
    fr: "votre second facteur d'administrateur a été supprimé. Vous en enregistrerez un autre à votre prochaine connexion.",
    en: "your administrator second factor was removed. You will enroll another one at your next sign-in.",
  });
}

/** Notifies the old phone that codes go to another one. Call it last, like `sendNotice`. */
export function warnOfPhone(app: Runtime, tx: Tx, told: Told): Promise<void> {
  return warn(app, tx, told, {
    fr: "vos codes d'administrateur sont désormais envoyés à un autre numéro.",
    en: "your administrator codes are now sent to another phone number.",
  });
}

function warn(app: Runtime, tx: Tx, { phone, language }: Told, { fr, en }: Sentence): Promise<void> {
  return sendNotice(
    app,
    tx,
    { phone, email: null, language },
    {
      subject: SUBJECT,
      text: { fr: `Atumpan : ${fr} ${NOT_YOU.fr}`, en: `Atumpan: ${en} ${NOT_YOU.en}` },
    },
  );
}
