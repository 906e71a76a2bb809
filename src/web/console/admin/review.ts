// One item to review with all that a reviewer needs: a sender name, an application, or a campaign held for review.
import { type Html, html } from "../../../platform/http/html.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { type Data, Refused } from "../apiclient.ts";
import { countryName } from "../parts/countries.ts";
import { button, form, formButton, textArea } from "../parts/forms.ts";
import { actions, badge, facts, handset, notice, section, type Tone } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import {
  ADMINISTRATION,
  type CompanyShown,
  callForCompany,
  companyLink,
  mayAdminister,
  phoneShown,
} from "./admin.ts";
import { resembling } from "./reviews.ts";

export function addAdminReview(screens: Screens): void {
  screens.page("/admin/reviews/senders/:id", (visit) => sender(visit), ADMINISTRATION);
  screens.form("/admin/reviews/senders/:id", decideOnSender, ADMINISTRATION);
  screens.page("/admin/reviews/applications/:id", (visit) => application(visit), ADMINISTRATION);
  screens.form("/admin/reviews/applications/:id", decideOnApplication, ADMINISTRATION);
  screens.page("/admin/reviews/campaigns/:id", (visit) => campaign(visit), ADMINISTRATION);
  screens.form("/admin/reviews/campaigns/:id", decideOnCampaign, ADMINISTRATION);
}

function viewOf(visit: Visit, view: Pick<View, "title" | "body" | "problem">): View {
  return {
    ...view,
    at: "reviews",
    back: { href: "/admin/reviews", text: visit.t("À valider", "Reviews") },
  };
}

/** Returns a company; undefined for a reseller's customer, which is an account too. */
async function findCompany(visit: Visit, id: string): Promise<CompanyShown | undefined> {
  try {
    return await callForCompany(visit, id);
  } catch (error) {
    if (error instanceof Refused && error.code === "not-found") return undefined;
    throw error;
  }
}

/** The company that made the request, and its owner. */
async function companyPart(visit: Visit, companyId: string): Promise<Html> {
  const company = await findCompany(visit, companyId);
  const title = visit.t("Entreprise", "Company");
  if (!company)
    return section(
      title,
      html`<p>${visit.t("Ce compte est celui du client d’un revendeur.", "This account belongs to a reseller’s customer.")}</p>`,
    );
  const { formats } = visit;
  return section(title, [
    facts([
      [visit.t("Nom", "Name"), companyLink(visit, company.id, company.name)],
      [visit.t("Propriétaire", "Owner"), company.ownerName ?? visit.t("inconnu", "unknown")],
      [visit.t("Téléphone", "Phone"), company.ownerPhone ? phoneShown(visit, company.ownerPhone) : "–"],
      [visit.t("E-mail", "Email"), company.ownerEmail ?? "–"],
      [visit.t("Pays", "Country"), countryName(visit, company.country)],
      [visit.t("Créée le", "Created on"), formats.moment(company.createdAt)],
      [
        visit.t("Solde", "Balance"),
        formats.count(company.balance, visit.t("crédit", "credit"), visit.t("crédits", "credits")),
      ],
    ]),
    company.trial &&
      notice(
        "note",
        visit.t(
          "À l’essai : ses messages n’arrivent que sur des téléphones simulés, jusqu’à ce que son premier expéditeur soit accepté.",
          "On trial: its messages reach only simulated handsets until its first sender is accepted.",
        ),
      ),
    company.suspendedAt !== null &&
      notice("wrong", visit.t("Cette entreprise est suspendue.", "This company is suspended.")),
  ]);
}

/** The field for the reason of a refusal, with its button. */
function refusalForm(visit: Visit, action: string, problem: Problem | undefined, hint: string): Html {
  const title = visit.t("Refuser", "Refuse");
  return section(
    title,
    form(visit, action, [
      textArea(visit, {
        name: "reason",
        label: visit.t("Motif", "Reason"),
        hint,
        value: visit.field("reason"),
        problem,
        attributes: html`maxlength="500"`,
      }),
      button(title, "danger", html`name="decision" value="refuse"`),
    ]),
  );
}

function decision(
  visit: Visit,
  action: string,
  text: string,
  value: string,
  kind: "main" | "second" = "main",
): Html {
  return formButton(visit, action, text, { kind, members: { decision: value } });
}

type Sender = Data<"/v1/admin/sender/{id}">;

const SENDER_TONES: Readonly<Record<Sender["status"], Tone>> = {
  PENDING: "wait",
  SUBMITTED: "note",
  ACCEPTED: "good",
  REFUSED: "wrong",
};

function senderState(visit: Visit, status: Sender["status"]): Html {
  const words = {
    PENDING: visit.t("À examiner", "To review"),
    SUBMITTED: visit.t("Soumis à l’opérateur", "Submitted to the operator"),
    ACCEPTED: visit.t("Accepté", "Accepted"),
    REFUSED: visit.t("Refusé", "Refused"),
  };
  return badge(SENDER_TONES[status], words[status]);
}

async function sender(visit: Visit, problem?: Problem): Promise<View> {
  const { data: one } = await visit.callAsAdministrator("/v1/admin/sender/{id}", { id: visit.params.id! });
  const action = `/admin/reviews/senders/${one.id}`;
  const isOpen = one.status === "PENDING" || one.status === "SUBMITTED";
  return viewOf(visit, {
    title: one.name,
    problem,
    body: html`<p>${senderState(visit, one.status)} ${resembling(visit, one.resembles)}</p>
${alikePart(visit, one)}
${
  one.resembles !== undefined &&
  notice(
    "wrong",
    visit.t(
      `Ce nom ressemble à ${one.resembles}. Acceptez-le seulement si l’entreprise prouve que la marque lui appartient.`,
      `This name looks like ${one.resembles}. Accept it only if the company proves that it owns the brand.`,
    ),
  )
}
<div class="columns">
${section(visit.t("Demande", "Request"), [
  facts([
    [visit.t("Usage prévu", "Intended use"), one.description],
    [visit.t("Demandé le", "Requested on"), visit.formats.moment(one.createdAt)],
    one.reason !== undefined && [visit.t("Motif du refus", "Reason for refusal"), one.reason],
  ]),
  handset(one.name, [visit.t("Voici comment les clients le verront.", "This is how customers will see it.")]),
])}
${await companyPart(visit, one.companyId)}
</div>
${
  isOpen &&
  mayAdminister(visit, "review") &&
  html`${one.alike && acceptanceForm(visit, action, problem)}
${actions([
  !one.alike && decision(visit, action, visit.t("Accepter", "Accept"), "accept"),
  one.status === "PENDING" &&
    decision(
      visit,
      action,
      visit.t("Marquer comme soumis à l’opérateur", "Mark as submitted to the operator"),
      "submit",
      "second",
    ),
])}
${refusalForm(visit, action, one.alike ? undefined : problem, visit.t("L’entreprise verra ce motif.", "The company will see this reason."))}`
}`,
  });
}

/** The accepted senders of other companies with which people can confuse this one. */
function alikePart(visit: Visit, { alike }: Sender): Html | false {
  if (!alike) return false;
  const since = (at: string | null) =>
    at === null
      ? visit.t("accepté à une date inconnue", "accepted on an unknown date")
      : visit.t(`accepté le ${visit.formats.moment(at)}`, `accepted on ${visit.formats.moment(at)}`);
  return html`${notice("wrong", visit.t("Ce nom peut être confondu avec celui d’une autre entreprise :", "This name can be confused with that of another company:"))}
<ul>${alike.map(({ name, companyId, companyName, acceptedAt }) => html`<li><strong>${name}</strong>, ${companyLink(visit, companyId, companyName)}, ${since(acceptedAt)}</li>`)}</ul>`;
}

/** Accepting a name that looks like another one requires a written reason. */
function acceptanceForm(visit: Visit, action: string, problem: Problem | undefined): Html {
  const title = visit.t("Accepter", "Accept");
  return section(
    title,
    form(visit, action, [
      textArea(visit, {
        name: "acceptedFor",
        label: visit.t("Motif de l’acceptation", "Reason for acceptance"),
        hint: visit.t(
          "Ce motif est consigné dans le journal d’audit. L’entreprise ne le voit pas.",
          "This reason is recorded in the audit log. The company does not see it.",
        ),
        value: visit.field("acceptedFor"),
        problem,
        attributes: html`maxlength="500"`,
      }),
      button(title, "main", html`name="decision" value="accept"`),
    ]),
  );
}

const SENDER_DONE = { accept: "accepted", submit: "submitted", refuse: "refused" } as const;

async function decideOnSender(visit: Visit): Promise<View | Redirect> {
  const [id, what] = [visit.params.id!, visit.field("decision")];
  const reason = visit.field("reason").trim();
  const acceptedFor = visit.field("acceptedFor").trim();
  const asked =
    what === "accept"
      ? visit.callAsAdministrator("/v1/admin/sender/{id}/accept", {
          id,
          ...(acceptedFor && { reason: acceptedFor }),
        })
      : what === "submit"
        ? visit.callAsAdministrator("/v1/admin/sender/{id}/submit", { id })
        : visit.callAsAdministrator("/v1/admin/sender/{id}/refuse", { id, reason });
  const done = await visit.attempt(asked, what === "accept" ? { reason: "acceptedFor" } : {});
  if (done instanceof Problem) return sender(visit, done);
  return decided(SENDER_DONE[what as keyof typeof SENDER_DONE] ?? "refused");
}

function decided(done: string): Redirect {
  return new Redirect(`/admin/reviews?done=${done}`);
}

type Application = Data<"/v1/admin/third-party-app/{id}">;

function applicationState(visit: Visit, status: Application["status"]): Html {
  const tones = { PENDING_REVIEW: "wait", ACTIVE: "good", REJECTED: "wrong", INACTIVE: "calm" } as const;
  const words = {
    PENDING_REVIEW: visit.t("À examiner", "To review"),
    ACTIVE: visit.t("Active", "Active"),
    REJECTED: visit.t("Refusée", "Rejected"),
    INACTIVE: visit.t("Désactivée", "Deactivated"),
  };
  return badge(tones[status], words[status]);
}

async function application(visit: Visit, problem?: Problem): Promise<View> {
  const { data: one } = await visit.callAsAdministrator("/v1/admin/third-party-app/{id}", {
    id: visit.params.id!,
  });
  const action = `/admin/reviews/applications/${one.id}`;
  const { formats } = visit;
  return viewOf(visit, {
    title: one.name,
    problem,
    body: html`<p>${applicationState(visit, one.status)} ${resembling(visit, one.resembles)}</p>
${section(visit.t("Demande", "Request"), [
  facts([
    [visit.t("Description", "Description"), one.description],
    [visit.t("Nom technique", "Technical name"), one.slug],
    [visit.t("E-mail du développeur", "Developer’s email"), one.ownerEmail ?? "–"],
    [
      visit.t("Téléphone du développeur", "Developer’s phone"),
      one.ownerPhone ? phoneShown(visit, one.ownerPhone) : "–",
    ],
    [visit.t("URL du webhook", "Webhook URL"), one.webhookUrl ?? visit.t("aucune", "none")],
    [visit.t("Logo", "Logo"), one.logoUrl ?? visit.t("aucun", "none")],
    [visit.t("Demandée le", "Requested on"), formats.moment(one.createdAt)],
    one.forgottenAt !== undefined && [
      visit.t("Expire sans décision le", "Expires without a decision on"),
      formats.moment(one.forgottenAt),
    ],
    one.rejectionReason !== undefined && [
      visit.t("Motif du refus", "Reason for refusal"),
      one.rejectionReason,
    ],
  ]),
])}
${mayAdminister(visit, "review") && applicationDecisions(visit, one, action, problem)}`,
  });
}

function applicationDecisions(
  visit: Visit,
  { status }: Application,
  action: string,
  problem: Problem | undefined,
): Html | false {
  if (status === "ACTIVE")
    return html`${notice("wait", visit.t("La désactivation arrête immédiatement l’application et toutes ses connexions.", "Deactivation stops the application and all its connections immediately."))}
${actions([formButton(visit, action, visit.t("Désactiver", "Deactivate"), { kind: "danger", members: { decision: "deactivate" } })])}`;
  if (status === "INACTIVE")
    return actions([decision(visit, action, visit.t("Réactiver", "Reactivate"), "reactivate")]);
  if (status === "REJECTED") return false;
  return html`${actions([decision(visit, action, visit.t("Accepter", "Accept"), "approve")])}
${refusalForm(visit, action, problem, visit.t("Le développeur verra ce motif.", "The developer will see this reason."))}`;
}

async function decideOnApplication(visit: Visit): Promise<View | Redirect> {
  const [id, what] = [visit.params.id!, visit.field("decision")];
  const rejectionReason = visit.field("reason").trim();
  const asked =
    what === "approve" || what === "deactivate" || what === "reactivate"
      ? visit.callAsAdministrator(`/v1/admin/third-party-app/{id}/${what}`, { id })
      : visit.callAsAdministrator("/v1/admin/third-party-app/{id}/reject", { id, rejectionReason });
  const done = await visit.attempt<unknown>(asked, { rejectionReason: "reason" });
  if (done instanceof Problem) return application(visit, done);
  if (what === "deactivate" || what === "reactivate")
    return new Redirect(`/admin/reviews/applications/${id}`);
  return decided(what === "approve" ? "accepted" : "refused");
}

function askCampaign(visit: Visit) {
  return visit.callAsAdministrator("/v1/admin/campaign/held/{id}", { id: visit.params.id! });
}

async function campaign(visit: Visit, problem?: Problem): Promise<View> {
  const { data: one } = await askCampaign(visit);
  const action = `/admin/reviews/campaigns/${one.id}`;
  const { formats } = visit;
  const links = [
    ...one.text.matchAll(/\bhttps?:\/\/\S+|\b[\w-]+\.(?:com|net|org|ci|sn|link|ly|me|info|xyz|top)\b\S*/gi),
  ];
  const { segments } = segmentsOf(one.text);
  return viewOf(visit, {
    title: one.name ?? visit.t("Première campagne", "First campaign"),
    problem,
    body: html`<p>${badge("wait", visit.t("Retenue pour examen", "Held for review"))}</p>
${links.length > 0 && notice("wait", visit.t(`Le texte contient une adresse web : ${links.map(([link]) => link).join(", ")}. Vérifiez où elle mène, sans y saisir de données.`, `The text contains a web address: ${links.map(([link]) => link).join(", ")}. Check where it leads, but do not enter any data there.`))}
<div class="columns">
${section(visit.t("Message", "Message"), [
  handset(one.senderName, [one.text]),
  facts([
    [visit.t("Expéditeur", "Sender"), one.senderName],
    [visit.t("Destinataires", "Recipients"), formats.number(one.contactCount)],
    [visit.t("Longueur", "Length"), formats.count(segments, "SMS", "SMS")],
    [visit.t("Retenue depuis", "Held since"), formats.moment(one.heldAt)],
  ]),
])}
${await companyPart(visit, one.companyId)}
</div>
${
  mayAdminister(visit, "review") &&
  html`${actions([decision(visit, action, visit.t("Autoriser la campagne", "Release campaign"), "release")])}
${section(visit.t("Refuser", "Refuse"), [
  html`<p>${visit.t("La campagne sera annulée. Aucun message ne sera envoyé, et ses crédits seront remboursés.", "The campaign will be canceled. No messages will be sent, and its credits will be refunded.")}</p>`,
  formButton(visit, action, visit.t("Annuler la campagne", "Cancel campaign"), {
    kind: "danger",
    members: { decision: "cancel" },
  }),
])}`
}`,
  });
}

async function decideOnCampaign(visit: Visit): Promise<View | Redirect> {
  const { id, companyId } = (await askCampaign(visit)).data;
  const isReleased = visit.field("decision") === "release";
  const path = isReleased ? "/v1/admin/campaign/{id}/release" : "/v1/admin/campaign/{id}/cancel";
  const done = await visit.attempt(visit.callAsAdministrator(path, { id, companyId }));
  if (done instanceof Problem) return campaign(visit, done);
  return decided(isReleased ? "released" : "canceled");
}
