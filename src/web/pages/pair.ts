// The page of a pairing: from a code to a decision, one form at a time, without a script in the browser.
import type { FastifyInstance, FastifyReply } from "fastify";
import {
  confirmPairing,
  denyPairing,
  isPairingCode,
  normaliseCode,
  readPairing,
} from "../../commerce/apps/pairing.ts";
import type { PairingDetails } from "../../commerce/apps/shapes.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import type { CompanyOfPhone } from "../../identity/accounts/sessions.ts";
import { auditIn } from "../../identity/audit/audit.ts";
import { lifetimeMinutes } from "../../messaging/otp/otp.ts";
import type { Tx } from "../../platform/database/transaction.ts";
import { html } from "../../platform/http/html.ts";
import { Refusal, refusalOf } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { findHolder, type Holder, type SessionKeyAt } from "./holders.ts";
import { keepKnownBrowser } from "./known.ts";
import {
  endSession,
  formToken,
  isOwnForm,
  keepSession,
  newSession,
  type PageSession,
  type PairingOutcome,
  readSession,
} from "./session.ts";
import { askCode, checkCode, mayConnect } from "./signin.ts";
import { answerOnce, runPatiently } from "./twice.ts";
import { codeView, companyView, doneView, notOwnerView, otpView, phoneView, reviewView } from "./views.ts";
import { goTo, pageStatusOf, pageUrlOf, show, type Visit, visitOf } from "./visit.ts";
import { type Problem, problemOf } from "./words.ts";

/** The action of a decision on this page in the audit log. */
const PAIR_ANSWER = "pair/answer";

/** A visit with the session of its forms, the pairing code and the visitor. */
type Guest = Visit & { session: PageSession; code: string | undefined; holder: Holder | undefined };

/** Adds `/pair` and the URLs of its forms. A link's `app` is ignored: the code alone identifies the application. */
export function addPairing(server: FastifyInstance, app: Runtime, sessionKeyAt: SessionKeyAt): void {
  const withHolder = async (visit: Visit, session: PageSession): Promise<Guest> => {
    const holder = await findHolder(app, session, sessionKeyAt(visit.request));
    return { ...visit, session, code: codeOf(visit), holder };
  };
  server.get("/pair", async (request, reply) => {
    const visit = visitOf(app, request, reply);
    return showStep(await withHolder(visit, await sessionOf(visit)));
  });
  server.get("/pair/done", (request, reply) => showResult(visitOf(app, request, reply)));
  const forms: Record<string, (guest: Guest) => Promise<FastifyReply>> = {
    "/pair/phone": takePhone,
    "/pair/otp": takeOtp,
    "/pair/answer": takeAnswer,
    "/pair/restart": restart,
  };
  for (const [path, take] of Object.entries(forms)) {
    server.post(path, async (request, reply) => {
      const visit = visitOf(app, request, reply);
      const session = await readSession(app, request);
      const isLive = session !== undefined && session.at !== "ended";
      const isOwn = isLive && isOwnForm(app, request, session, visit.fields.csrf);
      if (isOwn) return take(await withHolder(visit, session));
      return goAfter(visit, path, session) ?? showStale(visit);
    });
    // A reloaded page or a bookmark arrives here by GET; the form's URL has no page of its own.
    server.get(path, async (request, reply) => {
      const visit = visitOf(app, request, reply);
      return goTo(visit, hereOf(visit, codeOf(visit)));
    });
  }
}

/**
 * Answers a form that was submitted twice. The second submission has the cookie of the next step, which does not have
 * this form. It changes nothing and shows that step.
 */
function goAfter(visit: Visit, path: string, session: PageSession | undefined): FastifyReply | undefined {
  const code = codeOf(visit);
  if (path === "/pair/otp" && session?.at === "known") return goTo(visit, hereOf(visit, code));
  const isDone = session?.at === "ended" || (session?.at === "done" && session.code === code);
  if (path === "/pair/answer" && isDone) return goTo(visit, pageUrlOf(visit, "/pair/done"));
  return undefined;
}

/** Returns the visitor's session; creates one, with its cookie, if there is none. */
async function sessionOf({ app, request, reply }: Visit): Promise<PageSession> {
  const before = await readSession(app, request);
  if (before !== undefined && before.at !== "ended") return before;
  const session = newSession(app, { at: "fresh" });
  keepSession(app, reply, session);
  return session;
}

function codeOf({ fields }: Visit): string | undefined {
  const code = normaliseCode(fields.code ?? "");
  return isPairingCode(code) ? code : undefined;
}

function hereOf(visit: Visit, code: string | undefined): string {
  return pageUrlOf(visit, "/pair", { code, company: visit.fields.company });
}

/** The URL of the current page, without a language. */
function switchable(guest: Pick<Guest, "fields" | "code">): string {
  const { code, fields } = guest;
  return pageUrlOf({ fields: {} }, "/pair", { code, company: fields.company });
}

function partsOf(guest: Guest, problem?: Problem) {
  const { app, t, fields, code, session, holder } = guest;
  const carried = { code, company: fields.company, lang: fields.lang, csrf: formToken(app, session) };
  return { t, carried, problem, isFirst: session.at !== "known" && holder?.isFresh === true };
}

/** Shows the visitor's current step. */
async function showStep(guest: Guest): Promise<FastifyReply> {
  const { app, t, fields, session, code, holder } = guest;
  const here = switchable(guest);
  // A code is looked up, and a wrong one counted, only if our own form submits it, not a link on another site.
  const isPushed = holder?.isFresh === true && guest.request.headers["sec-fetch-site"] === "cross-site";
  if (code === undefined || isPushed) {
    const isWrong = !isPushed && (fields.code ?? "").trim() !== "";
    const problem = isWrong
      ? {
          field: "code",
          sentence: t(
            "Un code comporte 10 lettres et chiffres, sans I, L, O, 0 ni 1.",
            "A code has 10 letters and digits, without I, L, O, 0 or 1.",
          ),
        }
      : undefined;
    return show(guest, isWrong ? 400 : 200, here, codeView(partsOf(guest, problem), fields.code));
  }
  if (session.at === "asked") return show(guest, 200, here, otpStep(guest, session.phone));
  if (!holder?.isFresh)
    return show(guest, 200, here, phoneView(partsOf(guest), holder && `+${holder.phone}`));
  const { companies: all, phone } = holder;
  if (all.length === 0) return show(guest, 200, here, phoneView(partsOf(guest), undefined));
  const companies = all.filter(mayConnect);
  if (companies.length === 0) return show(guest, 403, here, notOwnerView(partsOf(guest), all, phone));
  const company = chosenOf(guest, companies);
  if (!company) return show(guest, 200, here, companyView(partsOf(guest), companies));
  const details = await app.database.transaction((tx) => readPairing(tx, app, company, code));
  if (details instanceof Refusal) return showCodeRefusal(guest, details);
  return showReview(guest, { companies, company, details, phone });
}

function otpStep(guest: Guest, phone: string, problem?: Problem) {
  return otpView(partsOf(guest, problem), phone, lifetimeMinutes(guest.app));
}

/** The company that was chosen, or the only one. */
function chosenOf({ fields }: Visit, companies: readonly CompanyOfPhone[]): CompanyOfPhone | undefined {
  if (companies.length === 1) return companies[0];
  return companies.find(({ companyId }) => companyId === fields.company);
}

type Reviewed = {
  companies: readonly CompanyOfPhone[];
  company: CompanyOfPhone;
  details: PairingDetails;
  phone: string;
};

function showReview(guest: Guest, reviewed: Reviewed, refusal?: Refusal): FastifyReply {
  const { t, fields } = guest;
  const code = guest.code!;
  const { companies, company, details, phone } = reviewed;
  const changeUrl = companies.length > 1 ? pageUrlOf(guest, "/pair", { code }) : undefined;
  const problem = refusal && problemOf(t, refusal, "sender");
  const review = { details, code, phone, company, changeUrl, senderId: fields.sender };
  const status = refusal ? pageStatusOf(guest, refusal) : 200;
  return show(guest, status, switchable(guest), reviewView(partsOf(guest, problem), review));
}

/** Shows a wrong or expired code, with a field to enter another one. */
function showCodeRefusal(guest: Guest, refusal: Refusal): FastifyReply {
  const problem = problemOf(guest.t, refusal, "code");
  if (!problem) throw refusal;
  const view = codeView(partsOf(guest, problem), guest.code);
  return show(guest, pageStatusOf(guest, refusal), switchable(guest), view);
}

/** Refuses a form that is too old or comes from another site: it changes nothing and reveals nothing. */
function showStale(visit: Visit): FastifyReply {
  const { t } = visit;
  const code = codeOf(visit);
  return show(visit, 403, switchable({ ...visit, code }), {
    title: t("Cette page a expiré", "This page has expired"),
    body: html`<p class="lead">${t(
      "Pour votre sécurité, une page ouverte depuis plus de 15 minutes ou provenant d’un autre site n’est plus acceptée. Les cookies doivent être autorisés.",
      "For your security, a page that was opened more than 15 minutes ago or that comes from another site is no longer accepted. Cookies must be allowed.",
    )}</p><p><a class="main" href="${hereOf(visit, code)}">${t("Recommencer", "Start again")}</a></p>`,
  });
}

async function takePhone(guest: Guest): Promise<FastifyReply> {
  const { app, t, request, lang, session, fields } = guest;
  const phone = fields.phone ?? "";
  const asked = { request, phone, language: lang, sessionId: session.id };
  const answer = await answerOnce(app, ["phone", session.id, phone], () => askCode(app, asked));
  if (!(answer instanceof Refusal)) return goOn(guest, answer);
  const problem = problemOf(t, answer, "phone");
  if (!problem) throw answer;
  // After a refusal because codes were requested too often, the code sent before is still valid.
  const view =
    session.at === "asked"
      ? otpStep(guest, session.phone, problem)
      : phoneView(partsOf(guest, problem), phone);
  return show(guest, pageStatusOf(guest, answer), switchable(guest), view);
}

/** Stores the session in its cookie, and shows its current step. */
function goOn(guest: Guest, session: PageSession, url = hereOf(guest, guest.code)): FastifyReply {
  keepSession(guest.app, guest.reply, session);
  return goTo(guest, url);
}

async function takeOtp(guest: Guest): Promise<FastifyReply> {
  const { app, t, request, reply, session, fields } = guest;
  if (session.at !== "asked") return goTo(guest, hereOf(guest, guest.code));
  const guess = { request, otp: fields.otp ?? "" };
  const { phone, token } = session;
  const answer = await answerOnce(app, ["otp", token, guess.otp], () => checkCode(app, session, guess));
  if (!(answer instanceof Refusal)) {
    // The session comes first, for clients that read only one cookie of a response.
    keepSession(app, reply, answer);
    keepKnownBrowser(app, request, reply, phone);
    return goTo(guest, hereOf(guest, guest.code));
  }
  const problem = problemOf(t, answer, "otp");
  if (!problem) throw answer;
  return show(guest, pageStatusOf(guest, answer), switchable(guest), otpStep(guest, phone, problem));
}

async function restart(guest: Guest): Promise<FastifyReply> {
  await endSession(guest.app, guest.session);
  return goOn(guest, newSession(guest.app, { at: "other" }));
}

async function takeAnswer(guest: Guest): Promise<FastifyReply> {
  const { app, session, fields, code, holder } = guest;
  const approves = fields.answer === "approve";
  if (!holder?.isFresh || code === undefined || !(approves || fields.answer === "refuse"))
    return showStale(guest);
  const { sessionId, phone } = holder;
  const companies = holder.companies.filter(mayConnect);
  // A visitor who has lost the role since the page was shown is told so.
  if (companies.length === 0) return showStep(guest);
  const company = chosenOf(guest, companies);
  if (!company) return showStale(guest);
  const from = { sessionId, address: guest.request.ip, endpoint: PAIR_ANSWER };
  const actor = {
    by: { kind: "user" as const, id: company.userId, keyId: null, ...from },
    companyId: company.companyId,
  };
  const asked = { code, company, senderId: fields.sender };
  const what = ["answer", session.id, company.companyId, code, String(fields.answer), fields.sender ?? ""];
  const outcome = await refusalOf(
    runPatiently(app, what, async (tx) => {
      const decided = await (approves ? approve(tx, app, asked) : deny(tx, app, asked));
      const on = { kind: "pairing", id: null };
      if (!(decided instanceof Refusal))
        await auditIn(tx, app, { actor, on, before: null, after: { ...decided, senderId: fields.sender } });
      return decided;
    }),
  );
  announceEvents(app);
  if (!(outcome instanceof Refusal)) {
    await endSession(app, session);
    return goOn(
      guest,
      newSession(app, { at: "done", code, outcome, ofConsole: sessionId !== null }),
      pageUrlOf(guest, "/pair/done"),
    );
  }
  const problem = problemOf(guest.t, outcome, "sender");
  if (!problem || outcome.code === "pairing-code-invalid" || outcome.code === "too-many-requests")
    return showCodeRefusal(guest, outcome);
  // The pairing is still pending, so the decision is shown again with the current choices.
  const details = await app.database.transaction((tx) => readPairing(tx, app, company, code));
  if (details instanceof Refusal) return showCodeRefusal(guest, details);
  return showReview(guest, { companies, company, details, phone }, outcome);
}

type Decision = { code: string; company: CompanyOfPhone; senderId: string | undefined };

async function approve(
  tx: Tx,
  app: Runtime,
  { code, company, senderId }: Decision,
): Promise<PairingOutcome | Refusal> {
  const details = await readPairing(tx, app, company, code);
  if (details instanceof Refusal) return details;
  // Without a sender, the page offers none. Otherwise the form always has a value, so a missing sender means none.
  const chosen = senderId === undefined || senderId === "none" ? null : senderId;
  const paired = await confirmPairing(tx, app, company, code, chosen);
  if (paired instanceof Refusal) return paired;
  return {
    approved: true,
    appName: details.app.name,
    companyName: company.companyName,
    senderAssigned: paired.senderAssigned,
  };
}

async function deny(tx: Tx, app: Runtime, { code, company }: Decision): Promise<PairingOutcome | Refusal> {
  const details = await readPairing(tx, app, company, code);
  if (details instanceof Refusal) return details;
  const denied = await denyPairing(tx, app, company, code);
  if (denied instanceof Refusal) return denied;
  const { companyName } = company;
  return { approved: false, appName: details.app.name, companyName, senderAssigned: false };
}

/** The result has a URL of its own: reloading it submits nothing again. */
async function showResult(visit: Visit): Promise<FastifyReply> {
  const { app, request, t } = visit;
  const session = await readSession(app, request);
  if (session?.at !== "done") return goTo(visit, pageUrlOf(visit, "/pair"));
  return show(visit, 200, "/pair/done", doneView(t, session.outcome, session.ofConsole));
}
