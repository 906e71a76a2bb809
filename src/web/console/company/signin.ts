// Sign-in and sign-up of a person of a company: a phone, a code by SMS, and the open sessions.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { normalisePhone } from "../../../protocol/sms/phone.ts";
import { noteEnded } from "../../pages/session.ts";
import { Refused } from "../apiclient.ts";
import { button, field, form, formButton, plainButton } from "../parts/forms.ts";
import { table } from "../parts/lists.ts";
import { actions, badge, doneNotice, remark, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import { ownPath } from "../paths.ts";
import type { Screens } from "../screens.ts";
import type { Waiting } from "../session.ts";
import { Redirect, type View, type Visit } from "../visit.ts";

const ANYBODY = { area: "public" } as const;

export function addSignIn(screens: Screens): void {
  screens.pageAndForm("/sign-in", signIn, takePhone, ANYBODY);
  screens.pageAndForm("/sign-in/code", code, takeCode, ANYBODY);
  screens.form("/sign-in/again", sendAgain, ANYBODY);
  screens.pageAndForm("/sign-up", signUp, takeNewcomer, ANYBODY);
  screens.form("/sign-out", (visit) => signOutOf(visit, "/sign-in"), ANYBODY);
  screens.page("/account", account);
  screens.form("/account/sessions/:id/end", endSession);
}

/** A page for unauthenticated callers has a session too: its forms need a token. */
function welcome(visit: Visit): void {
  visit.saveSession({});
}

function signIn(visit: Visit): View {
  welcome(visit);
  return {
    title: visit.t("Se connecter", "Sign in"),
    body: html`<p class="lead">${visit.t("Connectez-vous avec un code reçu par SMS.", "Sign in with a code sent by SMS.")}</p>
${form(visit, { action: "/sign-in", members: { next: ownPath(visit.field("next")) } }, [
  phoneField(visit, visit.session.person?.phone),
  button(visit.t("Recevoir un code", "Get a code")),
])}
<p>${visit.t("Pas encore de compte ?", "No account yet?")} <a href="/sign-up">${visit.t("Créer une entreprise", "Create a company")}</a></p>
<p><small><a href="/admin/sign-in">${visit.t("Administration", "Administration")}</a> · <a href="/docs">${visit.t("Documentation de l’API", "API documentation")}</a></small></p>`,
  };
}

/** `known` is the phone of a person who signs in again. */
export function phoneField(visit: Visit, known = ""): Html {
  return field(visit, "phone", visit.t("Votre numéro de téléphone", "Your phone number"), {
    hint: visit.t(
      "Par exemple 07 00 00 00 00. Hors de Côte d’Ivoire, ajoutez + et l’indicatif.",
      "For example 07 00 00 00 00. Outside Côte d’Ivoire, add + and the country code.",
    ),
    value: visit.typed("phone", known),
    attributes: html`class="short" inputmode="tel" autocomplete="tel" maxlength="30"`,
    type: "tel",
  });
}

async function takePhone(visit: Visit): Promise<View | Redirect> {
  const [phone, next] = [visit.field("phone"), ownPath(visit.field("next"))];
  const begun = await visit.attempt(beginOf(visit, { phone }));
  if (begun instanceof Problem) return signIn(visit.with(begun));
  return waitForCode(visit, { as: "person", token: begun.data.token, phone, next });
}

/** Redirects to the page of the code; `isAgain`: another code was sent. */
export function waitForCode(visit: Visit, waiting: Waiting, isAgain = false): Redirect {
  visit.saveSession({ waiting });
  const path = waiting.as === "administrator" ? "/admin/sign-in/code" : "/sign-in/code";
  return new Redirect(isAgain ? `${path}?done=again` : path);
}

/** Renders a notice that another code was requested. */
export function againNotice(visit: Visit): Html | false {
  return doneNotice(visit, {
    again: visit.t(
      "Nouveau code demandé : seul le dernier est valable.",
      "New code requested: only the latest one is valid.",
    ),
  });
}

function code(visit: Visit): View | Redirect {
  const { waiting } = visit.session;
  if (!waiting || waiting.as === "administrator") return new Redirect("/sign-in");
  return {
    title: visit.t("Saisissez le code reçu", "Enter the code you received"),
    back: {
      href: waiting.as === "person" ? "/sign-in" : "/sign-up",
      text: visit.t("Changer de numéro", "Change number"),
    },
    body: html`${againNotice(visit)}
<p class="lead">${sentWords(visit, waiting)}</p>
${form(visit, "/sign-in/code", [codeField(visit), button(visit.t("Continuer", "Continue"))])}
${plainButton(visit, "/sign-in/again", visit.t("Renvoyer un code", "Send another code"))}`,
  };
}

/** Where the code was sent, in words that do not reveal whether the phone has an account. */
function sentWords(visit: Visit, { as, phone }: Waiting): string {
  return as === "newcomer"
    ? visit.t(
        `Si ce numéro peut recevoir nos SMS, un code arrive au ${phone}.`,
        `If this number can receive our SMS, a code is on its way to ${phone}.`,
      )
    : visit.t(
        `Si le ${phone} est associé à un compte, un code vient de lui être envoyé par SMS.`,
        `If ${phone} belongs to an account, a code has just been sent to it by SMS.`,
      );
}

/** Starts again with the same phone, within the limits of the API. If it refuses, the earlier code stays valid. */
async function sendAgain(visit: Visit): Promise<View | Redirect> {
  const { waiting } = visit.session;
  if (!waiting || waiting.as === "administrator") return new Redirect("/sign-in");
  const begun = await visit.attempt(beginOf(visit, waiting));
  if (begun instanceof Problem) return code(visit.wrong(begun.sentence));
  return waitForCode(visit, { ...waiting, token: begun.data.token }, true);
}

function beginOf(visit: Visit, { phone, newcomer }: Pick<Waiting, "phone" | "newcomer">) {
  const { language } = visit;
  return newcomer
    ? visit.callUnauthenticated("/v1/signup/begin", { phone, language, ...newcomer })
    : visit.callUnauthenticated("/v1/session/begin", { phone, language }, phone);
}

function codeField(visit: Visit): Html {
  return field(visit, "otp", visit.t("Code reçu par SMS", "Code received by SMS"), {
    value: "",
    hint: visit.t("6 chiffres. Code valable 5 minutes.", "6 digits. Valid for 5 minutes."),
    attributes: html`class="otp" inputmode="numeric" autocomplete="one-time-code" maxlength="12"`,
  });
}

async function takeCode(visit: Visit): Promise<View | Redirect> {
  const { waiting } = visit.session;
  if (!waiting || waiting.as === "administrator") return new Redirect("/sign-in");
  const proof = { token: waiting.token, otp: visit.field("otp") };
  const path = waiting.as === "newcomer" ? "/v1/signup/confirm" : "/v1/session/confirm";
  const signed = await visit.attempt(visit.callUnauthenticated(path, proof, waiting.phone));
  if (signed instanceof Problem) return code(visit.with(signed));
  const { sessionKey, companies } = signed.data;
  // A person who signs in again, as some changes require, continues with the same company.
  const before = companies.find(({ companyId }) => companyId === visit.session.person?.companyId);
  const companyId = (before ?? companies[0])?.companyId ?? "";
  // Forms of pages from before the sign-in become invalid. Another person does not keep the administrator's sign-in.
  const isSame = normalisePhone(waiting.phone) === normalisePhone(visit.session.person?.phone ?? "");
  const administrator = isSame ? visit.session.administrator : undefined;
  visit.renew({ person: { key: sessionKey, companyId, phone: waiting.phone }, administrator });
  visit.rememberBrowser(waiting.phone);
  return new Redirect(waiting.next);
}

function signUp(visit: Visit): View {
  welcome(visit);
  if (visit.api.app.config.signup === "off") {
    return {
      title: visit.t("Créer une entreprise", "Create a company"),
      body: remark(visit, "note", [
        "Les inscriptions sont fermées. Contactez l’administrateur du service.",
        "Sign-ups are closed. Contact the administrator of the service.",
      ]),
    };
  }
  // A person who goes back to change the number finds the typed values.
  const { waiting } = visit.session;
  const isTrial = visit.api.app.config.signup === "review";
  const name = (of: "companyName" | "name", label: string, autocomplete: string) =>
    field(visit, of, label, {
      value: visit.typed(of, waiting?.newcomer?.[of] ?? ""),
      attributes: html`maxlength="200" autocomplete="${autocomplete}"`,
    });
  return {
    title: visit.t("Créer une entreprise", "Create a company"),
    back: { href: "/sign-in", text: visit.t("Se connecter", "Sign in") },
    body: html`<p class="lead">${
      isTrial
        ? visit.t(
            "Essayez tout de suite sur des téléphones simulés. Les envois réels commencent dès que votre premier expéditeur est accepté.",
            "Try it right away on simulated handsets. Real sending starts as soon as your first sender is accepted.",
          )
        : visit.t(
            "Votre numéro, votre nom et un code suffisent.",
            "All you need is your number, your name and a code.",
          )
    }</p>
${form(visit, "/sign-up", [
  name("companyName", visit.t("Nom de l’entreprise", "Company name"), "organization"),
  name("name", visit.t("Votre nom", "Your name"), "name"),
  phoneField(visit, waiting?.newcomer && waiting.phone),
  button(visit.t("Recevoir un code", "Get a code")),
])}`,
  };
}

async function takeNewcomer(visit: Visit): Promise<View | Redirect> {
  const phone = visit.field("phone");
  const newcomer = { companyName: visit.field("companyName"), name: visit.field("name") };
  const begun = await visit.attempt(beginOf(visit, { phone, newcomer }));
  if (begun instanceof Problem) return signUp(visit.with(begun));
  return waitForCode(visit, { as: "newcomer", token: begun.data.token, phone, next: "/", newcomer });
}

/**
 * Signs out both the person and the administrator of this browser, so that nothing stays open. Keys of machines and of
 * the installation stay valid; only the visits with them end.
 */
export async function signOutOf(visit: Visit, next: string): Promise<Redirect> {
  const { person, administrator } = visit.session;
  if (person) await unlessOver(endPerson(visit));
  if (administrator?.as === "person") await unlessOver(endAdministrator(visit));
  if (administrator) await noteEnded(visit.api.app, visit.session.id);
  visit.renew({ person: undefined, administrator: undefined });
  // The storage also has texts that were typed and not sent.
  visit.reply.header("Clear-Site-Data", '"storage"');
  return new Redirect(next);
}

async function endPerson(visit: Visit): Promise<void> {
  const { data } = await visit.call("/v1/session/list", { limit: 100 });
  const current = data.find((session) => session.current);
  if (current) await visit.call("/v1/session/{id}/end", { id: current.id });
}

async function endAdministrator(visit: Visit): Promise<void> {
  const { sessionId } = (await visit.callAsAdmin("/v1/admin/session/read")).data;
  if (sessionId !== null) await visit.callAsAdmin("/v1/admin/session/{id}/end", { id: sessionId });
}

/** A session that was ended elsewhere needs no sign-out. */
async function unlessOver(ending: Promise<void>): Promise<void> {
  try {
    await ending;
  } catch (error) {
    if (!(error instanceof Refused) || error.code !== "not-authenticated") throw error;
  }
}

async function account(visit: Visit): Promise<View> {
  const [{ data: person }, { data: sessions }] = await Promise.all([
    visit.call("/v1/session/read"),
    visit.call("/v1/session/list", { limit: 100 }),
  ]);
  const title = visit.t("Sessions actives", "Active sessions");
  return {
    title: person.name ?? visit.formats.phone(visit.phone),
    back: { href: "/menu", text: visit.t("Menu", "Menu") },
    body: html`${section(title, [
      html`<p>${visit.t(
        "Vous ne reconnaissez pas une session ? Fermez-la.",
        "Don’t recognize a session? End it.",
      )}</p>`,
      table(
        title,
        [
          [
            visit.t("Navigateur", "Browser"),
            ({ browser, current }) =>
              html`${browserOf(browser)} ${current && badge("good", visit.t("session actuelle", "current session"))}`,
          ],
          [visit.t("Adresse", "Address"), ({ address }) => address],
          [visit.t("Ouverte le", "Opened"), ({ createdAt }) => visit.formats.moment(createdAt)],
          [
            visit.t("Dernière utilisation", "Last used"),
            ({ lastUsedAt }) => visit.formats.ago(lastUsedAt, nowMs()),
          ],
          [
            "",
            ({ id, current }) =>
              current ? "" : plainButton(visit, `/account/sessions/${id}/end`, visit.t("Fermer", "End")),
          ],
        ],
        sessions,
      ),
    ])}
${actions([formButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out"))])}`,
  };
}

function browserOf(agent: string): string {
  const browser = /(Firefox|Edg|OPR|SamsungBrowser|Chrome|Safari)\//.exec(agent)?.[1] ?? "?";
  const system = /(Android|iPhone|iPad|Windows|Mac OS X|Linux)/.exec(agent)?.[1] ?? "";
  const names: Record<string, string> = {
    Edg: "Edge",
    OPR: "Opera",
    SamsungBrowser: "Samsung Internet",
    "Mac OS X": "macOS",
  };
  return [names[browser] ?? browser, names[system] ?? system].filter((name) => name !== "").join(" · ");
}

async function endSession(visit: Visit): Promise<Redirect> {
  await visit.call("/v1/session/{id}/end");
  return new Redirect("/account");
}
