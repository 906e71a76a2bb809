// Test handsets: the people who agreed to confirm messages, what was sent to them by which operator, and who answered.
import { html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { button, field, form, linkButton, select, textArea } from "../parts/forms.ts";
import { listPart, queryOf } from "../parts/lists.ts";
import {
  actions,
  doneNotice,
  facts,
  notice,
  prose,
  remark,
  type State,
  section,
  stateBadge,
} from "../parts/parts.ts";
import { messageState } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { mayAdminister, numberField, phoneShown } from "./admin.ts";

const HOME = "/admin/probes";

export function addAdminProbes(screens: Screens): void {
  screens.page("/admin/probes", list);
  screens.pageAndForm("/admin/probes/new", newProbe, create);
  screens.pageAndForm("/admin/probes/:id", show, send);
  screens.question("/admin/probes/:id/delete", confirmDelete, {
    call: (visit) => visit.callAsAdmin("/v1/admin/probe/{id}/delete"),
    next: `${HOME}?done=deleted`,
  });
}

type Probe = Data<"/v1/admin/probe/list">[number];
type Result = Data<"/v1/admin/probe/{id}/results">[number];

const SHOWN = 20;
const OPERATORS_SHOWN = 100;

async function list(visit: Visit): Promise<View> {
  const listed = await visit.listedAsAdmin("/v1/admin/probe/list", { limit: SHOWN });
  const title = visit.t("Téléphones de test", "Test handsets");
  return {
    title,
    back: { href: "/admin/operators", text: visit.t("Opérateurs", "Operators") },
    body: html`${doneNotice(visit, {
      made: visit.t("Le téléphone de test est ajouté.", "The test handset is added."),
      deleted: visit.t("Le téléphone de test est supprimé.", "The test handset is deleted."),
    })}
<p class="lead">${visit.t(
      "Un opérateur peut déclarer remis un SMS qui n’arrive pas. Des personnes qui l’ont accepté reçoivent des SMS par l’opérateur de votre choix, et les confirment en renvoyant un code.",
      "An operator may report an SMS as delivered that never arrives. People who agreed to it receive SMS through the operator that you choose, and confirm them by sending a code back.",
    )}</p>
${listPart(visit, listed, {
  title,
  columns: [
    [visit.t("Nom", "Name"), ({ id, name }) => html`<a href="${HOME}/${id}">${name}</a>`],
    [visit.t("Téléphone", "Phone"), ({ phone }) => phoneShown(visit, phone)],
    [visit.t("Envois", "Messages"), (probe) => rhythmText(visit, probe)],
    [visit.t("Ajouté le", "Added"), ({ createdAt }) => visit.formats.shortDay(createdAt)],
  ],
  url: HOME,
  add:
    mayAdminister(visit, "govern") &&
    linkButton(`${HOME}/new`, visit.t("Ajouter un téléphone", "Add handset"), "main", "add"),
  none: [
    visit.t("Aucun téléphone de test", "No test handsets yet"),
    visit.t(
      "Ajoutez le téléphone d’une personne qui a accepté de recevoir ces messages.",
      "Add the phone of a person who agreed to receive these messages.",
    ),
  ],
})}`,
  };
}

function rhythmText(visit: Visit, { everyHours }: Probe): string {
  if (everyHours === null) return visit.t("à la demande", "on request");
  return visit.t(
    `toutes les ${visit.formats.count(everyHours, "heure", "heures")}, par chaque opérateur`,
    `every ${visit.formats.count(everyHours, "hour", "hours")}, over each operator`,
  );
}

function newProbe(visit: Visit): View {
  return {
    title: visit.t("Nouveau téléphone de test", "New test handset"),
    narrow: true,
    back: { href: HOME, text: visit.t("Téléphones de test", "Test handsets") },
    body: form(visit, `${HOME}/new`, [
      field(visit, "name", visit.t("Nom", "Name"), {
        hint: visit.t("La personne et le lieu, par exemple.", "The person and the place, for example."),
        attributes: html`maxlength="200" autocomplete="off"`,
      }),
      field(visit, "phone", visit.t("Téléphone", "Phone"), {
        hint: visit.t("Par exemple +225 07 07 00 00 01.", "For example +225 07 07 00 00 01."),
        attributes: html`class="short" inputmode="tel" maxlength="30" autocomplete="off"`,
        type: "tel",
      }),
      textArea(visit, "consent", visit.t("Accord de la personne", "The person’s consent"), {
        hint: visit.t(
          "Qui a accepté de recevoir ces SMS, quand et comment.",
          "Who agreed to receive these SMS, when and how.",
        ),
        attributes: html`maxlength="500"`,
        rows: 2,
      }),
      select(visit, "language", visit.t("Langue des SMS", "Language of the SMS"), {
        value: visit.typed("language", "fr"),
        choices: [
          ["fr", "Français"],
          ["en", "English"],
        ],
      }),
      field(visit, "everyHours", visit.t("Intervalle, en heures", "Interval, in hours"), {
        isOptional: true,
        hint: visit.t(
          "Un SMS part à cet intervalle par chaque opérateur qui dessert le numéro, aux frais du service. Vide : seulement à la demande.",
          "At this interval, an SMS is sent over each operator that serves the number. The service pays for it. Empty: only on request.",
        ),
        attributes: html`class="short" inputmode="numeric" maxlength="3"`,
      }),
      button(visit.t("Ajouter le téléphone", "Add handset")),
    ]),
  };
}

async function create(visit: Visit): Promise<View | Redirect> {
  const everyHours = numberField(visit, "everyHours");
  const calling = visit.callAsAdmin("/v1/admin/probe/create", {
    name: visit.field("name"),
    phone: visit.field("phone"),
    consent: visit.field("consent"),
    language: visit.field("language") === "en" ? "en" : "fr",
    ...(everyHours !== undefined && { everyHours }),
  });
  return visit.submit(calling, newProbe, `${HOME}?done=made`);
}

async function show(visit: Visit): Promise<View> {
  const { data: probe } = await visit.callAsAdmin("/v1/admin/probe/{id}");
  const listed = await visit.listedAsAdmin("/v1/admin/probe/{id}/results", { id: probe.id, limit: SHOWN });
  const mayGovern = mayAdminister(visit, "govern");
  return {
    title: probe.name,
    back: { href: HOME, text: visit.t("Téléphones de test", "Test handsets") },
    body: html`${doneNotice(visit, {
      sent: visit.t(
        "Le SMS est parti. Il est confirmé dès que la personne renvoie le code.",
        "The SMS is on its way. It is confirmed as soon as the person sends the code back.",
      ),
    })}
${section(visit.t("Téléphone", "Handset"), [
  facts([
    [visit.t("Numéro", "Number"), phoneShown(visit, probe.phone)],
    [visit.t("Accord", "Consent"), probe.consent],
    [visit.t("Envois", "Messages"), rhythmText(visit, probe)],
    probe.nextAt !== null && [visit.t("Prochain envoi", "Next message"), visit.formats.moment(probe.nextAt)],
  ]),
  mayGovern && (await sendPart(visit, probe)),
  await replyPart(visit),
])}
${listPart(visit, listed, {
  title: visit.t("SMS des 90 derniers jours", "SMS of the last 90 days"),
  columns: [
    [visit.t("Date", "Date"), ({ createdAt }) => visit.formats.moment(createdAt)],
    [
      visit.t("Opérateur", "Operator"),
      ({ operator }) => operator ?? visit.t("opérateur supprimé", "deleted operator"),
    ],
    [visit.t("D’après l’opérateur", "Says the operator"), ({ status }) => messageState(visit, status)],
    [
      visit.t("Confirmation", "Confirmation"),
      (row) => (isLost(row) ? "–" : stateBadge(visit, RESULTS[row.result])),
    ],
    [visit.t("Code", "Code"), ({ marker }) => marker],
    [
      visit.t("Confirmé le", "Confirmed"),
      ({ confirmedAt }) => (confirmedAt === null ? "–" : visit.formats.moment(confirmedAt)),
    ],
  ],
  url: `${HOME}/${probe.id}`,
  none: [
    visit.t("Aucun SMS envoyé", "No SMS sent yet"),
    visit.t(
      "Envoyez le premier par l’opérateur de votre choix.",
      "Send the first one through the operator that you choose.",
    ),
  ],
})}
${mayGovern && actions([linkButton(`${HOME}/${probe.id}/delete`, visit.t("Supprimer ce téléphone", "Delete this handset"), "danger")])}`,
  };
}

const RESULTS: Readonly<Record<Result["result"], State>> = {
  PENDING: ["wait", "Attendue", "Pending"],
  CONFIRMED: ["good", "Confirmée", "Confirmed"],
  UNCONFIRMED: ["wrong", "Aucune en 24 heures", "None within 24 hours"],
};

/** Whether the operator itself says that the message did not arrive, so that nobody is expected to confirm it. */
function isLost({ status, result }: Result): boolean {
  return result !== "CONFIRMED" && !["QUEUED", "SENDING", "SENT", "DELIVERED"].includes(status);
}

/** Renders the form that sends a message over an operator. */
async function sendPart(visit: Visit, { id }: Probe) {
  const { data: all } = await visit.callAsAdmin("/v1/admin/operator/list", { limit: OPERATORS_SHOWN });
  const operators = all.filter(({ enabled }) => enabled);
  if (operators.length === 0)
    return remark(visit, "note", ["Aucun opérateur n’est en service.", "No operator is in service."]);
  return form(visit, `${HOME}/${id}`, [
    select(visit, "operatorId", visit.t("Opérateur", "Operator"), {
      value: visit.field("operatorId"),
      choices: operators.map((operator) => [operator.id, operator.name] as const),
    }),
    button(visit.t("Envoyer un SMS de test", "Send a test SMS"), "second"),
  ]);
}

/** Without a number of ours, only a phone or a numeric sender can be answered. */
async function replyPart(visit: Visit) {
  const { totalCount } = await visit.callAsAdmin("/v1/admin/inbound/number/list", { limit: 1 });
  return (
    totalCount === 0 &&
    notice(
      "wait",
      html`<p>${prose(
        visit.t(
          "Aucun numéro ne reçoit de messages (`admin/inbound/number/create`) : la personne ne peut répondre que si l’expéditeur affiché est un numéro.",
          "No number receives messages (`admin/inbound/number/create`): the person can only reply if the sender shown is a number.",
        ),
      )}</p>`,
    )
  );
}

async function send(visit: Visit): Promise<View | Redirect> {
  const operatorId = visit.field("operatorId");
  const calling = visit.callAsAdmin("/v1/admin/probe/{id}/send", { id: visit.id, operatorId });
  return visit.submit(calling, show, `${HOME}/${visit.id}${queryOf({ done: "sent", operatorId })}`);
}

async function confirmDelete(visit: Visit): Promise<View> {
  const { data } = await visit.callAsAdmin("/v1/admin/probe/{id}");
  return confirmView(visit, {
    title: visit.t(`Supprimer ${data.name} ?`, `Delete ${data.name}?`),
    text: visit.t(
      "Le téléphone ne reçoit plus de messages, et la liste de ses résultats est supprimée. Les chiffres de qualité des opérateurs sont conservés.",
      "The handset no longer gets messages, and the list of its results is deleted. The quality figures of operators are kept.",
    ),
    yes: visit.t("Supprimer le téléphone", "Delete handset"),
    back: { href: `${HOME}/${data.id}`, text: data.name },
  });
}
