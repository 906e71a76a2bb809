// The guard of one-time passwords: which accounts it stops or watches, by which rule, and allowing their codes again.
import { nowMs } from "../../../platform/clock.ts";
import { html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { formButton, linkButton } from "../parts/forms.ts";
import { listPart } from "../parts/lists.ts";
import { actions, badge, doneNotice, type Tone } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { companyNames, mayAdminister } from "./admin.ts";

export function addAdminGuard(screens: Screens): void {
  screens.page("/admin/guard", list);
  screens.question("/admin/guard/:id/allow", confirmAllow, {
    call: (visit) => visit.callAsAdmin("/v1/admin/otp/allow", { accountId: visit.id }),
    next: "/admin/guard?done=allowed",
  });
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
    country: visit.t("Trop de codes vers un même pays", "Too many codes to one country"),
    prefix: visit.t("Trop de codes vers des numéros voisins", "Too many codes to neighboring numbers"),
    unroutable: visit.t("Numéros sans opérateur", "Numbers without an operator"),
    "unknown-token": visit.t("Tentatives sur des codes inexistants", "Attempts with nonexistent codes"),
    "low-share": visit.t("Peu de codes vérifiés", "Few codes verified"),
    stopped: visit.t("Numéros bloqués", "Blocked numbers"),
  };
  return words[rule];
}

async function list(visit: Visit): Promise<View> {
  const companyId = visit.field("companyId");
  const wanted = { limit: SHOWN, ...(companyId && { companyId }) };
  const listed = await visit.listedAsAdmin("/v1/admin/otp/guard", wanted);
  const names = await companyNames(
    visit,
    listed.data.map(({ accountId }) => accountId),
  );
  const title = visit.t("Garde des codes", "Code guard");
  return {
    title,
    body: html`${doneNotice(visit, { allowed: visit.t("Ce compte peut de nouveau envoyer des codes. La garde ne tient compte que de ses prochains envois.", "This account can send codes again. The guard considers only the codes that it sends from now on.") })}
<p class="lead">${visit.t(
      "Des fraudeurs font envoyer des codes vers des numéros qui leur rapportent de l’argent. La garde bloque ces envois. Cette page liste ce qu’elle a refusé ou signalé.",
      "Fraudsters request codes for numbers that earn them money. The guard blocks these codes. This page lists what it refused or flagged.",
    )}</p>
${listPart(visit, listed, {
  title,
  columns: [
    [
      visit.t("Compte", "Account"),
      ({ accountId }) =>
        names.has(accountId)
          ? html`<a href="/admin/companies/${accountId}">${names.get(accountId)}</a>`
          : visit.t("Utilisateur ou application", "User or application"),
    ],
    [visit.t("Règle", "Rule"), ({ rule }) => badge(TONES[rule], ruleWord(visit, rule))],
    [
      visit.t("Destination", "Destination"),
      ({ destination }) => (/^\d/.test(destination) ? `+${destination}…` : destination),
    ],
    [visit.t("Nombre", "Count"), ({ count }) => visit.formats.number(count), "figure"],
    [visit.t("Dernière fois", "Last time"), ({ lastAt }) => visit.formats.ago(lastAt, nowMs())],
    [
      visit.t("Action", "Action"),
      ({ accountId }) =>
        mayAdminister(visit, "govern") &&
        html`<a href="/admin/guard/${accountId}/allow">${visit.t("Réautoriser", "Allow again")}</a>`,
    ],
  ],
  url: "/admin/guard",
  filters: { companyId },
  none: [
    visit.t("Rien à signaler", "Nothing to report"),
    visit.t("La garde n’a rien refusé ni signalé.", "The guard has not refused or flagged anything."),
  ],
})}`,
  };
}

async function confirmAllow(visit: Visit): Promise<View> {
  const id = visit.id;
  const name = (await companyNames(visit, [id])).get(id) ?? visit.t("ce compte", "this account");
  return {
    title: visit.t(`Réautoriser les codes de ${name} ?`, `Allow codes from ${name} again?`),
    narrow: true,
    back: { href: "/admin/guard", text: visit.t("Garde des codes", "Code guard") },
    body: html`<p>${visit.t(
      "Confirmez seulement si vous savez que les envois de ce compte sont légitimes. Ses blocages seront levés, et la garde ne tiendra compte que de ses prochains envois.",
      "Confirm only if you know that this account’s codes are legitimate. Its blocks are lifted, and the guard considers only the codes that it sends from now on.",
    )}</p>
${actions([
  formButton(visit, `/admin/guard/${id}/allow`, visit.t("Réautoriser", "Allow again"), { kind: "main" }),
  linkButton("/admin/guard", visit.t("Annuler", "Cancel"), "plain"),
])}`,
  };
}
