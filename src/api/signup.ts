// The URLs of /v1/signup.
import { fromOf, PhoneProof } from "../identity/sessions/proofs.ts";
import { MemberSignedIn, SignInBegun } from "../identity/sessions/shapes.ts";
import * as signups from "../identity/sessions/signups.ts";
import { askerAt } from "../messaging/otp/signins.ts";
import { anybody, route } from "../platform/http/routes.ts";

export const beginCompany = route("/v1/signup/begin", {
  title: { fr: "Commencer une inscription", en: "Start a sign-up" },
  says: {
    fr: "Envoie par SMS le code nécessaire à la création d’une entreprise.",
    en: "Sends the code for creating a company by SMS.",
  },
  body: signups.SignUpInput,
  caller: anybody,
  answers: SignInBegun,
  refuses: ["invalid-phone-number", "not-authorized"],
  example: { phone: "+225 07 00 00 88 88", companyName: "Boutique Awa", name: "Awa Koné" },
  run: (app, _caller, body, { ip }) =>
    signups.beginSignUp(app, { ...body, asker: askerAt(app, "sign-up", ip) }),
});

export const confirmCompany = route("/v1/signup/confirm", {
  title: { fr: "Confirmer une inscription", en: "Confirm a sign-up" },
  says: {
    fr: "Crée l’entreprise avec le code reçu par SMS, et connecte son propriétaire.",
    en: "Creates the company with the code from the SMS, and signs its owner in.",
  },
  body: PhoneProof,
  caller: anybody,
  answers: MemberSignedIn,
  refuses: ["wrong-otp", "not-authorized"],
  example: { token: "<token>", otp: "123456" },
  audit: { fr: "a créé l’entreprise", en: "created the company" },
  run: (app, _caller, body, request) =>
    signups.confirmSignUp(app, {
      ...body,
      ...{ from: fromOf(request), endpoint: request.endpoint, asker: askerAt(app, "sign-up", request.ip) },
    }),
});
