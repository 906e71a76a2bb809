// The pages of a pairing, step by step: the code, the phone, the password, the company, the decision, the result.
import type { PairingDetails } from "../../commerce/apps/shapes.ts";
import type { CompanyOfPhone } from "../../identity/accounts/sessions.ts";
import { nowMs } from "../../platform/clock.ts";
import { type Html, html } from "../../platform/http/html.ts";
import { field, halvesOf, hidden, readablePhone, type View } from "./layout.ts";
import type { PairingOutcome } from "./session.ts";
import type { Problem, Words } from "./words.ts";

/** The hidden fields of every form of a pairing. */
type Carried = {
  code?: string | undefined;
  company?: string | undefined;
  lang?: string | undefined;
  csrf?: string | undefined;
};

const STEPS = 3;

/**
 * `isFirst`: for a visitor who is signed in to the console, the decision is the first step, so steps are not numbered.
 */
type FormState = { t: Words; carried: Carried; problem?: Problem | undefined; isFirst: boolean };

/** The form for a pairing code. It changes nothing, so it is a GET whose result has a URL. */
export function codeView({ t, carried, problem }: FormState, typed: string | undefined): View {
  const input = field({
    name: "code",
    label: t.codeLabel,
    hint: t.codeHint,
    value: typed,
    problem,
    attributes: html`class="code" autocomplete="off" autocapitalize="characters" spellcheck="false" maxlength="32"`,
  });
  return {
    title: t.codeTitle,
    problem,
    body: html`<p class="lead">${t.codeLead}</p>
<form action="/pair" novalidate>${hidden({ lang: carried.lang })}${input}<button class="main">${t.next}</button></form>`,
  };
}

/** The form for the person's phone. */
export function phoneView({ t, carried, problem }: FormState, typed: string | undefined): View {
  const input = field({
    name: "phone",
    label: t.phoneLabel,
    hint: t.phoneHint,
    value: typed,
    problem,
    attributes: html`type="tel" inputmode="tel" autocomplete="tel" maxlength="40"`,
  });
  return {
    title: t.phoneTitle,
    step: t.step(1, STEPS),
    problem,
    body: html`<p class="lead">${t.phoneLead}</p>
<form method="post" action="/pair/phone" novalidate>${hidden(carried)}${input}<button class="main">${t.phoneButton}</button></form>`,
  };
}

/** The form for the code from the SMS. */
export function otpView({ t, carried, problem }: FormState, phone: string, minutes: number): View {
  const input = field({
    name: "otp",
    label: t.otpLabel,
    hint: t.otpHint(minutes),
    problem,
    attributes: html`class="code" inputmode="numeric" autocomplete="one-time-code" pattern="[0-9]*" spellcheck="false" maxlength="12"`,
  });
  return {
    title: t.otpTitle,
    step: t.step(2, STEPS),
    problem,
    body: html`<p class="lead">${t.otpLead(readablePhone(phone))}</p>
<form method="post" action="/pair/otp" novalidate>${hidden(carried)}${input}<button class="main">${t.otpButton}</button></form>
<div class="others">
<form method="post" action="/pair/phone">${hidden({ ...carried, phone: `+${phone}` })}<button class="plain">${t.otpAgain}</button></form>
${restartForm(carried, t.otherPhone)}
</div>`,
  };
}

function restartForm(carried: Carried, label: string): Html {
  return html`<form method="post" action="/pair/restart">${hidden(carried)}<button class="plain">${label}</button></form>`;
}

/** The choice of the company that pays, for a person with several. */
export function companyView({ t, carried, isFirst }: FormState, companies: readonly CompanyOfPhone[]): View {
  const choices = companies.map(({ companyId, companyName }, i) =>
    choice({ name: "company", value: companyId, label: companyName, isChosen: i === 0 }),
  );
  const { code, lang } = carried;
  return {
    title: t.companyTitle,
    ...(!isFirst && { step: t.step(STEPS, STEPS) }),
    body: html`<p class="lead">${t.companyLead}</p>
<form action="/pair">${hidden({ code, lang })}<fieldset><legend class="away">${t.companyLabel}</legend>${choices}</fieldset>
<button class="main">${t.next}</button></form>`,
  };
}

/** For a person who is a member and not an owner: what the role does not allow, and in which company. */
export function notOwnerView(
  { t, carried }: FormState,
  companies: readonly CompanyOfPhone[],
  phone: string,
): View {
  return {
    title: t.notOwnerTitle,
    body: html`<p class="lead">${t.notOwner(companies.map(({ companyName }) => companyName))}</p>
<p>${t.notOwnerWay}</p>
<div class="others"><p>${t.signedInAs(readablePhone(phone))}</p>${restartForm(carried, t.otherPhone)}</div>`,
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
    title: t.reviewTitle(name),
    ...(!isFirst && { step: t.step(STEPS, STEPS) }),
    problem,
    body: html`<div class="app"><span class="initial" aria-hidden="true">${initialOf(name)}</span>
<p><b>${name}</b><br><span class="slug">${slug}</span></p>
${description !== "" && html`<p class="description">${description}</p>`}</div>
<p class="meaning">${t.meaning(name, company.companyName)} ${t.revocable}</p>
<dl>
<div><dt>${t.account}</dt><dd>${company.companyName}${changeUrl !== undefined && html` <a class="change" href="${changeUrl}" aria-label="${t.changeCompany}">${t.change}</a>`}</dd></div>
<div><dt>${t.codeOf}</dt><dd class="digits">${halvesOf(code)}</dd></div>
<div><dt>${t.expires}</dt><dd><time datetime="${details.expiresAt.toISOString()}">${t.inMinutes(minutes)}</time></dd></div>
</dl>
<form method="post" action="/pair/answer">${hidden({ ...carried, company: company.companyId })}
${sendersPart(t, review, problem)}
<p class="caution">${t.caution}</p>
<div class="answers"><button class="main" name="answer" value="approve">${t.approve}</button><button class="second" name="answer" value="refuse">${t.refuse}</button></div>
</form>
<div class="others"><p>${t.signedInAs(readablePhone(phone))}</p>${restartForm(carried, t.otherPhone)}</div>`,
  };
}

function sendersPart(t: Words, { details, senderId }: Review, problem: Problem | undefined): Html {
  const { senders } = details;
  if (senders.length === 0) return html`<p class="note">${t.senderMissing}</p>`;
  const chosen = senderId ?? senders[0]!.id;
  const choices = senders.map(({ id, name }) =>
    choice({ name: "sender", value: id, label: name, isChosen: id === chosen }),
  );
  const none = choice({
    name: "sender",
    value: "none",
    label: t.senderNone,
    isChosen: chosen === "none",
    hint: t.senderNoneHint,
  });
  const isWrong = problem?.field === "sender";
  return html`<fieldset id="sender"${isWrong && html` tabindex="-1"`}><legend>${t.senderLabel}</legend>${choices}${none}</fieldset>`;
}

/** The first letter of a name. A logo would be loaded from the application's server, which could track visitors. */
function initialOf(name: string): string {
  return name.match(/[\p{L}\p{N}]/u)?.[0]?.toLocaleUpperCase("fr") ?? "·";
}

/** The result of a pairing. `ofConsole`: the visitor acted with a sign-in to the console, and is still signed in. */
export function doneView(
  t: Words,
  { approved, appName, companyName, senderAssigned }: PairingOutcome,
  ofConsole: boolean,
): View {
  const said = senderAssigned ? t.approved : t.approvedWithoutSender;
  return {
    title: approved ? t.approvedTitle : t.deniedTitle,
    body: html`<p class="result ${approved ? "good" : "calm"}">${approved ? said(appName, companyName) : t.denied(appName)}</p>
<p>${t.back}</p><p class="hint">${ofConsole ? t.staysSignedIn : t.closed}</p>`,
  };
}
