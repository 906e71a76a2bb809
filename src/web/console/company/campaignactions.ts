// The actions on a campaign: reschedule it, send it again, download its report.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, form, linkButton } from "../parts/forms.ts";
import { icon } from "../parts/icons.ts";
import { doneNotice, progress, remark } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { stepUrl } from "./drafts.ts";
import { dateFields, dateIn, nightNotice, TIME_FIELDS, weekFields, weekIn } from "./when.ts";

export function addCampaignActions(screens: Screens): void {
  screens.pageAndForm("/campaigns/:id/reschedule", reschedule, takeTimes);
  screens.form("/campaigns/:id/toggle-enable", toggle);
  screens.form("/campaigns/:id/duplicate", duplicate);
  screens.form("/campaigns/:id/export", beginExport);
  screens.page("/campaigns/:id/export/:exportId", exported);
  screens.page("/campaigns/:id/export/:exportId/live", liveExport);
}

async function reschedule(visit: Visit): Promise<View> {
  const id = visit.id;
  const { data: campaign } = await visit.call("/v1/campaign/{id}", { id });
  const isRecurring = campaign.type === "RECURRING";
  return {
    title: visit.t("Reprogrammer la campagne", "Reschedule campaign"),
    narrow: true,
    back: { href: `/campaigns/${id}`, text: campaign.name },
    body: form(visit, `/campaigns/${id}/reschedule`, [
      isRecurring ? weekFields(visit, campaign.recurring) : dateFields(visit, campaign.scheduledDate),
      button(visit.t("Enregistrer", "Save")),
    ]),
  };
}

async function takeTimes(visit: Visit): Promise<View | Redirect> {
  const id = visit.id;
  const { data: campaign } = await visit.call("/v1/campaign/{id}", { id });
  const given = campaign.type === "RECURRING" ? weekIn(visit) : dateIn(visit);
  if (given instanceof Problem) return reschedule(visit.with(given));
  const { type: _, ...times } = given;
  const moved = visit.call("/v1/campaign/{id}/reschedule", { id, ...times });
  return visit.submit(moved, reschedule, `/campaigns/${id}?done=moved`, TIME_FIELDS);
}

/** Renders what the page of a campaign says after an action on it. */
export function arrivalPart(visit: Visit, campaign: Data<"/v1/campaign/{id}">): Html {
  return html`${doneNotice(visit, {
    moved: visit.t("Campagne reprogrammée.", "Campaign rescheduled."),
    paused: visit.t(
      "Campagne suspendue. Aucun message n’est envoyé tant que vous ne la reprenez pas.",
      "Campaign paused. No messages are sent until you resume it.",
    ),
    resumed: visit.t(
      "Campagne reprise, à partir de la prochaine occurrence.",
      "Campaign resumed, starting with the next occurrence.",
    ),
    sent: visit.t(
      "Ce brouillon a déjà été envoyé. Voici sa campagne.",
      "This draft was already sent. This is its campaign.",
    ),
  })}
${visit.field("done") === "moved" && nightNotice(visit, campaign)}`;
}

async function toggle(visit: Visit): Promise<Redirect> {
  const { data } = await visit.call("/v1/campaign/{id}/toggle-enable");
  return new Redirect(`/campaigns/${visit.id}?done=${data.isEnabled ? "resumed" : "paused"}`);
}

async function duplicate(visit: Visit): Promise<Redirect> {
  const { data: draft } = await visit.call("/v1/campaign/{id}/duplicate");
  return new Redirect(stepUrl(draft.id, "message"));
}

async function beginExport(visit: Visit): Promise<Redirect> {
  const { data } = await visit.call("/v1/campaign/{id}/export");
  return new Redirect(`/campaigns/${visit.id}/export/${data.exportId}`);
}

async function exported(visit: Visit): Promise<View> {
  const [id, exportId] = [visit.id, visit.param("exportId")];
  const { data } = await visit.call("/v1/campaign/export/{exportId}");
  return {
    title: visit.t("Rapport CSV", "CSV report"),
    narrow: true,
    back: { href: `/campaigns/${id}`, text: visit.t("Campagne", "Campaign") },
    islands: data.status === "RUNNING" ? ["live"] : [],
    body: html`<div class="stack" data-live="/campaigns/${id}/export/${exportId}/live">${exportPart(visit, data)}</div>
${data.status === "RUNNING" && html`<noscript><p><a href="">${visit.t("Actualiser l’avancement", "Refresh progress")}</a></p></noscript>`}`,
  };
}

async function liveExport(visit: Visit): Promise<Fragment> {
  const { data } = await visit.call("/v1/campaign/export/{exportId}");
  return new Fragment(exportPart(visit, data), data.status !== "RUNNING");
}

/** The progress of a file, or, when it is ready, the link to it, which expires. */
function exportPart(visit: Visit, file: Data<"/v1/campaign/export/{exportId}">): Html {
  if (file.status === "FAILED")
    return remark(visit, "wrong", [
      "Le fichier n’a pas pu être généré. Réessayez.",
      "The file could not be generated. Try again.",
    ]);
  if (file.status === "RUNNING") {
    const words = visit.t(
      `Génération du fichier : ${file.percent} %`,
      `Generating the file: ${file.percent}%`,
    );
    return progress(file.percent, 100, words);
  }
  const lines = visit.count(file.rows, ["ligne", "lignes"], ["row", "rows"]);
  const until = file.expiresAt
    ? visit.t(
        `, disponible jusqu’au ${visit.formats.moment(file.expiresAt)}`,
        `, available until ${visit.formats.moment(file.expiresAt)}`,
      )
    : "";
  return html`<p>${icon("good")} ${visit.t("Le fichier est prêt", "The file is ready")} : ${lines}${until}.</p>
${file.url !== null && linkButton(file.url, visit.t("Télécharger", "Download"), "main", "download")}`;
}
