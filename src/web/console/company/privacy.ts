// The company's data: an archive of all of it, the erasure of a person, the closing of the company; and its suspension.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { type Data, unlessRefused } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, field, form, formButton, plainButton } from "../parts/forms.ts";
import { actions, badge, facts, notice, progress, remark, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";

type Archive = Data<"/v1/company/export/{id}">;
type Erasure = Data<"/v1/contact/erase/{id}">;

export function addPrivacy(screens: Screens): void {
  screens.pageAndForm("/settings/export", confirmExport, beginExport);
  screens.page("/settings/exports/:id", showExport);
  screens.page("/settings/exports/:id/live", liveExport);
  screens.pageAndForm("/settings/erase", erasePhone, confirmErasure);
  screens.form("/settings/erase/confirmed", beginErasure);
  screens.page("/settings/erasures/:id", showErasure);
  screens.page("/settings/erasures/:id/live", liveErasure);
  screens.pageAndForm("/settings/close", confirmClosing, close);
  // A person does not act for a closed company, so its page is outside the company's area.
  screens.page("/settings/closed", closed, { area: "public" });
  screens.page("/suspended", suspended, { area: "public" });
  screens.form("/settings/reopen", reopen, { area: "public" });
}

const backOf = (visit: Visit) => ({ href: "/settings", text: visit.t("Réglages", "Settings") });
const ALL_PERCENT = 100;
const KIB = 1_024;

function confirmExport(visit: Visit): View {
  return {
    title: visit.t("Exporter toutes les données", "Export all data"),
    narrow: true,
    back: backOf(visit),
    body: html`<p>${visit.t(
      "L’archive contient vos contacts, groupes, désinscriptions, campagnes, messages et mouvements de crédits, en CSV et en JSON. Elle est prête en quelques minutes.",
      "The archive contains your contacts, groups, opt-outs, campaigns, messages and credit entries, as CSV and JSON. It is ready in a few minutes.",
    )}</p>
${remark(visit, "wait", ["L’archive contient des données personnelles : conservez-la en lieu sûr.", "The archive contains personal data: keep it in a safe place."])}
${actions([formButton(visit, "/settings/export", visit.t("Préparer l’archive", "Create archive"), { kind: "main" })])}`,
  };
}

async function beginExport(visit: Visit): Promise<View | Redirect> {
  const calling = visit.call("/v1/company/export");
  return visit.submit(calling, confirmExport, ({ data }) => `/settings/exports/${data.id}`);
}

async function showExport(visit: Visit): Promise<View> {
  const { data } = await visit.call("/v1/company/export/{id}");
  return {
    title: visit.t("Votre archive", "Your archive"),
    narrow: true,
    back: backOf(visit),
    islands: data.status === "RUNNING" ? ["live"] : [],
    body: html`<div class="stack" data-live="/settings/exports/${visit.id}/live">${exportPart(visit, data)}</div>`,
  };
}

async function liveExport(visit: Visit): Promise<Fragment> {
  const { data } = await visit.call("/v1/company/export/{id}");
  return new Fragment(exportPart(visit, data), data.status !== "RUNNING");
}

function exportPart(visit: Visit, { status, percent, rows, bytes, url, expiresAt }: Archive): Html {
  const { formats } = visit;
  if (status === "RUNNING")
    return html`<p>${badge("wait", visit.t("En préparation", "In preparation"))}</p>
${progress(percent, ALL_PERCENT, visit.t(`${percent} %, ${formats.number(rows)} lignes`, `${percent}%, ${formats.number(rows)} rows`))}
<p>${visit.t("Vous pouvez quitter cette page et y revenir.", "You can leave this page and come back.")}</p>`;
  if (status === "FAILED" || url === null)
    return html`<p>${badge("wrong", visit.t("Échec", "Failed"))}</p><p><a href="/settings/export">${visit.t("Réessayer", "Try again")}</a></p>`;
  const size = formats.number(Math.max(1, Math.round(bytes / KIB)));
  return html`<p>${badge("good", visit.t("Prête", "Ready"))}</p>
<p>${visit.t(`${formats.number(rows)} lignes, ${size} Kio.`, `${formats.number(rows)} rows, ${size} KiB.`)} ${expiresAt !== null && visit.t(`À télécharger avant le ${formats.moment(expiresAt)}.`, `Download it before ${formats.moment(expiresAt)}.`)}</p>
${actions([html`<a class="button main" href="${url}" download>${visit.t("Télécharger", "Download")}</a>`])}`;
}

function erasePhone(visit: Visit): View {
  return {
    title: visit.t("Effacer une personne", "Erase a person"),
    narrow: true,
    back: backOf(visit),
    body: html`<p>${visit.t(
      "Une personne peut vous demander d’effacer ses données. Nous la supprimons de vos contacts, de vos groupes et des messages conservés. Sa désinscription reste en vigueur.",
      "A person may ask you to erase their data. We delete them from your contacts, your groups and stored messages. An opt-out stays in force.",
    )}</p>
${form(visit, "/settings/erase", [
  field(visit, "phone", visit.t("Numéro de téléphone de la personne", "Phone number of the person"), {
    attributes: html`class="short" inputmode="tel" autocomplete="off" maxlength="30"`,
    type: "tel",
  }),
  button(visit.t("Continuer", "Continue")),
])}`,
  };
}

function confirmErasure(visit: Visit): View {
  const phone = visit.field("phone").trim();
  if (phone === "")
    return erasePhone(visit.wrong(visit.t("Saisissez un numéro.", "Enter a number."), "phone"));
  return confirmView(visit, {
    title: visit.t(`Effacer ${phone} ?`, `Erase ${phone}?`),
    text: visit.t(
      "L’effacement est définitif. Les statistiques de vos campagnes sont conservées.",
      "Erasure is permanent. Your campaign statistics are kept.",
    ),
    action: "/settings/erase/confirmed",
    fields: [html`<input type="hidden" name="phone" value="${phone}">`],
    yes: visit.t("Effacer la personne", "Erase person"),
    back: { href: "/settings/erase", text: visit.t("Effacer une personne", "Erase a person") },
  });
}

async function beginErasure(visit: Visit): Promise<View | Redirect> {
  const calling = visit.call("/v1/contact/erase", { phone: visit.field("phone") });
  return visit.submit(calling, erasePhone, ({ data }) => `/settings/erasures/${data.id}`);
}

async function showErasure(visit: Visit): Promise<View> {
  const { data } = await visit.call("/v1/contact/erase/{id}");
  return {
    title: visit.t("Effacement", "Erasure"),
    narrow: true,
    back: backOf(visit),
    islands: data.status === "RUNNING" ? ["live"] : [],
    body: html`<div class="stack" data-live="/settings/erasures/${visit.id}/live">${erasurePart(visit, data)}</div>`,
  };
}

async function liveErasure(visit: Visit): Promise<Fragment> {
  const { data } = await visit.call("/v1/contact/erase/{id}");
  return new Fragment(erasurePart(visit, data), data.status !== "RUNNING");
}

function erasurePart(visit: Visit, { status, percent, erased, doneAt }: Erasure): Html {
  const words: Record<keyof typeof erased, readonly [string, string]> = {
    contacts: ["Contacts", "Contacts"],
    optouts: ["Désinscriptions, conservées sans le numéro", "Opt-outs, kept without the number"],
    queued: ["Messages en file d’attente, annulés", "Queued messages, canceled"],
    messages: ["Messages conservés", "Stored messages"],
    received: ["Messages reçus", "Incoming messages"],
    codes: ["Codes", "Codes"],
    events: ["Événements de webhooks", "Webhook events"],
  };
  const rows = Object.entries(words).map(([name, pair]) => {
    const count = erased[name as keyof typeof erased];
    return [visit.t(...pair), visit.formats.number(count)] as const;
  });
  const state =
    status === "DONE"
      ? html`<p>${badge("good", visit.t("Terminé", "Completed"))} ${doneAt !== null && visit.formats.moment(doneAt)}</p>`
      : html`<p>${badge("wait", visit.t("En cours", "In progress"))}</p>${progress(percent, ALL_PERCENT, `${percent} %`)}`;
  return html`${state}${section(visit.t("Données effacées", "Erased data"), facts(rows))}`;
}

function confirmClosing(visit: Visit): View {
  const { name } = visit.company;
  return confirmView(visit, {
    title: visit.t(`Fermer « ${name} » ?`, `Close “${name}”?`),
    text: visit.t(
      "L’entreprise cesse immédiatement tout envoi, et les requêtes de vos programmes sont refusées. Vous avez 30 jours pour la rouvrir. Ensuite, ses contacts, messages et clés sont effacés. Les crédits restants ne sont pas remboursés ici.",
      "The company stops sending immediately, and requests from your programs are refused. You have 30 days to reopen it. After that, its contacts, messages and keys are erased. Remaining credits are not refunded here.",
    ),
    fields: [
      field(
        visit,
        "confirm",
        `${visit.t("Pour confirmer, saisissez le nom de l’entreprise :", "To confirm, enter the company name:")} ${name}`,
        { value: "", attributes: html`autocomplete="off"` },
      ),
    ],
    yes: visit.t("Fermer l’entreprise", "Close company"),
    back: backOf(visit),
  });
}

async function close(visit: Visit): Promise<View | Redirect> {
  const { name, companyId } = visit.company;
  if (visit.field("confirm").trim() !== name)
    return confirmClosing(
      visit.wrong(
        visit.t("Ce nom ne correspond pas à celui de l’entreprise.", "This does not match the company name."),
        "confirm",
      ),
    );
  const calling = visit.call("/v1/company/close", { confirm: companyId });
  return visit.submit(calling, confirmClosing, "/settings/closed");
}

type Person = Data<"/v1/session/read">;

/** The person's closed companies. A person without any, or without a session, is redirected. */
async function closed(visit: Visit): Promise<View | Redirect> {
  const person = await readPerson(visit);
  const { companies: [open] = [], closedCompanies = [] } = person ?? {};
  const [first] = closedCompanies;
  if (!first) return new Redirect("/");
  const isOne = closedCompanies.length === 1;
  return {
    title: isOne
      ? visit.t(`${first.name} est fermée`, `${first.name} is closed`)
      : visit.t("Vos entreprises fermées", "Your closed companies"),
    narrow: true,
    body: html`${closedCompanies.map((company) => closedPart(visit, company, isOne))}
${actions([
  open && html`<a href="/">${visit.t(`Aller à ${open.name}`, `Go to ${open.name}`)}</a>`,
  plainButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out")),
])}`,
  };
}

/** Returns the signed-in person; undefined if the session has ended. */
async function readPerson(visit: Visit): Promise<Person | undefined> {
  if (!visit.session.person) return undefined;
  return (await unlessRefused("not-authenticated", visit.call("/v1/session/read")))?.data;
}

function closedPart(visit: Visit, company: Person["closedCompanies"][number], isOne: boolean): Html {
  const { companyId, name, role, closedAt, emptyAt } = company;
  const [since, until] = [visit.formats.day(closedAt), visit.formats.day(emptyAt)];
  const said = visit.t(
    `Cette entreprise est fermée depuis le ${since} et n’envoie plus rien. Ses contacts, messages et clés seront effacés à partir du ${until}.`,
    `This company was closed on ${since} and no longer sends anything. Its contacts, messages and keys will be erased from ${until}.`,
  );
  const canOpen = Date.parse(emptyAt) > nowMs();
  const body = html`${notice("wait", said)}
${
  canOpen &&
  (role === "owner"
    ? html`<p>${visit.t("D’ici là, vous pouvez la rouvrir.", "Until then, you can reopen it.")}</p>
${actions([
  formButton(visit, "/settings/reopen", visit.t("Rouvrir l’entreprise", "Reopen company"), {
    kind: "main",
    members: { companyId },
  }),
])}`
    : html`<p>${visit.t(
        "D’ici là, un de ses propriétaires peut la rouvrir.",
        "Until then, one of its owners can reopen it.",
      )}</p>`)
}`;
  return isOne ? body : section(name, body);
}

async function reopen(visit: Visit): Promise<View | Redirect> {
  const { person } = visit.session;
  if (!person) return new Redirect("/");
  visit.saveSession({ person: { ...person, companyId: visit.field("companyId") } });
  return visit.submit(visit.call("/v1/company/reopen"), closed, "/settings");
}

/** A person who acts for another company, or has no session, is redirected. */
async function suspended(visit: Visit): Promise<View | Redirect> {
  const person = await readPerson(visit);
  const { companies = [], suspendedCompanies: [first, ...others] = [] } = person ?? {};
  if (!first || companies.length > 0) return new Redirect("/");
  return {
    title:
      others.length === 0
        ? visit.t(`${first.name} est suspendue`, `${first.name} is suspended`)
        : visit.t("Vos entreprises sont suspendues", "Your companies are suspended"),
    narrow: true,
    body: html`${others.length > 0 && html`<ul>${[first, ...others].map(({ name }) => html`<li>${name}</li>`)}</ul>`}
${remark(visit, "wait", [
  "L’administrateur du service a suspendu vos envois et l’accès à vos pages. Rien n’est perdu : vos contacts, messages et crédits sont conservés, et les messages en attente partiront à la levée de la suspension.",
  "The administrator of the service has suspended your sends and your access. Nothing is lost: your contacts, messages and credits are kept, and waiting messages are sent once the suspension is lifted.",
])}
<p>${visit.t(
      "Pour en connaître la raison ou demander sa levée, écrivez à l’administrateur du service, votre interlocuteur habituel.",
      "To find out why or ask for it to be lifted, write to the administrator of the service, your usual contact.",
    )}</p>
${actions([
  html`<a class="button main" href="/">${visit.t("Vérifier l’état de la suspension", "Check suspension status")}</a>`,
  plainButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out")),
])}`,
  };
}
