// The guard of one-time passwords: which accounts it stops or watches and by which rule, and letting their codes go again.
import { nowMs } from "../kernel/clock.ts";
import { html } from "../kernel/html.ts";
import { ADMINISTRATION, companyNames, mayAdminister } from "./admin.ts";
import type { Data } from "./ask.ts";
import { formButton, linkButton } from "./forms.ts";
import { actions, badge, doneNotice, empty, pager, section, type Tone, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

export function addAdminGuard(screens: Screens): void {
  screens.page("/admin/guard", list, ADMINISTRATION);
  screens.page("/admin/guard/:id/allow", (visit) => confirmAllow(visit), ADMINISTRATION);
  screens.form("/admin/guard/:id/allow", allow, ADMINISTRATION);
}

type Refusal = Data<"/v1/admin/otp/guard">[number];

const SHOWN = 25;

const TONES: Readonly<Record<Refusal["rule"], Tone>> = {
  country: "wrong",
  prefix: "wrong",
  unroutable: "wait",
  "unknown-token": "wait",
  "low-share": "note",
  stopped: "wrong",
};

function ruleWord(visit: Visit, rule: Refusal["rule"]): string {
  const words: Record<Refusal["rule"], string> = {
    country: visit.t("Trop de codes vers un pays", "Too many codes to a country"),
    prefix: visit.t("Trop de codes vers des numéros voisins", "Too many codes to neighbouring numbers"),
    unroutable: visit.t("Numéros que personne ne sert", "Numbers that nobody serves"),
    "unknown-token": visit.t("Codes devinés au hasard", "Guesses at codes that never were"),
    "low-share": visit.t("Peu de codes sont vérifiés", "Few codes are verified"),
    stopped: visit.t("Numéros arrêtés", "Numbers that are stopped"),
  };
  return words[rule];
}

async function list(visit: Visit): Promise<View> {
  const companyId = visit.field("companyId");
  const wanted = { page: visit.page, limit: SHOWN, ...(companyId && { companyId }) };
  const listed = await visit.askAsAdministrator("/v1/admin/otp/guard", wanted);
  const names = await companyNames(
    visit,
    listed.data.map(({ accountId }) => accountId),
  );
  const { formats } = visit;
  const title = visit.t("Garde des codes", "Code guard");
  const url = companyId ? `/admin/guard?${new URLSearchParams({ companyId })}` : "/admin/guard";
  return {
    title,
    at: "guard",
    body: html`${doneNotice(visit, { allowed: visit.t("Ses codes repartent ; il est jugé par ceux qu’il envoie ensuite.", "Its codes go again; it is judged by those that it sends from now on.") })}
<p class="lead">${visit.t(
      "Des voleurs font envoyer des codes vers des numéros qui leur rapportent. La garde les arrête, et dit ici ce qu’elle a refusé ou remarqué.",
      "Thieves have codes sent to numbers that earn them money. The guard stops them, and says here what it refused or noticed.",
    )}</p>
${
  listed.data.length === 0
    ? empty(
        visit.t("Rien à signaler", "Nothing to report"),
        visit.t("La garde n’a rien refusé.", "The guard has refused nothing."),
      )
    : section(title, [
        table(
          title,
          [
            {
              head: visit.t("Compte", "Account"),
              cell: ({ accountId }) =>
                names.has(accountId)
                  ? html`<a href="/admin/companies/${accountId}">${names.get(accountId)}</a>`
                  : visit.t("Utilisateur ou application", "User or application"),
            },
            { head: visit.t("Règle", "Rule"), cell: ({ rule }) => badge(TONES[rule], ruleWord(visit, rule)) },
            {
              head: visit.t("Vers", "To"),
              cell: ({ destination }) => (/^\d/.test(destination) ? `+${destination}…` : destination),
            },
            { head: visit.t("Fois", "Times"), cell: ({ count }) => formats.number(count), isFigure: true },
            {
              head: visit.t("Dernière fois", "Last time"),
              cell: ({ lastAt }) => formats.ago(lastAt, nowMs()),
            },
            {
              head: visit.t("Geste", "Action"),
              cell: ({ accountId }) =>
                mayAdminister(visit, "govern") &&
                html`<a href="/admin/guard/${accountId}/allow">${visit.t("Laisser repartir", "Let go again")}</a>`,
            },
          ],
          listed.data,
        ),
        pager(visit, listed, url),
      ])
}`,
  };
}

async function confirmAllow(visit: Visit, problem?: Problem): Promise<View> {
  const id = visit.params.id!;
  const name = (await companyNames(visit, [id])).get(id) ?? visit.t("ce compte", "this account");
  return {
    title: visit.t(`Laisser repartir les codes de ${name} ?`, `Let the codes of ${name} go again?`),
    at: "guard",
    narrow: true,
    back: { href: "/admin/guard", text: visit.t("Garde des codes", "Code guard") },
    problem,
    body: html`<p>${visit.t(
      "Faites-le si vous savez que ses envois sont honnêtes. Ce qui a été arrêté ne l’est plus, et la garde le juge par ce qu’il envoie ensuite.",
      "Do so if you know that what it sends is honest. What was stopped is not any more, and the guard judges it by what it sends from now on.",
    )}</p>
${actions([
  formButton(visit, `/admin/guard/${id}/allow`, visit.t("Laisser repartir", "Let go again"), {
    kind: "main",
  }),
  linkButton("/admin/guard", visit.t("Ne rien changer", "Change nothing"), "plain"),
])}`,
  };
}

async function allow(visit: Visit): Promise<View | Redirect> {
  const accountId = visit.params.id!;
  const told = await visit.attempt(visit.askAsAdministrator("/v1/admin/otp/allow", { accountId }));
  return told instanceof Problem ? confirmAllow(visit, told) : new Redirect("/admin/guard?done=allowed");
}
