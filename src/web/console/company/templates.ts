// Templates: texts that a company uses again.
import { type Html, html } from "../../../platform/http/html.ts";
import { savingOf } from "../../../protocol/sms/estimate.ts";
import type { Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, field, form, formButton, linkButton, textArea } from "../parts/forms.ts";
import { type Column, tableSection } from "../parts/lists.ts";
import { section } from "../parts/parts.ts";
import { mayCompose } from "../parts/roles.ts";
import { savingSentence } from "../parts/savings.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { savingWords } from "./prices.ts";

type Template = Data<"/v1/campaign/template/list">[number];

export function addTemplates(screens: Screens): void {
  screens.pageAndForm("/campaigns/templates", list, create);
  screens.form("/campaigns/templates/:id/use", use);
  screens.pageAndForm("/campaigns/templates/:id/delete", confirmDelete, remove);
}

async function list(visit: Visit): Promise<View> {
  const { data } = await visit.call("/v1/campaign/template/list", { limit: 100 });
  const title = visit.t("Modèles", "Templates");
  return {
    title,
    back: { href: "/campaigns", text: visit.t("Campagnes", "Campaigns") },
    body: html`${
      data.length > 0 &&
      tableSection(
        title,
        [
          [visit.t("Nom", "Name"), ({ name }) => name],
          [visit.t("Texte", "Text"), ({ text }) => textCell(visit, text)],
          mayCompose(visit) && actionsColumn(visit),
        ],
        data,
      )
    }
${mayCompose(visit) && newPart(visit)}`,
  };
}

/** The text, and the saving of other characters in each message. */
function textCell(visit: Visit, text: string): Html {
  const saving = savingOf(text);
  if (saving === undefined) return html`${text}`;
  const [before, after] = [visit.formats.number(saving.before), visit.formats.number(saving.after)];
  const words = savingSentence(savingWords(visit), saving, { before, after });
  return html`<span>${text}<br><small>${words}</small></span>`;
}

function actionsColumn(visit: Visit): Column<{ id: string }> {
  return [
    "",
    ({ id }) =>
      html`<div class="actions">${formButton(visit, `/campaigns/templates/${id}/use`, visit.t("Utiliser", "Use"))}${linkButton(`/campaigns/templates/${id}/delete`, visit.t("Supprimer", "Delete"), "plain")}</div>`,
  ];
}

function newPart(visit: Visit): Html {
  return section(visit.t("Nouveau modèle", "New template"), [
    form(visit, "/campaigns/templates", [
      field(visit, "name", visit.t("Nom", "Name"), { attributes: html`maxlength="200"` }),
      textArea(visit, "text", visit.t("Texte", "Text")),
      button(visit.t("Enregistrer", "Save")),
    ]),
  ]);
}

async function create(visit: Visit): Promise<View | Redirect> {
  const [name, text] = [visit.field("name"), visit.field("text")];
  const calling = visit.call("/v1/campaign/template/create", { name, text });
  return visit.submit(calling, list, "/campaigns/templates");
}

async function use(visit: Visit): Promise<Redirect> {
  const template = await find(visit);
  if (!template) return new Redirect("/campaigns/templates");
  const { data: draft } = await visit.call("/v1/campaign/draft/save", {
    name: template.name,
    text: template.text,
  });
  return new Redirect(`/campaigns/drafts/${draft.id}/recipients`);
}

/** The template in the page's URL. The API lists templates, and cannot read one by its id. */
async function find(visit: Visit): Promise<Template | undefined> {
  const { data } = await visit.call("/v1/campaign/template/list", { limit: 100 });
  return data.find(({ id }) => id === visit.id);
}

async function confirmDelete(visit: Visit): Promise<View | Redirect> {
  const template = await find(visit);
  if (!template) return new Redirect("/campaigns/templates");
  const { name } = template;
  return confirmView(visit, {
    title: visit.t(`Supprimer le modèle « ${name} » ?`, `Delete the template “${name}”?`),
    back: { href: "/campaigns/templates", text: visit.t("Modèles", "Templates") },
    text: visit.t(
      "Le texte sera supprimé. Les campagnes qui l’ont utilisé conservent le leur.",
      "The text will be deleted. Campaigns that used it keep theirs.",
    ),
    yes: visit.t("Supprimer le modèle", "Delete template"),
  });
}

async function remove(visit: Visit): Promise<Redirect> {
  await visit.call("/v1/campaign/template/{id}/delete");
  return new Redirect("/campaigns/templates");
}
