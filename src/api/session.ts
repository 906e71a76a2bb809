// The URLs of /v1/session.

import { Type } from "typebox";
import { OwnPhone } from "../identity/accounts/members.ts";
import { listMemberSessions, sessionCaller } from "../identity/accounts/sessions.ts";
import * as members from "../identity/sessions/members.ts";
import { fromOf, PhoneProof } from "../identity/sessions/proofs.ts";
import {
  EndedMemberSession,
  MemberSession,
  MemberSignedIn,
  SignInBegun,
  WhoAmI,
} from "../identity/sessions/shapes.ts";
import { askerAt } from "../messaging/otp/signins.ts";
import { oneId } from "../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../platform/http/lists.ts";
import { anybody, route } from "../platform/http/routes.ts";

export const beginMember = route("/v1/session/begin", {
  title: { fr: "Demander un code de connexion", en: "Request a sign-in code" },
  says: {
    fr: "Envoie un code de connexion par SMS si le numéro est celui d’un membre. La réponse est la même dans tous les cas.",
    en: "Sends a sign-in code by SMS if the phone number is a member’s. The response is the same in all cases.",
  },
  body: Type.Object({ phone: OwnPhone, language: Type.Optional(Type.Enum(["fr", "en"])) }),
  caller: anybody,
  answers: SignInBegun,
  refuses: ["invalid-phone-number"],
  example: { phone: "+225 07 00 00 77 77" },
  run: (app, _caller, body, { ip, knownBrowser }) =>
    members.beginMemberSignIn(app, { ...body, asker: askerAt(app, "account", ip, knownBrowser) }),
});

export const confirmMember = route("/v1/session/confirm", {
  title: { fr: "Se connecter avec le code", en: "Sign in with the code" },
  says: {
    fr: "Connecte avec le code reçu par SMS. sessionKey sert d’apiKey pour chacune des entreprises de la personne et n’est affichée qu’une fois.",
    en: "Signs in with the code from the SMS. sessionKey is an apiKey for each of the person’s companies and is shown only once.",
  },
  body: PhoneProof,
  caller: anybody,
  answers: MemberSignedIn,
  refuses: ["wrong-otp"],
  example: { token: "<token>", otp: "123456" },
  audit: { fr: "s’est connecté", en: "signed in" },
  run: (app, _caller, body, request) =>
    members.confirmMemberSignIn(app, {
      ...body,
      ...{ from: fromOf(request), endpoint: request.endpoint },
      asker: askerAt(app, "account", request.ip, request.knownBrowser),
    }),
});

export const readMember = route("/v1/session/read", {
  title: { fr: "Lire la session", en: "Read the session" },
  says: {
    fr: "Renvoie la personne connectée et les entreprises pour lesquelles elle agit.",
    en: "Returns the person who is signed in and the companies that the person acts for.",
  },
  body: Type.Object({}),
  reads: true,
  caller: sessionCaller,
  answers: WhoAmI,
  run: (app, caller) => members.whoIs(app, caller),
});

export const listMember = listRoute("/v1/session/list", {
  title: { fr: "Lister ses sessions", en: "List one’s sessions" },
  says: {
    fr: "Liste les sessions actives de la personne connectée.",
    en: "Lists the active sessions of the person who is signed in.",
  },
  body: inOrder("desc"),
  caller: sessionCaller,
  rows: MemberSession,
  list: (app, caller, page) => listMemberSessions(app.database, caller, page),
});

export const endMember = route("/v1/session/{id}/end", {
  title: { fr: "Fermer une session", en: "End a session" },
  says: {
    fr: "Ferme une session de la personne ; la session en cours pour se déconnecter. Sa clé cesse de fonctionner immédiatement.",
    en: "Ends a session of the person; the current session to sign out. Its key stops working immediately.",
  },
  body: oneId("session"),
  caller: sessionCaller,
  answers: EndedMemberSession,
  refuses: ["not-found"],
  audit: { fr: "a fermé une session", en: "ended a session" },
  run: (app, caller, { id }) => members.endOwnSession(app, caller, id),
});
