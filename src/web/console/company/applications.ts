// The company's applications that act for other companies: submission, review, secrets, and the URL for events.
import { type Html, html } from "../../../platform/http/html.ts";
import { type Body, type Data, Refused } from "../apiclient.ts";
import { confirmView, secretView } from "../parts/confirm.ts";
import { button, check, field, form, formButton, linkButton, textArea } from "../parts/forms.ts";
import { listPart } from "../parts/lists.ts";
import {
  actions,
  badge,
  copyable,
  facts,
  notice,
  remark,
  type State,
  section,
  stateBadge,
} from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, type Redirect, type View, type Visit } from "../visit.ts";
import { deliveriesPart, livePart, verifierPart } from "./deliveries.ts";
import { developerTabs } from "./developer.ts";

type Application = Data<"/v1/third-party-app/my/list">[number];
type Status = Application["status"];

export function addApplications(screens: Screens): void {
  screens.page("/developer/apps", list);
  screens.pageAndForm("/developer/apps/new", submit, takeNew);
  screens.page("/developer/apps/:id", show);
  screens.page("/developer/apps/:id/live", live);
  screens.form("/developer/apps/:id/webhook", moveWebhook);
  screens.form("/developer/apps/:id/test", sendTest);
  screens.pageAndForm("/developer/apps/:id/webhook-secret", confirmRotation, rotate);
  screens.pageAndForm("/developer/apps/:id/secret", confirmSecret, regenerate);
}

const APPS_SHOWN = 20;

const STATES: Readonly<Record<Status, State>> = {
  PENDING_REVIEW: ["wait", "En cours d’examen", "Under review"],
  ACTIVE: ["good", "Active", "Active"],
  REJECTED: ["wrong", "Refusée", "Rejected"],
  INACTIVE: ["calm", "Désactivée", "Deactivated"],
};

const backOf = (visit: Visit) => ({ href: "/developer/apps", text: visit.t("Applications", "Applications") });

async function list(visit: Visit): Promise<View> {
  const apps = await visit.listed("/v1/third-party-app/my/list", { limit: APPS_SHOWN });
  const title = visit.t("Mes applications", "My applications");
  return {
    title: visit.t("Applications", "Applications"),
    body: html`${developerTabs(visit, "/developer/apps")}
${listPart(visit, apps, {
  title,
  columns: [
    [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="/developer/apps/${id}">${name}</a>`],
    [visit.t("Statut", "Status"), (app) => stateBadge(visit, STATES[app.status])],
    [
      visit.t("Webhooks", "Webhooks"),
      ({ webhookUrl, webhookEnabled }) =>
        webhookUrl === null
          ? visit.t("Aucun", "None")
          : webhookEnabled === false
            ? badge("wrong", visit.t("Désactivés", "Disabled"))
            : webhookUrl,
    ],
    [visit.t("Soumise le", "Submitted on"), ({ createdAt }) => visit.formats.moment(createdAt)],
  ],
  url: "/developer/apps",
  add: linkButton(
    "/developer/apps/new",
    visit.t("Soumettre une application", "Submit application"),
    "main",
    "add",
  ),
  none: [
    visit.t("Aucune application pour le moment", "No applications yet"),
    visit.t(
      "Une application envoie des SMS pour d’autres entreprises, avec leur accord et à leurs frais. Exemples : un logiciel de caisse, une boutique en ligne.",
      "An application sends SMS for other companies, with their approval and at their expense. Examples: a point-of-sale system, an online shop.",
    ),
  ],
})}`,
  };
}

function submit(visit: Visit): View {
  return {
    title: visit.t("Soumettre une application", "Submit an application"),
    narrow: true,
    back: backOf(visit),
    body: html`<p class="lead">${visit.t("Nous examinons chaque application avant qu’elle puisse agir pour d’autres entreprises.", "We review every application before it can act for other companies.")}</p>
${form(visit, "/developer/apps/new", [
  field(visit, "name", visit.t("Nom", "Name"), {
    hint: visit.t(
      "Le nom affiché aux entreprises qui approuvent l’application.",
      "The name shown to companies that approve the application.",
    ),
  }),
  field(visit, "slug", visit.t("Nom technique", "Technical name"), {
    hint: visit.t(
      "Lettres minuscules, chiffres et tirets, par exemple « ma-caisse ».",
      "Lowercase letters, digits and hyphens, for example “my-shop”.",
    ),
    attributes: html`autocapitalize="none" autocomplete="off" spellcheck="false"`,
  }),
  textArea(visit, "description", visit.t("Description", "Description")),
  field(visit, "logoUrl", visit.t("URL du logo", "Logo URL"), { isOptional: true, type: "url" }),
  field(visit, "webhookUrl", visit.t("URL des webhooks", "Webhook URL"), {
    hint: visit.t(
      "L’adresse à laquelle nous envoyons les événements : message remis, connexion approuvée…",
      "The address to which we send events: message delivered, connection approved…",
    ),
    isOptional: true,
    type: "url",
  }),
  button(visit.t("Soumettre l’application", "Submit application")),
])}`,
  };
}

async function takeNew(visit: Visit): Promise<View | Redirect> {
  const [logoUrl, webhookUrl] = [visit.field("logoUrl"), visit.field("webhookUrl")];
  const body: Body<"/v1/third-party-app/submit"> = {
    name: visit.field("name"),
    slug: visit.field("slug"),
    description: visit.field("description"),
    ...(logoUrl && { logoUrl }),
    ...(webhookUrl && { webhookUrl }),
  };
  const calling = visit.call("/v1/third-party-app/submit", body);
  return visit.submit(calling, submit, ({ data }) => `/developer/apps/${data.id}`);
}

/** The API cannot read a single application, so it is searched among all of them. Throws `app-not-found`. */
async function read(visit: Visit): Promise<Application> {
  const { data } = await visit.call("/v1/third-party-app/my/list");
  const found = data.find(({ id }) => id === visit.id);
  if (!found) throw new Refused("app-not-found");
  return found;
}

async function show(visit: Visit): Promise<View> {
  const app = await read(visit);
  const isActive = app.status === "ACTIVE";
  return {
    title: app.name,
    back: backOf(visit),
    islands: ["copy", "live"],
    body: html`<p>${stateBadge(visit, STATES[app.status])}</p>
${statePart(visit, app)}
${aboutPart(visit, app)}
${isActive && webhookPart(visit, app)}
${isActive && app.webhookUrl !== null && (await deliveriesPart(visit, app.id))}
${isActive && app.webhookUrl !== null && verifierPart(visit, app.id)}`,
  };
}

function statePart(visit: Visit, { status, rejectionReason }: Application): Html | false {
  if (status === "PENDING_REVIEW")
    return remark(visit, "wait", [
      "Nous examinons votre application. Ses secrets seront disponibles dès qu’elle sera approuvée.",
      "We are reviewing your application. Its secrets will be available once it is approved.",
    ]);
  if (status === "REJECTED")
    return notice(
      "wrong",
      rejectionReason ?? visit.t("L’application a été refusée.", "The application was rejected."),
      visit.t("Motif du refus", "Reason for rejection"),
    );
  if (status === "INACTIVE")
    return remark(visit, "calm", [
      "L’application est désactivée : ses connexions ne peuvent plus envoyer de SMS. Contactez-nous.",
      "The application is deactivated: its connections can no longer send SMS. Contact us.",
    ]);
  return false;
}

function aboutPart(visit: Visit, app: Application): Html {
  const { id, slug, description, createdAt, apiSecret } = app;
  return section(
    visit.t("Application", "Application"),
    [
      facts([
        ["appId", copyable(id, "appId")],
        [visit.t("Nom technique", "Technical name"), html`<span class="code">${slug}</span>`],
        [visit.t("Description", "Description"), description],
        [visit.t("Soumise le", "Submitted on"), visit.formats.moment(createdAt)],
      ]),
      apiSecret !== undefined &&
        html`<details><summary>${visit.t("Afficher l’apiSecret", "Show apiSecret")}</summary>${copyable(apiSecret, "apiSecret")}</details>`,
    ],
    apiSecret === undefined
      ? undefined
      : html`<a href="/developer/apps/${id}/secret">${visit.t("Remplacer l’apiSecret", "Replace apiSecret")}</a>`,
  );
}

function webhookPart(visit: Visit, app: Application): Html {
  const { id, webhookUrl, webhookEnabled, webhookSecret } = app;
  return section(visit.t("Webhooks", "Webhooks"), [
    webhookEnabled === false &&
      remark(visit, "wrong", [
        "Les envois à cette URL ont échoué trop longtemps et sont désactivés. Corrigez le problème, puis enregistrez de nouveau l’URL.",
        "Deliveries to this URL failed for too long and are disabled. Fix the problem, then save the URL again.",
      ]),
    form(visit, `/developer/apps/${id}/webhook`, [
      field(visit, "webhookUrl", visit.t("URL", "URL"), {
        hint: visit.t(
          "En HTTPS. Votre serveur répond 2XX pour confirmer la réception.",
          "HTTPS only. Your server responds with 2XX to confirm receipt.",
        ),
        value: visit.typed("webhookUrl", webhookUrl ?? ""),
        type: "url",
      }),
      button(visit.t("Enregistrer l’URL", "Save URL"), "second"),
    ]),
    webhookUrl !== null &&
      actions([
        formButton(
          visit,
          `/developer/apps/${id}/test`,
          visit.t("Envoyer un événement de test", "Send test event"),
        ),
        html`<a href="/developer/apps/${id}/webhook-secret">${visit.t("Remplacer le secret", "Replace secret")}</a>`,
      ]),
    webhookSecret !== undefined &&
      html`<details><summary>${visit.t("Afficher le secret des webhooks", "Show webhook secret")}</summary>${copyable(webhookSecret, "webhookSecret")}</details>`,
  ]);
}

const pageOf = (visit: Visit) => `/developer/apps/${visit.id}`;

async function moveWebhook(visit: Visit): Promise<View | Redirect> {
  const webhookUrl = visit.field("webhookUrl");
  const calling = visit.call("/v1/third-party-app/my/{appId}/webhook/update", {
    appId: visit.id,
    webhookUrl,
  });
  return visit.submit(calling, show, pageOf(visit));
}

async function sendTest(visit: Visit): Promise<View | Redirect> {
  const calling = visit.call("/v1/third-party-app/my/{appId}/webhook/test", { appId: visit.id });
  return visit.submit(calling, show, pageOf(visit));
}

async function live(visit: Visit): Promise<Fragment> {
  const [last] = (
    await visit.call("/v1/third-party-app/my/{appId}/webhook/deliveries", { appId: visit.id, limit: 1 })
  ).data;
  return new Fragment(last ? livePart(visit, last) : html``, last?.status !== "PENDING");
}

async function confirmRotation(visit: Visit): Promise<View> {
  const app = await read(visit);
  return confirmView(visit, {
    title: visit.t("Remplacer le secret des webhooks ?", "Replace the webhook secret?"),
    text: visit.t(
      "Pendant 24 heures, les événements sont signés avec l’ancien et le nouveau secret. Mettez votre serveur à jour dans ce délai.",
      "For 24 hours, events are signed with both the old and the new secret. Update your server within that time.",
    ),
    yes: visit.t("Remplacer le secret", "Replace secret"),
    back: { href: pageOf(visit), text: app.name },
  });
}

async function rotate(visit: Visit): Promise<View> {
  const made = await visit.attempt(
    visit.call("/v1/third-party-app/my/{appId}/webhook/rotate-secret", { appId: visit.id }),
  );
  if (made instanceof Problem) return confirmRotation(visit.with(made));
  return secretView(visit, {
    title: visit.t("Nouveau secret des webhooks", "New webhook secret"),
    label: "webhookSecret",
    secret: made.data.webhookSecret,
    text: visit.t(
      "Pendant 24 heures, les événements sont aussi signés avec l’ancien secret.",
      "For 24 hours, events are also signed with the old secret.",
    ),
    isShownElsewhere: true,
    next: pageOf(visit),
  });
}

async function confirmSecret(visit: Visit): Promise<View> {
  const app = await read(visit);
  return confirmView(visit, {
    title: visit.t("Remplacer l’apiSecret ?", "Replace the apiSecret?"),
    text: visit.t(
      "L’ancien apiSecret cesse de fonctionner immédiatement : votre serveur est refusé tant qu’il n’utilise pas le nouveau.",
      "The old apiSecret stops working immediately: your server is rejected until it uses the new one.",
    ),
    fields: [
      check(
        "revokeConnections",
        visit.t("Révoquer aussi toutes les connexions", "Also revoke all connections"),
        {
          hint: visit.t(
            "À cocher si les jetons ont pu être divulgués. Chaque entreprise devra approuver de nouveau l’application. Les envois en attente sont annulés.",
            "Select this if the tokens may have leaked. Each company must approve the application again. Pending sends are canceled.",
          ),
        },
      ),
    ],
    yes: visit.t("Remplacer l’apiSecret", "Replace apiSecret"),
    back: { href: pageOf(visit), text: app.name },
  });
}

async function regenerate(visit: Visit): Promise<View> {
  const revokeConnections = visit.field("revokeConnections") === "yes";
  const made = await visit.attempt(
    visit.call("/v1/third-party-app/my/{appId}/regenerate-secret", { appId: visit.id, revokeConnections }),
  );
  if (made instanceof Problem) return confirmSecret(visit.with(made));
  return secretView(visit, {
    title: visit.t("Nouvel apiSecret", "New apiSecret"),
    label: "apiSecret",
    secret: made.data.apiSecret,
    text: visit.t(
      "L’ancien apiSecret ne fonctionne plus. Configurez celui-ci sur votre serveur.",
      "The old apiSecret no longer works. Use this one on your server.",
    ),
    isShownElsewhere: true,
    next: pageOf(visit),
  });
}
