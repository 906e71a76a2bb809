// One number across all companies: its messages and their statuses, and whether it is ported.
import { type Html, html } from "../../../platform/http/html.ts";
import { compileTemplate } from "../../../protocol/sms/personalise.ts";
import type { AnswerOf, Data } from "../apiclient.ts";
import { queueNotice, templateWords } from "../company/numbers.ts";
import { button, linkButton, wrongPart } from "../parts/forms.ts";
import { listPart } from "../parts/lists.ts";
import { actions, facts, section } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import { messageState } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { companyLink, mayAdminister } from "./admin.ts";

export function addAdminNumbers(screens: Screens): void {
  screens.page("/admin/numbers", search);
}

type Listed = AnswerOf<"/v1/admin/message/list">;
type Found = Listed["data"][number];

const SHOWN = 20;

async function search(visit: Visit): Promise<View> {
  const phone = visit.field("phone").trim();
  const found = phone === "" ? undefined : await visit.attempt(look(visit, phone));
  if (found instanceof Problem) visit.problem = found;
  const label = visit.t("Numéro avec l’indicatif du pays", "Number with country code");
  return {
    title: visit.t("Numéros", "Numbers"),
    body: html`<form method="get" action="/admin/numbers" role="search" class="actions"><label class="grow" for="phone"><span>${label}</span>${wrongPart(visit, "phone", label)}<input type="tel" id="phone" name="phone" value="${phone}" inputmode="tel" maxlength="30" required${visit.problem && html` aria-invalid="true" aria-describedby="phone-wrong"`}></label>${button(visit.t("Chercher", "Search"), "second")}</form>
${found !== undefined && !(found instanceof Problem) && foundPart(visit, phone, found)}`,
  };
}

type Answers = { ported: Data<"/v1/admin/ported/find">; messages: Listed };

async function look(visit: Visit, typed: string): Promise<Answers> {
  // People write Ivorian numbers without their calling code.
  const digits = typed.replace(/\D/g, "");
  const phone = /^0[157]\d{8}$/.test(digits) ? `225${digits}` : typed;
  const { data: ported } = await visit.callAsAdmin("/v1/admin/ported/find", { phone });
  const messages = await visit.listedAsAdmin("/v1/admin/message/list", {
    phone,
    limit: SHOWN,
  });
  return { ported, messages };
}

function foundPart(visit: Visit, phone: string, { ported, messages }: Answers): Html {
  const shown = /^\d+$/.test(ported.phone) ? visit.formats.phone(ported.phone) : ported.phone;
  const operator =
    ported.operatorId === null
      ? visit.t("non (opérateur de son préfixe)", "no (operator of its prefix)")
      : (ported.operator ?? visit.t("vers un opérateur supprimé", "to a deleted operator"));
  return html`${section(shown, [
    facts([[visit.t("Numéro porté", "Ported number"), operator]]),
    mayAdminister(visit, "govern") &&
      actions([
        linkButton(
          `/admin/handsets/${ported.phone}`,
          visit.t("Ouvrir le téléphone simulé", "Open simulated handset"),
          "second",
        ),
      ]),
  ])}
${!messages.queueSearched && queueNotice(visit)}
${messagesPart(visit, phone, messages)}`;
}

function messagesPart(visit: Visit, phone: string, messages: Listed): Html {
  return listPart(visit, messages, {
    title: visit.t("Messages vers ce numéro", "Messages to this number"),
    columns: [
      [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
      [
        visit.t("Expéditeur", "Sender"),
        ({ companyId, companyName, sender }) =>
          html`${companyName === null ? visit.t("client d’un revendeur", "reseller’s customer") : companyLink(visit, companyId, companyName)}${sender !== null && html` <small>${sender}</small>`}`,
      ],
      [visit.t("Message", "Message"), (message) => whatOf(visit, message)],
      [
        visit.t("Statut", "Status"),
        ({ status, errorReason, error }) =>
          html`${messageState(visit, status)}${error !== null && html` <small>${errorReason ?? error}</small>`}`,
      ],
      [visit.t("Opérateur", "Operator"), ({ operator }) => operator ?? "–"],
      [
        visit.t("Remis", "Delivered"),
        ({ deliveredAt }) => (deliveredAt === null ? "–" : visit.formats.time(deliveredAt)),
      ],
    ],
    url: "/admin/numbers",
    filters: { phone },
    none: [
      visit.t("Aucun message", "No messages"),
      visit.t(
        "Aucun message n’a été envoyé à ce numéro depuis trois mois, et aucun n’est en file d’attente.",
        "No message was sent to this number in the last three months, and none is queued.",
      ),
    ],
  });
}

function whatOf(visit: Visit, { kind, campaignName, text }: Found): Html | string {
  if (kind === "otp") return visit.t("Mot de passe à usage unique", "One-time password");
  if (text === null) return campaignName ?? "–";
  const isPersonal = compileTemplate(text).personal;
  return html`${text}${isPersonal && html` <small class="line">${templateWords(visit)}</small>`}${campaignName !== null && html` <small>${campaignName}</small>`}`;
}
