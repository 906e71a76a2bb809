// One item to review with all that a reviewer needs: a sender name, an application, or a campaign held for review.
import { type Html, html } from "../../../platform/http/html.ts";
import { segmentsOf } from "../../../protocol/sms/segments.ts";
import { type Data, unlessRefused } from "../apiclient.ts";
import { countryName } from "../parts/countries.ts";
import { button, form, formButton, textArea } from "../parts/forms.ts";
import { actions, badge, facts, handset, remark, type State, section, stateBadge } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { callForCompany, companyLink, mayAdminister, phoneShown } from "./admin.ts";
import { addAdminRegistrations, registrationNotice, registrationsPart } from "./registrations.ts";
import { resembling } from "./reviews.ts";

export function addAdminReview(screens: Screens): void {
  screens.pageAndForm("/admin/reviews/senders/:id", sender, decideOnSender);
  addAdminRegistrations(screens, sender);
  screens.pageAndForm("/admin/reviews/applications/:id", application, decideOnApplication);
  screens.pageAndForm("/admin/reviews/campaigns/:id", campaign, decideOnCampaign);
}

function viewOf(visit: Visit, view: Pick<View, "title" | "body">): View {
  return { ...view, back: { href: "/admin/reviews", text: visit.t("À valider", "Reviews") } };
}

async function companyPart(visit: Visit, companyId: string): Promise<Html> {
  // The account of a customer of a reseller is no company.
  const company = await unlessRefused("not-found", callForCompany(visit, companyId));
  const title = visit.t("Entreprise", "Company");
  if (!company)
    return section(
      title,
      html`<p>${visit.t("Ce compte est celui du client d’un revendeur.", "This account belongs to a reseller’s customer.")}</p>`,
    );
  return section(title, [
    facts([
      [visit.t("Nom", "Name"), companyLink(visit, company.id, company.name)],
      [visit.t("Propriétaire", "Owner"), company.ownerName ?? visit.t("inconnu", "unknown")],
      [visit.t("Téléphone", "Phone"), company.ownerPhone ? phoneShown(visit, company.ownerPhone) : "–"],
      [visit.t("E-mail", "Email"), company.ownerEmail ?? "–"],
      [visit.t("Pays", "Country"), countryName(visit, company.country)],
      [visit.t("Créée le", "Created on"), visit.formats.moment(company.createdAt)],
      [visit.t("Solde", "Balance"), visit.credits(company.balance)],
    ]),
    company.trial &&
      remark(visit, "note", [
        "À l’essai : ses messages n’arrivent que sur des téléphones simulés, jusqu’à ce que son premier expéditeur soit accepté.",
        "On trial: its messages reach only simulated handsets until its first sender is accepted.",
      ]),
    company.suspendedAt !== null &&
      remark(visit, "wrong", ["Cette entreprise est suspendue.", "This company is suspended."]),
  ]);
}

function refusalForm(visit: Visit, action: string, hint: string): Html {
  const title = visit.t("Refuser", "Refuse");
  return section(title, [
    form(visit, action, [
      textArea(visit, "reason", visit.t("Motif", "Reason"), { hint, attributes: html`maxlength="500"` }),
      button(title, "danger", html`name="decision" value="refuse"`),
    ]),
  ]);
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

const SENDER_STATES: Readonly<Record<Sender["status"], State>> = {
  PENDING: ["wait", "À examiner", "To review"],
  SUBMITTED: ["note", "Soumis à l’opérateur", "Submitted to the operator"],
  ACCEPTED: ["good", "Accepté", "Accepted"],
  REFUSED: ["wrong", "Refusé", "Refused"],
};

async function sender(visit: Visit): Promise<View> {
  const { data: one } = await visit.callAsAdmin("/v1/admin/sender/{id}");
  const action = `/admin/reviews/senders/${one.id}`;
  const isOpen = one.status === "PENDING" || one.status === "SUBMITTED";
  return viewOf(visit, {
    title: one.name,
    body: html`${registrationNotice(visit)}<p>${stateBadge(visit, SENDER_STATES[one.status])} ${resembling(visit, one.resembles)}</p>
${alikePart(visit, one)}
${
  one.resembles !== undefined &&
  remark(visit, "wrong", [
    `Ce nom ressemble à ${one.resembles}. Acceptez-le seulement si l’entreprise prouve que la marque lui appartient.`,
    `This name looks like ${one.resembles}. Accept it only if the company proves that it owns the brand.`,
  ])
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
${one.status === "ACCEPTED" && (await registrationsPart(visit, one))}
${
  isOpen &&
  mayAdminister(visit, "review") &&
  html`${one.alike && acceptanceForm(visit, action)}
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
${refusalForm(visit, action, visit.t("L’entreprise verra ce motif.", "The company will see this reason."))}`
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
  return html`${remark(visit, "wrong", ["Ce nom peut être confondu avec celui d’une autre entreprise :", "This name can be confused with that of another company:"])}
<ul>${alike.map(({ name, companyId, companyName, acceptedAt }) => html`<li><strong>${name}</strong>, ${companyLink(visit, companyId, companyName)}, ${since(acceptedAt)}</li>`)}</ul>`;
}

/** Accepting a name that looks like another one requires a written reason. */
function acceptanceForm(visit: Visit, action: string): Html {
  const title = visit.t("Accepter", "Accept");
  return section(title, [
    form(visit, action, [
      textArea(visit, "acceptedFor", visit.t("Motif de l’acceptation", "Reason for acceptance"), {
        hint: visit.t(
          "Ce motif est consigné dans le journal d’audit. L’entreprise ne le voit pas.",
          "This reason is recorded in the audit log. The company does not see it.",
        ),
        attributes: html`maxlength="500"`,
      }),
      button(title, "main", html`name="decision" value="accept"`),
    ]),
  ]);
}

const SENDER_DONE = { accept: "accepted", submit: "submitted", refuse: "refused" } as const;

async function decideOnSender(visit: Visit): Promise<View | Redirect> {
  const [id, what] = [visit.id, visit.field("decision")];
  const reason = visit.field("reason").trim();
  const acceptedFor = visit.field("acceptedFor").trim();
  const calling =
    what === "accept"
      ? visit.callAsAdmin("/v1/admin/sender/{id}/accept", { id, ...(acceptedFor && { reason: acceptedFor }) })
      : what === "submit"
        ? visit.callAsAdmin("/v1/admin/sender/{id}/submit", { id })
        : visit.callAsAdmin("/v1/admin/sender/{id}/refuse", { id, reason });
  const next = decided(SENDER_DONE[what as keyof typeof SENDER_DONE] ?? "refused");
  return visit.submit<unknown>(calling, sender, next, what === "accept" ? { reason: "acceptedFor" } : {});
}

const decided = (done: string) => `/admin/reviews?done=${done}`;

type Application = Data<"/v1/admin/third-party-app/{id}">;

const APPLICATION_STATES: Readonly<Record<Application["status"], State>> = {
  PENDING_REVIEW: ["wait", "À examiner", "To review"],
  ACTIVE: ["good", "Active", "Active"],
  REJECTED: ["wrong", "Refusée", "Rejected"],
  INACTIVE: ["calm", "Désactivée", "Deactivated"],
};

async function application(visit: Visit): Promise<View> {
  const { data: one } = await visit.callAsAdmin("/v1/admin/third-party-app/{id}");
  const action = `/admin/reviews/applications/${one.id}`;
  return viewOf(visit, {
    title: one.name,
    body: html`<p>${stateBadge(visit, APPLICATION_STATES[one.status])} ${resembling(visit, one.resembles)}</p>
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
    [visit.t("Demandée le", "Requested on"), visit.formats.moment(one.createdAt)],
    one.forgottenAt !== undefined && [
      visit.t("Expire sans décision le", "Expires without a decision on"),
      visit.formats.moment(one.forgottenAt),
    ],
    one.rejectionReason !== undefined && [
      visit.t("Motif du refus", "Reason for refusal"),
      one.rejectionReason,
    ],
  ]),
])}
${mayAdminister(visit, "review") && applicationDecisions(visit, one, action)}`,
  });
}

function applicationDecisions(visit: Visit, { status }: Application, action: string): Html | false {
  if (status === "ACTIVE")
    return html`${remark(visit, "wait", ["La désactivation arrête immédiatement l’application et toutes ses connexions.", "Deactivation stops the application and all its connections immediately."])}
${actions([formButton(visit, action, visit.t("Désactiver", "Deactivate"), { kind: "danger", members: { decision: "deactivate" } })])}`;
  if (status === "INACTIVE")
    return actions([decision(visit, action, visit.t("Réactiver", "Reactivate"), "reactivate")]);
  if (status === "REJECTED") return false;
  return html`${actions([decision(visit, action, visit.t("Accepter", "Accept"), "approve")])}
${refusalForm(visit, action, visit.t("Le développeur verra ce motif.", "The developer will see this reason."))}`;
}

async function decideOnApplication(visit: Visit): Promise<View | Redirect> {
  const [id, what] = [visit.id, visit.field("decision")];
  const rejectionReason = visit.field("reason").trim();
  const calling =
    what === "approve" || what === "deactivate" || what === "reactivate"
      ? visit.callAsAdmin(`/v1/admin/third-party-app/{id}/${what}`, { id })
      : visit.callAsAdmin("/v1/admin/third-party-app/{id}/reject", { id, rejectionReason });
  const next =
    what === "deactivate" || what === "reactivate"
      ? `/admin/reviews/applications/${id}`
      : decided(what === "approve" ? "accepted" : "refused");
  return visit.submit<unknown>(calling, application, next, { rejectionReason: "reason" });
}

function readCampaign(visit: Visit) {
  return visit.callAsAdmin("/v1/admin/campaign/held/{id}");
}

async function campaign(visit: Visit): Promise<View> {
  const { data: one } = await readCampaign(visit);
  const action = `/admin/reviews/campaigns/${one.id}`;
  const links = [
    ...one.text.matchAll(/\bhttps?:\/\/\S+|\b[\w-]+\.(?:com|net|org|ci|sn|link|ly|me|info|xyz|top)\b\S*/gi),
  ];
  const { segments } = segmentsOf(one.text);
  return viewOf(visit, {
    title: one.name ?? visit.t("Première campagne", "First campaign"),
    body: html`<p>${badge("wait", visit.t("Retenue pour examen", "Held for review"))}</p>
${links.length > 0 && remark(visit, "wait", [`Le texte contient une adresse web : ${links.map(([link]) => link).join(", ")}. Vérifiez où elle mène, sans y saisir de données.`, `The text contains a web address: ${links.map(([link]) => link).join(", ")}. Check where it leads, but do not enter any data there.`])}
<div class="columns">
${section(visit.t("Message", "Message"), [
  handset(one.senderName, [one.text]),
  facts([
    [visit.t("Expéditeur", "Sender"), one.senderName],
    [visit.t("Destinataires", "Recipients"), visit.formats.number(one.contactCount)],
    [visit.t("Longueur", "Length"), visit.formats.count(segments, "SMS", "SMS")],
    [visit.t("Retenue depuis", "Held since"), visit.formats.moment(one.heldAt)],
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
  const { id, companyId } = (await readCampaign(visit)).data;
  const isReleased = visit.field("decision") === "release";
  const path = isReleased ? "/v1/admin/campaign/{id}/release" : "/v1/admin/campaign/{id}/cancel";
  const next = decided(isReleased ? "released" : "canceled");
  return visit.submit(visit.callAsAdmin(path, { id, companyId }), campaign, next);
}
