// One company: its balance, its last days, and the actions of an administrator.
import { randomUUID } from "node:crypto";
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { countryName, openCountriesWords } from "../parts/countries.ts";
import { button, check, field, form, formButton, linkButton, textArea } from "../parts/forms.ts";
import { actions, doneNotice, facts, figure, figures, notice, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { type CompanyShown, callForCompany, mayAdminister, numberField, phoneShown } from "./admin.ts";
import { companyState, keyView } from "./companies.ts";
import { daysChart } from "./days.ts";

export function addAdminCompany(screens: Screens): void {
  screens.page("/admin/companies/:id", show);
  screens.form("/admin/companies/:id/grant", grant);
  screens.form("/admin/companies/:id/sender", giveSender);
  screens.question("/admin/companies/:id/suspend", confirmSuspend, {
    call: (visit) => visit.callAsAdmin("/v1/admin/company/{id}/suspend", { reason: visit.field("reason") }),
    next: done("suspended"),
  });
  screens.form("/admin/companies/:id/resume", resume);
  screens.form("/admin/companies/:id/reseller", makeReseller);
  screens.question("/admin/companies/:id/reseller/end", confirmEndReseller, {
    call: (visit) => visit.callAsAdmin("/v1/admin/partner/{id}/disable"),
    next: done("ended"),
  });
  screens.pageAndForm("/admin/companies/:id/key", confirmKey, resetKey);
}

const DAYS_SHOWN = 14;

const urlOf = ({ id }: { id: string }) => `/admin/companies/${id}`;
const done = (what: string) => (visit: Visit) => `/admin/companies/${visit.id}?done=${what}`;

async function show(visit: Visit): Promise<View> {
  const [company, { data: open }] = await Promise.all([
    callForCompany(visit, visit.id),
    visit.callAsAdmin("/v1/admin/company/{id}/countries"),
  ]);
  const sentences = {
    granted: visit.t("Le solde a été mis à jour.", "The balance has been updated."),
    sender: visit.t(
      "L’expéditeur est accepté. L’entreprise peut l’utiliser.",
      "The sender is accepted. The company can use it.",
    ),
    changed: visit.t("Les modifications sont enregistrées.", "Changes saved."),
    suspended: visit.t("L’entreprise est suspendue.", "The company is suspended."),
    resumed: visit.t(
      "L’entreprise est réactivée. Ses messages en file d’attente vont être envoyés.",
      "The company is reactivated. Its queued messages will be sent.",
    ),
    reseller: visit.t("L’entreprise est maintenant revendeur.", "The company is now a reseller."),
    ended: visit.t("L’entreprise n’est plus revendeur.", "The company is no longer a reseller."),
  };
  return {
    title: company.name,
    back: { href: "/admin/companies", text: visit.t("Entreprises", "Companies") },
    body: html`${doneNotice(visit, sentences)}
<p>${companyState(visit, company)}</p>
${company.suspendedAt !== null && notice("wrong", suspensionSentence(visit, company.suspendedAt, company.suspensionReason))}
${figures([
  figure(visit.t("Solde", "Balance"), visit.formats.number(company.balance), visit.t("crédits", "credits")),
  figure(
    visit.t("Créée le", "Created"),
    visit.formats.shortDay(company.createdAt),
    visit.formats.ago(company.createdAt, nowMs()),
  ),
])}
<div class="columns wide-first">
<div class="stack">
${await daysChart(visit, DAYS_SHOWN, { companyId: company.id })}
${mayAdminister(visit, "account") && grantPart(visit, company)}
${mayAdminister(visit, "review") && senderPart(visit, company)}
</div>
<div class="stack">
${factsPart(visit, company)}
${countriesPart(visit, company, open)}
${otherPart(visit, company)}
</div>
</div>`,
  };
}

function suspensionSentence(visit: Visit, suspendedAt: string, suspensionReason: string | null): string {
  const since = visit.formats.moment(suspendedAt);
  const why =
    suspensionReason === null ? "" : visit.t(` Motif : ${suspensionReason}`, ` Reason: ${suspensionReason}`);
  return `${visit.t(`Suspendue depuis le ${since}.`, `Suspended since ${since}.`)}${why}`;
}

function factsPart(visit: Visit, company: CompanyShown): Html {
  const title = visit.t("Informations", "Details");
  const body = facts([
    [visit.t("Propriétaire", "Owner"), company.ownerName ?? "–"],
    [
      visit.t("Téléphone", "Phone"),
      company.ownerPhone === null ? "–" : phoneShown(visit, company.ownerPhone),
    ],
    [visit.t("E-mail", "Email"), company.ownerEmail ?? "–"],
    [visit.t("Pays", "Country"), countryName(visit, company.country)],
    [visit.t("Langue", "Language"), company.language === "fr" ? "Français" : "English"],
    [visit.t("Limite d’expéditeurs", "Sender limit"), visit.formats.number(company.senderLimit)],
  ]);
  const link = html`<a href="${urlOf(company)}/edit">${visit.t("Modifier", "Edit")}</a>`;
  return section(title, body, mayAdminister(visit, "govern") ? link : undefined);
}

function countriesPart(visit: Visit, company: CompanyShown, open: Data<"/v1/company/countries">): Html {
  const link = html`<a href="${urlOf(company)}/countries">${visit.t("Modifier", "Edit")}</a>`;
  return section(
    visit.t("Pays ouverts", "Open countries"),
    html`<p>${openCountriesWords(visit, open)}</p>`,
    mayAdminister(visit, "govern") ? link : undefined,
  );
}

function grantPart(visit: Visit, company: CompanyShown): Html {
  return section(visit.t("Attribuer des crédits", "Grant credits"), [
    form(
      visit,
      { action: `${urlOf(company)}/grant`, members: { key: visit.typed("key", "") || randomUUID() } },
      [
        field(visit, "credit", visit.t("Crédits", "Credits"), {
          hint: visit.t(
            "Pour une correction, saisissez un nombre négatif, par exemple -100.",
            "To make a correction, enter a negative number, such as -100.",
          ),
          attributes: html`class="short" inputmode="text" autocomplete="off" maxlength="14"`,
        }),
        field(visit, "grantReason", visit.t("Motif", "Reason"), {
          hint: visit.t(
            "L’entreprise voit ce motif sur son relevé.",
            "The company sees this reason on its statement.",
          ),
          attributes: html`maxlength="200"`,
        }),
        button(visit.t("Attribuer des crédits", "Grant credits")),
      ],
    ),
  ]);
}

async function grant(visit: Visit): Promise<View | Redirect> {
  const [companyId, reason] = [visit.id, visit.field("grantReason")];
  const credit = numberField(visit, "credit") ?? 0;
  const granting = visit.callAsAdmin("/v1/admin/credit/grant", {
    ...{ companyId, credit, reason },
    idempotencyKey: visit.field("key"),
  });
  const next = ({ data }: Awaited<typeof granting>) =>
    data.confirmation ? "/admin/grants?done=waiting" : done("granted")(visit);
  return visit.submit(granting, show, next, { reason: "grantReason" });
}

function senderPart(visit: Visit, company: CompanyShown): Html {
  return html`<section><details${visit.problem?.isAt("sender") && html` open`}><summary>${visit.t("Ajouter un expéditeur déjà accepté", "Add an already accepted sender")}</summary>${form(
    visit,
    `${urlOf(company)}/sender`,
    [
      field(visit, "sender", visit.t("Expéditeur", "Sender"), {
        hint: visit.t(
          "1 à 11 caractères, affichés sur les téléphones.",
          "1 to 11 characters, shown on handsets.",
        ),
        attributes: html`class="short" maxlength="11" autocomplete="off"`,
      }),
      field(visit, "description", visit.t("Usage prévu", "Intended use"), {
        attributes: html`maxlength="500"`,
      }),
      button(visit.t("Ajouter l’expéditeur", "Add sender"), "second"),
    ],
  )}</details></section>`;
}

async function giveSender(visit: Visit): Promise<View | Redirect> {
  const [companyId, name, description] = [visit.id, visit.field("sender"), visit.field("description")];
  const calling = visit.callAsAdmin("/v1/admin/sender/create", { companyId, name, description });
  return visit.submit(calling, show, done("sender")(visit), { name: "sender" });
}

function otherPart(visit: Visit, company: CompanyShown): Html {
  const url = urlOf(company);
  const query = new URLSearchParams({ companyId: company.id });
  return section(visit.t("Autres actions", "Other actions"), [
    actions([
      html`<a href="/admin/audit?${query}">${visit.t("Journal d’audit", "Audit log")}</a>`,
      html`<a href="/admin/offers?${query}">${visit.t("Recharges", "Top-ups")}</a>`,
      html`<a href="/admin/guard?${query}">${visit.t("Garde des codes", "Code guard")}</a>`,
    ]),
    mayAdminister(visit, "account") &&
      actions([
        company.partner
          ? linkButton(
              `${url}/reseller/end`,
              visit.t("Désactiver le rôle de revendeur", "Disable reseller role"),
              "second",
            )
          : formButton(
              visit,
              `${url}/reseller`,
              visit.t("Activer le rôle de revendeur", "Enable reseller role"),
            ),
      ]),
    mayAdminister(visit, "govern") &&
      actions([
        linkButton(`${url}/key`, visit.t("Nouvelle clé API (apiKey)", "New API key (apiKey)"), "second"),
        company.suspendedAt === null
          ? linkButton(`${url}/suspend`, visit.t("Suspendre", "Suspend"), "danger")
          : formButton(visit, `${url}/resume`, visit.t("Réactiver", "Reactivate"), { kind: "main" }),
      ]),
  ]);
}

async function questionView(
  visit: Visit,
  of: (company: CompanyShown) => { title: string; sentence: string; body: Html },
): Promise<View> {
  const company = await callForCompany(visit, visit.id);
  const { title, sentence, body } = of(company);
  return {
    title,
    narrow: true,
    back: { href: urlOf(company), text: company.name },
    body: html`<p>${sentence}</p>${body}`,
  };
}

const cancelLink = (visit: Visit, company: CompanyShown) =>
  linkButton(urlOf(company), visit.t("Annuler", "Cancel"), "plain");

function confirmSuspend(visit: Visit): Promise<View> {
  return questionView(visit, (company) => ({
    title: visit.t(`Suspendre ${company.name} ?`, `Suspend ${company.name}?`),
    sentence: visit.t(
      "Toutes ses requêtes seront refusées immédiatement. Ses messages resteront en file d’attente. Vous pourrez réactiver l’entreprise.",
      "All its requests will be refused immediately. Its messages will stay in the queue. You can reactivate the company later.",
    ),
    body: form(visit, `${urlOf(company)}/suspend`, [
      textArea(visit, "reason", visit.t("Motif", "Reason"), {
        hint: visit.t(
          "Visible uniquement par les administrateurs. L’entreprise ne le voit pas.",
          "Visible to administrators only. The company does not see it.",
        ),
        attributes: html`maxlength="200"`,
        rows: 3,
      }),
      actions([button(visit.t("Suspendre", "Suspend"), "danger"), cancelLink(visit, company)]),
    ]),
  }));
}

async function resume(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/company/{id}/resume");
  return visit.submit(calling, show, done("resumed")(visit));
}

async function makeReseller(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/partner/enable", { companyId: visit.id });
  return visit.submit(calling, show, done("reseller")(visit));
}

function confirmEndReseller(visit: Visit): Promise<View> {
  return questionView(visit, (company) => ({
    title: visit.t(
      `Désactiver le rôle de revendeur de ${company.name} ?`,
      `Disable the reseller role of ${company.name}?`,
    ),
    sentence: visit.t(
      "Sa clé de serveur cesse de fonctionner immédiatement. Ses clients conservent leurs crédits.",
      "Its server key stops working immediately. Its customers keep their credits.",
    ),
    body: actions([
      formButton(visit, `${urlOf(company)}/reseller/end`, visit.t("Désactiver le rôle", "Disable role"), {
        kind: "danger",
      }),
      cancelLink(visit, company),
    ]),
  }));
}

function confirmKey(visit: Visit): Promise<View> {
  return questionView(visit, (company) => ({
    title: visit.t(`Créer une nouvelle clé pour ${company.name} ?`, `Create a new key for ${company.name}?`),
    sentence: visit.t(
      "L’ancienne clé du propriétaire cesse de fonctionner immédiatement. Les programmes qui l’utilisent perdent l’accès tant qu’ils n’ont pas la nouvelle clé.",
      "The owner’s old key stops working immediately. Programs that use it lose access until they have the new key.",
    ),
    body: form(visit, `${urlOf(company)}/key`, [
      check(
        "all",
        visit.t(
          "Révoquer aussi toutes les autres clés de l’entreprise",
          "Also revoke all other keys of the company",
        ),
        {
          hint: visit.t(
            "En cas de vol : aucune clé dérobée ne fonctionne plus.",
            "In case of theft: no stolen key works any longer.",
          ),
          value: visit.field("all"),
        },
      ),
      actions([
        button(visit.t("Créer une nouvelle clé", "Create new key"), "danger"),
        cancelLink(visit, company),
      ]),
    ]),
  }));
}

async function resetKey(visit: Visit): Promise<View | Redirect> {
  const calling = visit.callAsAdmin("/v1/admin/company/{id}/key/reset", {
    all: visit.field("all") === "yes",
  });
  return visit.submit(calling, confirmKey, async ({ data }) => {
    const { name } = await callForCompany(visit, visit.id);
    return keyView(visit, { ...data, name });
  });
}
