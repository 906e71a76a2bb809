// Applications of the company that act for other companies: submitted, reviewed, with secrets and an address for events.
import { type Html, html } from "../kernel/html.ts";
import { type Body, type Data, Refused } from "./ask.ts";
import { confirmView, secretView } from "./confirm.ts";
import { deliveriesPart, livePart, verifierPart } from "./deliveries.ts";
import { developerTabs } from "./developer.ts";
import { button, check, field, form, formButton, linkButton, textArea } from "./forms.ts";
import { actions, badge, copyable, empty, facts, notice, pager, section, type Tone, table } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Fragment, Redirect, type View, type Visit } from "./visit.ts";

type Application = Data<"/v1/third-party-app/my/list">[number];
type Status = Application["status"];

export function addApplications(screens: Screens): void {
  screens.page("/developer/apps", list);
  screens.page("/developer/apps/new", (visit) => submit(visit));
  screens.form("/developer/apps/new", takeNew);
  screens.page("/developer/apps/:id", (visit) => show(visit));
  screens.page("/developer/apps/:id/live", live);
  screens.form("/developer/apps/:id/webhook", moveWebhook);
  screens.form("/developer/apps/:id/test", sendTest);
  screens.page("/developer/apps/:id/webhook-secret", (visit) => askRotation(visit));
  screens.form("/developer/apps/:id/webhook-secret", rotate);
  screens.page("/developer/apps/:id/secret", (visit) => askSecret(visit));
  screens.form("/developer/apps/:id/secret", regenerate);
}

const APPS_SHOWN = 20;

const TONES: Readonly<Record<Status, Tone>> = {
  PENDING_REVIEW: "wait",
  ACTIVE: "good",
  REJECTED: "wrong",
  INACTIVE: "calm",
};

function stateOf(visit: Visit, { status }: Pick<Application, "status">): Html {
  const words: Record<Status, readonly [string, string]> = {
    PENDING_REVIEW: ["À l’examen", "Under review"],
    ACTIVE: ["Active", "Active"],
    REJECTED: ["Refusée", "Rejected"],
    INACTIVE: ["Désactivée", "Deactivated"],
  };
  return badge(TONES[status], visit.t(...words[status]));
}

const backOf = (visit: Visit) => ({ href: "/developer/apps", text: visit.t("Applications", "Applications") });

async function list(visit: Visit): Promise<View> {
  const apps = await visit.ask("/v1/third-party-app/my/list", { page: visit.page, limit: APPS_SHOWN });
  const { formats } = visit;
  const title = visit.t("Mes applications", "My applications");
  const submitLink = linkButton(
    "/developer/apps/new",
    visit.t("Proposer une application", "Submit an application"),
    "main",
    "add",
  );
  return {
    title: visit.t("Applications", "Applications"),
    at: "developer",
    body: html`${developerTabs(visit, "/developer/apps")}
${
  apps.data.length === 0
    ? empty(
        visit.t("Pas encore d’application", "No application yet"),
        visit.t(
          "Une application envoie des SMS pour d’autres entreprises, qui paient et qui donnent leur accord : un logiciel de caisse, une boutique en ligne.",
          "An application sends SMS for other companies, which pay and agree to it: a till, an online shop.",
        ),
        submitLink,
      )
    : html`${actions([submitLink])}${section(title, [
        table(
          title,
          [
            {
              head: visit.t("Nom", "Name"),
              cell: ({ id, name }) => html`<a href="/developer/apps/${id}">${name}</a>`,
            },
            { head: visit.t("État", "State"), cell: (app) => stateOf(visit, app) },
            {
              head: visit.t("Webhooks", "Webhooks"),
              cell: ({ webhookUrl, webhookEnabled }) =>
                webhookUrl === null
                  ? visit.t("Aucun", "None")
                  : webhookEnabled === false
                    ? badge("wrong", visit.t("Arrêtés", "Stopped"))
                    : webhookUrl,
            },
            { head: visit.t("Proposée", "Submitted"), cell: ({ createdAt }) => formats.moment(createdAt) },
          ],
          apps.data,
        ),
        pager(visit, apps, "/developer/apps"),
      ])}`
}`,
  };
}

function submit(visit: Visit, problem?: Problem): View {
  const given = (name: string) => ({ name, value: visit.field(name), problem });
  return {
    title: visit.t("Proposer une application", "Submit an application"),
    at: "developer",
    narrow: true,
    back: backOf(visit),
    problem,
    body: html`<p class="lead">${visit.t("Nous l’examinons avant qu’elle puisse agir pour d’autres.", "We review it before it may act for others.")}</p>
${form(visit, "/developer/apps/new", [
  field(visit, {
    ...given("name"),
    label: visit.t("Nom", "Name"),
    hint: visit.t(
      "Celui que verront les entreprises qui l’approuvent.",
      "The one that companies see who approve it.",
    ),
  }),
  field(visit, {
    ...given("slug"),
    label: visit.t("Nom technique", "Technical name"),
    hint: visit.t(
      "Minuscules, chiffres et tirets, par exemple « ma-caisse ».",
      "Lower case, digits and hyphens, for example “my-till”.",
    ),
    attributes: html`autocapitalize="none" autocomplete="off" spellcheck="false"`,
  }),
  textArea(visit, { ...given("description"), label: visit.t("Ce qu’elle fait", "What it does") }),
  field(
    visit,
    { ...given("logoUrl"), label: visit.t("Adresse du logo", "Address of the logo"), isOptional: true },
    "url",
  ),
  field(
    visit,
    {
      ...given("webhookUrl"),
      label: visit.t("Adresse des webhooks", "Address for webhooks"),
      hint: visit.t(
        "Là où nous annonçons ce qui se produit : message remis, liaison approuvée…",
        "Where we tell what happens: message delivered, connection approved…",
      ),
      isOptional: true,
    },
    "url",
  ),
  button(visit.t("Proposer", "Submit")),
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
  const made = await visit.attempt(visit.ask("/v1/third-party-app/submit", body));
  return made instanceof Problem ? submit(visit, made) : new Redirect(`/developer/apps/${made.data.id}`);
}

/** The interface reads no single application, so it is looked for among all of them. Throws `app-not-found`. */
async function read(visit: Visit): Promise<Application> {
  const { data } = await visit.ask("/v1/third-party-app/my/list");
  const found = data.find(({ id }) => id === visit.params.id);
  if (!found) throw new Refused("app-not-found");
  return found;
}

async function show(visit: Visit, problem?: Problem): Promise<View> {
  const app = await read(visit);
  const isActive = app.status === "ACTIVE";
  return {
    title: app.name,
    at: "developer",
    back: backOf(visit),
    islands: ["copy", "live"],
    problem,
    body: html`<p>${stateOf(visit, app)}</p>
${statePart(visit, app)}
${aboutPart(visit, app)}
${isActive && webhookPart(visit, app, problem)}
${isActive && app.webhookUrl !== null && (await deliveriesPart(visit, app.id))}
${isActive && app.webhookUrl !== null && verifierPart(visit, app.id)}`,
  };
}

function statePart(visit: Visit, { status, rejectionReason }: Application): Html | false {
  if (status === "PENDING_REVIEW")
    return notice(
      "wait",
      visit.t(
        "Nous l’examinons. Ses secrets viendront avec notre accord.",
        "We review it. Its secrets come with our approval.",
      ),
    );
  if (status === "REJECTED")
    return notice(
      "wrong",
      rejectionReason ?? visit.t("Elle a été refusée.", "It was rejected."),
      visit.t("Pourquoi", "Why"),
    );
  if (status === "INACTIVE")
    return notice(
      "calm",
      visit.t(
        "Elle est désactivée : ses liaisons n’envoient plus. Écrivez-nous.",
        "It is deactivated: its connections send no more. Write to us.",
      ),
    );
  return false;
}

function aboutPart(visit: Visit, app: Application): Html {
  const { id, slug, description, createdAt, apiSecret } = app;
  return section(
    visit.t("L’application", "The application"),
    [
      facts([
        ["appId", copyable(id, "appId")],
        [visit.t("Nom technique", "Technical name"), html`<span class="code">${slug}</span>`],
        [visit.t("Ce qu’elle fait", "What it does"), description],
        [visit.t("Proposée", "Submitted"), visit.formats.moment(createdAt)],
      ]),
      apiSecret !== undefined &&
        html`<details><summary>${visit.t("Montrer l’apiSecret", "Show the apiSecret")}</summary>${copyable(apiSecret, "apiSecret")}</details>`,
    ],
    apiSecret === undefined
      ? undefined
      : html`<a href="/developer/apps/${id}/secret">${visit.t("Remplacer l’apiSecret", "Replace the apiSecret")}</a>`,
  );
}

function webhookPart(visit: Visit, app: Application, problem: Problem | undefined): Html {
  const { id, webhookUrl, webhookEnabled, webhookSecret } = app;
  return section(visit.t("Webhooks", "Webhooks"), [
    webhookEnabled === false &&
      notice(
        "wrong",
        visit.t(
          "Cette adresse a échoué trop longtemps : plus rien ne lui est envoyé. Réparez-la, puis enregistrez-la de nouveau.",
          "This address failed for too long: nothing is sent to it any more. Mend it, then save it again.",
        ),
      ),
    form(visit, `/developer/apps/${id}/webhook`, [
      field(
        visit,
        {
          name: "webhookUrl",
          label: visit.t("Adresse", "Address"),
          hint: visit.t(
            "En HTTPS. Elle répond 2XX quand elle a reçu.",
            "By HTTPS. It answers 2XX when it has received.",
          ),
          value: visit.typed("webhookUrl", webhookUrl ?? ""),
          problem,
        },
        "url",
      ),
      button(visit.t("Enregistrer l’adresse", "Save the address"), "second"),
    ]),
    webhookUrl !== null &&
      actions([
        formButton(visit, `/developer/apps/${id}/test`, visit.t("Envoyer un essai", "Send a test")),
        html`<a href="/developer/apps/${id}/webhook-secret">${visit.t("Remplacer le secret", "Replace the secret")}</a>`,
      ]),
    webhookSecret !== undefined &&
      html`<details><summary>${visit.t("Montrer le secret des webhooks", "Show the secret of the webhooks")}</summary>${copyable(webhookSecret, "webhookSecret")}</details>`,
  ]);
}

const idOf = (visit: Visit) => visit.params.id!;
const pageOf = (visit: Visit) => `/developer/apps/${idOf(visit)}`;

async function moveWebhook(visit: Visit): Promise<View | Redirect> {
  const webhookUrl = visit.field("webhookUrl");
  const moved = await visit.attempt(
    visit.ask("/v1/third-party-app/my/{appId}/webhook/update", { appId: idOf(visit), webhookUrl }),
  );
  return moved instanceof Problem ? show(visit, moved) : new Redirect(pageOf(visit));
}

async function sendTest(visit: Visit): Promise<View | Redirect> {
  const sent = await visit.attempt(
    visit.ask("/v1/third-party-app/my/{appId}/webhook/test", { appId: idOf(visit) }),
  );
  return sent instanceof Problem ? show(visit, sent) : new Redirect(pageOf(visit));
}

async function live(visit: Visit): Promise<Fragment> {
  const [last] = (
    await visit.ask("/v1/third-party-app/my/{appId}/webhook/deliveries", { appId: idOf(visit), limit: 1 })
  ).data;
  return new Fragment(last ? livePart(visit, last) : html``, last?.status !== "PENDING");
}

async function askRotation(visit: Visit, problem?: Problem): Promise<View> {
  const app = await read(visit);
  return confirmView(visit, {
    title: visit.t("Remplacer le secret des webhooks ?", "Replace the secret of the webhooks?"),
    text: visit.t(
      "L’ancien et le nouveau signent tous deux pendant 24 heures : le temps de changer votre serveur.",
      "The old one and the new one both sign for 24 hours: time to change your server.",
    ),
    action: `${pageOf(visit)}/webhook-secret`,
    yes: visit.t("Remplacer le secret", "Replace the secret"),
    back: { href: pageOf(visit), text: app.name },
    at: "developer",
    problem,
  });
}

async function rotate(visit: Visit): Promise<View> {
  const made = await visit.attempt(
    visit.ask("/v1/third-party-app/my/{appId}/webhook/rotate-secret", { appId: idOf(visit) }),
  );
  if (made instanceof Problem) return askRotation(visit, made);
  return secretView(visit, {
    title: visit.t("Le nouveau secret des webhooks", "The new secret of the webhooks"),
    label: "webhookSecret",
    secret: made.data.webhookSecret,
    text: visit.t("L’ancien signe encore pendant 24 heures.", "The old one still signs for 24 hours."),
    isKept: true,
    next: pageOf(visit),
    at: "developer",
  });
}

async function askSecret(visit: Visit, problem?: Problem): Promise<View> {
  const app = await read(visit);
  return confirmView(visit, {
    title: visit.t("Remplacer l’apiSecret ?", "Replace the apiSecret?"),
    text: visit.t(
      "L’ancien est mort aussitôt : votre serveur est refusé jusqu’à ce qu’il ait le nouveau.",
      "The old one is dead at once: your server is refused until it has the new one.",
    ),
    action: `${pageOf(visit)}/secret`,
    fields: [
      check({
        name: "revokeConnections",
        label: visit.t("Retirer aussi toutes les liaisons", "Revoke all connections too"),
        hint: visit.t(
          "Si quelqu’un a pu lire les jetons. Chaque entreprise devra approuver de nouveau ; ce qui attend est annulé.",
          "If somebody may have read the tokens. Each company has to approve again; what waits is cancelled.",
        ),
      }),
    ],
    yes: visit.t("Remplacer l’apiSecret", "Replace the apiSecret"),
    back: { href: pageOf(visit), text: app.name },
    at: "developer",
    problem,
  });
}

async function regenerate(visit: Visit): Promise<View> {
  const revokeConnections = visit.field("revokeConnections") === "yes";
  const made = await visit.attempt(
    visit.ask("/v1/third-party-app/my/{appId}/regenerate-secret", { appId: idOf(visit), revokeConnections }),
  );
  if (made instanceof Problem) return askSecret(visit, made);
  return secretView(visit, {
    title: visit.t("Le nouvel apiSecret", "The new apiSecret"),
    label: "apiSecret",
    secret: made.data.apiSecret,
    text: visit.t(
      "L’ancien est mort : donnez celui-ci à votre serveur.",
      "The old one is dead: give this one to your server.",
    ),
    isKept: true,
    next: pageOf(visit),
    at: "developer",
  });
}
