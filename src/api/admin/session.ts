// The URLs of /v1/admin/session.
import { Type } from "typebox";
import { adminWho } from "../../identity/admins/callers.ts";
import * as adminSessions from "../../identity/admins/sessions.ts";
import { ActingAdministrator, AdministratorSession, EndedSession } from "../../identity/admins/shapes.ts";
import { audited } from "../../identity/audit/audit.ts";
import * as sessions from "../../identity/sessions/sessions.ts";
import { Enrolled, SignedIn, SignInBegun, sessionMeanings } from "../../identity/sessions/shapes.ts";
import { named, OF_NO_ACCOUNT, oneId } from "../../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../../platform/http/lists.ts";
import { member } from "../../platform/http/meanings.ts";
import { anybody, route } from "../../platform/http/routes.ts";
import { Phone } from "../../platform/http/schemas.ts";

export const begin = route("/v1/admin/session/begin", {
  title: {
    fr: "Demander un code de connexion (administration)",
    en: "Request a sign-in code (administration)",
  },
  says: {
    fr: "Envoie un code de connexion par SMS si le numéro est celui d’un administrateur. La réponse est la même dans tous les cas.",
    en: "Sends a sign-in code by SMS if the phone number is an administrator’s. The response is the same in all cases.",
  },
  body: Type.Object({ phone: Phone }),
  caller: anybody,
  answers: SignInBegun,
  refuses: ["invalid-phone-number"],
  example: { phone: "2250102030433" },
  run: (app, _caller, { phone }, { ip }) => sessions.beginSignIn(app, { phone, ip }),
});

const Token = member(
  Type.String({ minLength: 1, maxLength: 64, ...named(OF_NO_ACCOUNT) }),
  sessionMeanings.token,
);

const Code = Type.String({ minLength: 1, maxLength: 64 });
const Totp = member(Code, {
  fr: "Code de l’application d’authentification, valable 30 secondes et une seule fois",
  en: "Code of the authenticator app, valid for 30 seconds and only once",
});

export const confirm = route("/v1/admin/session/confirm", {
  title: { fr: "Se connecter à l’administration", en: "Sign in to the administration" },
  says: {
    fr: "Connecte avec le code reçu par SMS et un second facteur, ou propose d’en enregistrer un.",
    en: "Signs in with the code from the SMS and a second factor, or offers one to enrol.",
  },
  body: Type.Object({
    token: Token,
    otp: member(Code, sessionMeanings.otp),
    totp: Type.Optional(Totp),
    recoveryCode: member(Type.Optional(Code), {
      fr: "Code de secours à usage unique, à la place de totp",
      en: "One-time recovery code, instead of totp",
    }),
  }),
  caller: anybody,
  answers: SignedIn,
  refuses: ["wrong-otp", "otp-max-attempts", "conflict"],
  example: { token: "<token>", otp: "123456", totp: "654321" },
  audit: { fr: "s’est connecté à l’administration", en: "signed in to the administration" },
  run: (app, _caller, body, { ip, endpoint }) => sessions.confirmSignIn(app, { ...body, ip, endpoint }),
});

export const enrol = route("/v1/admin/session/enrol", {
  title: { fr: "Enregistrer un second facteur", en: "Enrol a second factor" },
  says: {
    fr: "Enregistre le second facteur proposé à l’aide d’un de ses codes, et connecte.",
    en: "Enrols the offered second factor with one of its codes, and signs in.",
  },
  body: Type.Object({ token: Token, totp: Totp }),
  caller: anybody,
  answers: Enrolled,
  refuses: ["wrong-otp", "otp-max-attempts", "conflict"],
  example: { token: "<token>", totp: "654321" },
  audit: { fr: "a configuré son second facteur", en: "set up their second factor" },
  run: (app, _caller, body, { ip, endpoint }) => sessions.enrolFactor(app, { ...body, ip, endpoint }),
});

export const readSession = route("/v1/admin/session/read", {
  title: { fr: "Lire la session d’administration", en: "Read the administration session" },
  says: {
    fr: "Renvoie le titulaire de la clé (une personne, une machine ou l’installation) et son rôle.",
    en: "Returns the holder of the key (a person, a machine or the installation) and its role.",
  },
  body: Type.Object({}),
  reads: true,
  caller: adminWho("read"),
  answers: ActingAdministrator,
  async run(_app, { by, role, sessionId }) {
    return { id: by.id, name: by.name!, role, sessionId };
  },
});

export const listSessions = listRoute("/v1/admin/session/list", {
  title: { fr: "Lister les sessions d’administration", en: "List administration sessions" },
  says: {
    fr: "Liste ses propres sessions ; pour un owner, celles de tous les administrateurs.",
    en: "Lists one’s own sessions; for an owner, those of all administrators.",
  },
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: AdministratorSession,
  list: (app, caller, page) => adminSessions.listSessions(app, caller, page),
});

export const endSession = route("/v1/admin/session/{id}/end", {
  title: { fr: "Fermer une session d’administration", en: "End an administration session" },
  says: {
    fr: "Ferme une de ses sessions ; pour un owner, celle de n’importe quel administrateur. Sa clé cesse de fonctionner immédiatement.",
    en: "Ends one of one’s own sessions; for an owner, a session of any administrator. Its key stops working immediately.",
  },
  body: oneId("adminSession"),
  caller: adminWho("read"),
  answers: EndedSession,
  refuses: ["not-found"],
  audit: { fr: "a fermé une session d’administrateur", en: "ended an administrator session" },
  run: (app, caller, { id }) =>
    audited(app, caller, { on: { kind: "session", id } }, (tx) =>
      adminSessions.endAdminSession(tx, caller, id),
    ),
});
