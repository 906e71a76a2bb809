// The pages of a pairing, step by step: the code, the phone, the password, the company, the decision, the result.
import type { PairingDetails } from "../../commerce/apps/shapes.ts";
import type { CompanyOfPhone } from "../../identity/accounts/sessions.ts";
import { nowMs } from "../../platform/clock.ts";
import { type Html, html } from "../../platform/http/html.ts";
import { field, halvesOf, hidden, readablePhone, type View } from "./layout.ts";
import type { PairingOutcome } from "./session.ts";
import type { Problem, Translate } from "./words.ts";

/** The hidden fields of every form of a pairing. */
type Carried = {
  code?: string | undefined;
  company?: string | undefined;
  lang?: string | undefined;
  csrf?: string | undefined;
};

const STEPS = 3;

const stepOf = (t: Translate, at: number) => t(`Étape ${at} sur ${STEPS}`, `Step ${at} of ${STEPS}`);

/**
 * `isFirst`: for a visitor who is signed in to the console, the decision is the first step, so steps are not numbered.
 */
type FormState = { t: Translate; carried: Carried; problem?: Problem | undefined; isFirst: boolean };

/** The form for a pairing code. It changes nothing, so it is a GET whose result has a URL. */
export function codeView({ t, carried, problem }: FormState, typed: string | undefined): View {
  const input = field({
    name: "code",
    label: t("Code de jumelage", "Pairing code"),
    hint: t(
      "10 lettres et chiffres, par exemple K7PM4\u00a0QXWDR",
      "10 letters and digits, for example K7PM4\u00a0QXWDR",
    ),
    value: typed,
    problem,
    attributes: html`class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="32"`,
  });
  return {
    title: t("Connecter une application", "Connect an application"),
    problem,
    body: html`<p class="lead">${t(
      "Saisissez le code affiché par l’application.",
      "Enter the code shown by the application.",
    )}</p>
<form action="/pair" novalidate>${hidden({ lang: carried.lang })}${input}<button class="main">${t("Continuer", "Continue")}</button></form>`,
  };
}

/** The form for the person's phone. */
export function phoneView({ t, carried, problem }: FormState, typed: string | undefined): View {
  const input = field({
    name: "phone",
    label: t("Votre numéro de téléphone", "Your phone number"),
    hint: t(
      "Le numéro de votre compte Atumpan, par exemple 07 00 00 00 00. Hors de Côte d’Ivoire, commencez par + et l’indicatif.",
      "The number of your Atumpan account, for example 07 00 00 00 00. Outside Côte d’Ivoire, start with + and the country code.",
    ),
    value: typed,
    problem,
    attributes: html`type="tel" inputmode="tel" autocomplete="tel" maxlength="40"`,
  });
  return {
    title: t("Votre identité", "Your identity"),
    step: stepOf(t, 1),
    problem,
    body: html`<p class="lead">${t(
      "Nous vous envoyons un code par SMS pour vérifier votre identité.",
      "We send you a code by SMS to verify your identity.",
    )}</p>
<form method="post" action="/pair/phone" novalidate>${hidden(carried)}${input}<button class="main">${t("Recevoir un code", "Get a code")}</button></form>`,
  };
}

/** The form for the code from the SMS. */
export function otpView({ t, carried, problem }: FormState, phone: string, minutes: number): View {
  const input = field({
    name: "otp",
    label: t("Code reçu par SMS", "Code received by SMS"),
    hint: t(`6 chiffres. Code valable ${minutes} minutes.`, `6 digits. Valid for ${minutes} minutes.`),
    problem,
    attributes: html`class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]*" spellcheck="false" maxlength="12"`,
  });
  return {
    title: t("Saisissez le code reçu", "Enter the code you received"),
    step: stepOf(t, 2),
    problem,
    body: html`<p class="lead">${t(
      `Si le ${readablePhone(phone)} est associé à un compte, un code de 6 chiffres vient de lui être envoyé par SMS.`,
      `If ${readablePhone(phone)} belongs to an account, a 6-digit code has just been sent to it by SMS.`,
    )}</p>
<form method="post" action="/pair/otp" novalidate>${hidden(carried)}${input}<button class="main">${t("Vérifier", "Verify")}</button></form>
<div class="others">
<form method="post" action="/pair/phone">${hidden({ ...carried, phone: `+${phone}` })}<button class="plain">${t("Renvoyer un code", "Send another code")}</button></form>
${restartForm(t, carried)}
</div>`,
  };
}

function restartForm(t: Translate, carried: Carried): Html {
  return html`<form method="post" action="/pair/restart">${hidden(carried)}<button class="plain">${t("Changer de numéro", "Use another number")}</button></form>`;
}

function signedInPart(t: Translate, carried: Carried, phone: string): Html {
  const shown = readablePhone(phone);
  return html`<div class="others"><p>${t(`Connecté avec le ${shown}.`, `Signed in with ${shown}.`)}</p>${restartForm(t, carried)}</div>`;
}

/** The choice of the company that pays, for a person with several. */
export function companyView({ t, carried, isFirst }: FormState, companies: readonly CompanyOfPhone[]): View {
  const choices = companies.map(({ companyId, companyName }, i) =>
    choice({ name: "company", value: companyId, label: companyName, isChosen: i === 0 }),
  );
  const { code, lang } = carried;
  return {
    title: t("Pour quelle entreprise ?", "For which company?"),
    ...(!isFirst && { step: stepOf(t, STEPS) }),
    body: html`<p class="lead">${t(
      "Cette entreprise paiera les SMS de l’application.",
      "This company will pay for the application’s SMS.",
    )}</p>
<form action="/pair">${hidden({ code, lang })}<fieldset><legend class="away">${t("Entreprise", "Company")}</legend>${choices}</fieldset>
<button class="main">${t("Continuer", "Continue")}</button></form>`,
  };
}

/** For a person who is a member and not an owner: what the role does not allow, and in which company. */
export function notOwnerView(
  { t, carried }: FormState,
  companies: readonly CompanyOfPhone[],
  phone: string,
): View {
  const names = companies.map(({ companyName }) => companyName).join(", ");
  return {
    title: t("Réservé aux propriétaires", "For owners only"),
    body: html`<p class="lead">${t(
      `Votre rôle ne permet pas de connecter une application à ${names} : seul un propriétaire (owner) de l’entreprise peut approuver ou refuser.`,
      `Your role does not allow you to connect an application to ${names}: only an owner of the company can approve or refuse.`,
    )}</p>
<p>${t(
      "Demandez à un propriétaire d’ouvrir ce lien ou de modifier votre rôle. Le code reste en attente.",
      "Ask an owner to open this link or to change your role. The code is still pending.",
    )}</p>
${signedInPart(t, carried, phone)}`,
  };
}

type Choice = { name: string; value: string; label: string; isChosen: boolean; hint?: string | undefined };

function choice({ name, value, label, isChosen, hint }: Choice): Html {
  return html`<label class="choice"><input type="radio" name="${name}" value="${value}"${isChosen && html` checked`}>
<span><b>${label}</b>${hint !== undefined && html`<small>${hint}</small>`}</span></label>`;
}

export type Review = {
  details: PairingDetails;
  code: string;
  phone: string;
  company: CompanyOfPhone;
  /** Where another company can be chosen. */
  changeUrl: string | undefined;
  senderId: string | undefined;
};

/** The decision: the application, its permissions, who pays, and the expiry. */
export function reviewView({ t, carried, problem, isFirst }: FormState, review: Review): View {
  const { details, code, phone, company, changeUrl } = review;
  const { name, slug, description } = details.app;
  const minutes = Math.ceil((details.expiresAt.getTime() - nowMs()) / 60_000);
  return {
    title: t(`${name} demande à envoyer des SMS en votre nom`, `${name} asks to send SMS on your behalf`),
    ...(!isFirst && { step: stepOf(t, STEPS) }),
    problem,
    body: html`<div class="app"><span class="initial" aria-hidden="true">${initialOf(name)}</span>
<p><b>${name}</b><br><span class="slug">${slug}</span></p>
${description !== "" && html`<p class="description">${description}</p>`}</div>
<p class="meaning">${t(
      `Si vous approuvez, ${name} enverra des SMS au nom de ${company.companyName}, payés avec vos crédits.`,
      `If you approve, ${name} will send SMS on behalf of ${company.companyName}, paid with your credits.`,
    )} ${t("Vous pouvez révoquer cet accès à tout moment.", "You can revoke this access at any time.")}</p>
<dl>
<div><dt>${t("Entreprise", "Company")}</dt><dd>${company.companyName}${changeUrl !== undefined && html` <a class="change" href="${changeUrl}" aria-label="${t("Changer d’entreprise", "Switch company")}">${t("Changer", "Change")}</a>`}</dd></div>
<div><dt>${t("Code", "Code")}</dt><dd class="digits">${halvesOf(code)}</dd></div>
<div><dt>${t("Expiration", "Expires")}</dt><dd><time datetime="${details.expiresAt.toISOString()}">${minutes > 1 ? t(`dans ${minutes} minutes`, `in ${minutes} minutes`) : t("dans moins d’une minute", "in less than a minute")}</time></dd></div>
</dl>
<form method="post" action="/pair/answer">${hidden({ ...carried, company: company.companyId })}
${sendersPart(t, review, problem)}
<p class="caution">${t(
      "N’approuvez que si vous avez vous-même demandé ce code dans l’application. Si quelqu’un vous l’a envoyé, refusez.",
      "Approve only if you requested this code yourself in the application. If someone sent it to you, refuse.",
    )}</p>
<div class="answers"><button class="main" name="answer" value="approve">${t("Approuver", "Approve")}</button><button class="second" name="answer" value="refuse">${t("Refuser", "Refuse")}</button></div>
</form>
${signedInPart(t, carried, phone)}`,
  };
}

function sendersPart(t: Translate, { details, senderId }: Review, problem: Problem | undefined): Html {
  const { senders } = details;
  if (senders.length === 0)
    return html`<p class="note">${t(
      "Vous n’avez pas encore de nom d’expéditeur accepté. Vous pouvez approuver : l’application pourra envoyer des SMS dès que vous lui en attribuerez un.",
      "You have no accepted sender name yet. You can approve: the application can send SMS as soon as you assign it one.",
    )}</p>`;
  const chosen = senderId ?? senders[0]!.id;
  const choices = senders.map(({ id, name }) =>
    choice({ name: "sender", value: id, label: name, isChosen: id === chosen }),
  );
  const none = choice({
    name: "sender",
    value: "none",
    label: t("Aucun pour le moment", "None for now"),
    isChosen: chosen === "none",
    hint: t(
      "L’application ne pourra pas encore envoyer de SMS.",
      "The application will not be able to send SMS yet.",
    ),
  });
  const isWrong = problem?.field === "sender";
  return html`<fieldset id="sender"${isWrong && html` tabindex="-1"`}><legend>${t("Nom d’expéditeur des SMS", "SMS sender name")}</legend>${choices}${none}</fieldset>`;
}

/** The first letter of a name. A logo would be loaded from the application's server, which could track visitors. */
function initialOf(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0]?.toLocaleUpperCase("fr") ?? "·";
}

/** The result of a pairing. `ofConsole`: the visitor acted with a sign-in to the console, and is still signed in. */
export function doneView(
  t: Translate,
  { approved, appName, companyName, senderAssigned }: PairingOutcome,
  ofConsole: boolean,
): View {
  const said = senderAssigned
    ? t(
        `${appName} peut désormais envoyer des SMS au nom de ${companyName}.`,
        `${appName} can now send SMS on behalf of ${companyName}.`,
      )
    : t(
        `${appName} est connectée à ${companyName}. Elle pourra envoyer des SMS dès que vous lui attribuerez un nom d’expéditeur.`,
        `${appName} is connected to ${companyName}. It can send SMS as soon as you assign it a sender name.`,
      );
  return {
    title: approved ? t("Accès approuvé", "Access approved") : t("Accès refusé", "Access refused"),
    body: html`<p class="result ${approved ? "good" : "calm"}">${
      approved
        ? said
        : t(
            `${appName} n’a reçu aucun accès. Ce code n’est plus valable.`,
            `${appName} was not given access. This code is no longer valid.`,
          )
    }</p>
<p>${t(
      "Vous pouvez fermer cette page et revenir à l’application.",
      "You can close this page and return to the application.",
    )}</p><p class="hint">${
      ofConsole
        ? t("Vous restez connecté à la console.", "You are still signed in to the console.")
        : t(
            "Par sécurité, vous avez été déconnecté de cette page.",
            "For your security, you have been signed out of this page.",
          )
    }</p>`,
  };
}
