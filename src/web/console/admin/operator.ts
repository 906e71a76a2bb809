// One operator: creation (over SMPP), changes, deletion, and a test message through it.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Body, Data } from "../apiclient.ts";
import { button, field, form, formButton, linkButton, textArea } from "../parts/forms.ts";
import { actions, facts, notice, remark } from "../parts/parts.ts";
import { messageState } from "../parts/states.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { phoneShown } from "./admin.ts";
import { bindError } from "./binderrors.ts";
import { bodyOf, changeActions, settingField } from "./operatorfields.ts";
import { changeHttp, editHttp } from "./operatorhttp.ts";
import { changePhone, editPhone } from "./operatorphone.ts";
import { essentials, type OperatorShown, refinements } from "./operatorsettings.ts";
import { readOperator } from "./operatorstate.ts";

export function addAdminOperator(screens: Screens): void {
  screens.pageAndForm("/admin/operators/new/smpp", (visit) => edit(visit, undefined), create);
  screens.pageAndForm(
    "/admin/operators/:id/edit",
    async (visit) => {
      const operator = await readOperator(visit);
      if (operator.kind === "phone") return editPhone(visit, operator);
      return operator.kind === "http" ? editHttp(visit, operator) : edit(visit, operator);
    },
    change,
  );
  screens.question("/admin/operators/:id/delete", confirmDelete, {
    call: (visit) => visit.callAsAdmin("/v1/admin/operator/{id}/delete"),
    next: "/admin/operators?done=deleted",
  });
  screens.form("/admin/operators/:id/hold", (visit) => hold(visit, "hold"));
  screens.form("/admin/operators/:id/resume", (visit) => hold(visit, "resume"));
  screens.pageAndForm("/admin/operators/:id/test", newTest, beginTest);
  screens.page("/admin/operators/:id/test/:testId", showTest);
  screens.page("/admin/operators/:id/test/:testId/live", liveTest);
}

const backTo = (visit: Visit) => ({ href: "/admin/operators", text: visit.t("Opérateurs", "Operators") });

function edit(visit: Visit, operator: OperatorShown | undefined): View {
  const [first, rest] = [essentials(visit, !operator), refinements(visit)];
  const fieldsOf = (settings: typeof first) =>
    settings.map((setting) => settingField(visit, setting, operator));
  const isAmongRest = rest.some(({ name }) => visit.problem?.isAt(name));
  return {
    title: operator?.name ?? visit.t("Nouvel opérateur SMPP", "New operator over SMPP"),
    narrow: true,
    back: operator
      ? backTo(visit)
      : { href: "/admin/operators/new", text: visit.t("Choisir un autre moyen", "Choose another way") },
    body: html`${
      operator &&
      remark(visit, "note", [
        "Si vous modifiez la liaison, les envois en cours se terminent, puis la session est rouverte. Aucun message n’est perdu.",
        "If you change the session settings, messages in flight are completed, then the session is reopened. No messages are lost.",
      ])
    }
${form(visit, operator ? `/admin/operators/${operator.id}/edit` : "/admin/operators/new/smpp", [
  html`${fieldsOf(first)}`,
  html`<details${isAmongRest && html` open`}><summary>${visit.t("Réglages avancés", "Advanced settings")}</summary><div class="stack"><p><small>${visit.t("Un champ vide prend la valeur par défaut, qui convient à la plupart des opérateurs.", "An empty field takes the default value, which suits most operators.")}</small></p>${fieldsOf(rest)}</div></details>`,
  operator
    ? changeActions(visit, operator)
    : actions([button(visit.t("Ajouter l’opérateur", "Add operator"))]),
])}`,
  };
}

async function create(visit: Visit): Promise<View | Redirect> {
  const body = bodyOf(visit, [...essentials(visit, true), ...refinements(visit)]);
  const calling = visit.callAsAdmin("/v1/admin/operator/create", body as Body<"/v1/admin/operator/create">);
  return visit.submit(calling, (again) => edit(again, undefined), "/admin/operators?done=made");
}

async function change(visit: Visit): Promise<View | Redirect> {
  const operator = await readOperator(visit);
  if (operator.kind === "http") return changeHttp(visit, operator);
  if (operator.kind === "phone") return changePhone(visit, operator);
  const body = {
    id: operator.id,
    ...bodyOf(visit, [...essentials(visit, false), ...refinements(visit)], operator),
  };
  const calling = visit.callAsAdmin(
    "/v1/admin/operator/{id}/update",
    body as Body<"/v1/admin/operator/{id}/update">,
  );
  return visit.submit(calling, (again) => edit(again, operator), "/admin/operators?done=changed");
}

async function confirmDelete(visit: Visit): Promise<View> {
  const { id, name } = await readOperator(visit);
  return {
    title: visit.t(`Supprimer ${name} ?`, `Delete ${name}?`),
    narrow: true,
    back: backTo(visit),
    body: html`<p>${visit.t(
      "Ses envois en cours se terminent, et ses messages en file d’attente passent aux autres opérateurs de ces préfixes. Les accusés de réception de ses messages restent pris en compte pendant 7 jours s’ils arrivent par un autre opérateur du même compte. Ses numéros portés devront être importés de nouveau.",
      "Its messages in flight are completed, and its queued messages go to the other operators of these prefixes. Delivery receipts for its messages still count for 7 days if they arrive through another operator of the same account. Its ported numbers must be imported again.",
    )}</p>
${actions([
  formButton(visit, `/admin/operators/${id}/delete`, visit.t("Supprimer l’opérateur", "Delete operator"), {
    kind: "danger",
  }),
  linkButton(`/admin/operators/${id}/edit`, visit.t("Annuler", "Cancel"), "plain"),
])}`,
  };
}

async function hold(visit: Visit, what: "hold" | "resume"): Promise<Redirect> {
  await visit.callAsAdmin(`/v1/admin/operator/{id}/${what}`);
  return new Redirect(`/admin/operators?done=${what === "hold" ? "held" : "resumed"}`);
}

async function newTest(visit: Visit): Promise<View> {
  const { id, name } = await readOperator(visit);
  return {
    title: visit.t(`Tester ${name}`, `Test ${name}`),
    narrow: true,
    back: backTo(visit),
    body: html`<p class="lead">${visit.t(
      "Un SMS est envoyé par cet opérateur, quel que soit le préfixe du numéro, aux frais du service.",
      "One SMS is sent through this operator, whatever the prefix of the number. The service pays for it.",
    )}</p>
${form(visit, `/admin/operators/${id}/test`, [
  field(visit, "phone", visit.t("Numéro de téléphone", "Phone number"), {
    hint: visit.t("De préférence le vôtre.", "Preferably your own."),
    attributes: html`class="short" inputmode="tel" autocomplete="tel" maxlength="30"`,
    type: "tel",
  }),
  textArea(visit, "text", visit.t("Texte", "Text"), {
    isOptional: true,
    attributes: html`maxlength="2000"`,
    rows: 3,
  }),
  button(visit.t("Envoyer le test", "Send test")),
])}`,
  };
}

async function beginTest(visit: Visit): Promise<View | Redirect> {
  const [id, phone, text] = [visit.id, visit.field("phone"), visit.field("text").trim()];
  const calling = visit.callAsAdmin("/v1/admin/operator/{id}/test", { id, phone, ...(text && { text }) });
  return visit.submit(calling, newTest, ({ data }) => `/admin/operators/${id}/test/${data.id}`);
}

type Test = Data<"/v1/admin/operator/{id}/test/{testId}">;

async function readTest(visit: Visit): Promise<Test> {
  return (await visit.callAsAdmin("/v1/admin/operator/{id}/test/{testId}")).data;
}

async function showTest(visit: Visit): Promise<View> {
  const [id, testId] = [visit.id, visit.param("testId")];
  const operator = await readOperator(visit);
  return {
    title: visit.t(`Test de ${operator.name}`, `Test of ${operator.name}`),
    narrow: true,
    back: { href: `/admin/operators/${id}`, text: operator.name },
    islands: ["live"],
    body: html`<div class="stack" data-live="/admin/operators/${id}/test/${testId}/live">${testPart(visit, await readTest(visit), operator)}</div>
${actions([linkButton(`/admin/operators/${id}/test`, visit.t("Nouveau test", "New test"), "second")])}`,
  };
}

const OPEN: ReadonlySet<Test["status"]> = new Set<Test["status"]>(["QUEUED", "SENDING", "SENT"]);

async function liveTest(visit: Visit): Promise<Fragment> {
  const [test, operator] = await Promise.all([readTest(visit), readOperator(visit)]);
  return new Fragment(testPart(visit, test, operator), !OPEN.has(test.status));
}

/** A test that is still queued waits for what the operator lacks. */
function testPart(visit: Visit, test: Test, { error }: OperatorShown): Html {
  const time = (at: string | null) => (at === null ? "–" : visit.formats.time(at));
  return html`<p>${messageState(visit, test.status)}</p>
${test.errorReason !== null && notice("wrong", test.errorReason)}
${test.status === "QUEUED" && error !== null && notice("wrong", bindError(visit, error))}
<section>${facts([
    [visit.t("Numéro", "Number"), phoneShown(visit, test.phone)],
    [visit.t("Demandé le", "Requested"), visit.formats.moment(test.createdAt)],
    [visit.t("Envoyé", "Sent"), time(test.sentAt)],
    [visit.t("Remis", "Delivered"), time(test.deliveredAt)],
    [visit.t("Longueur", "Length"), visit.formats.count(test.segments, "SMS", "SMS")],
    test.error !== null && [visit.t("Code de l’opérateur", "Operator code"), test.error],
    test.operatorMessageId !== null && [
      visit.t("Identifiant du message chez l’opérateur", "Operator’s message ID"),
      test.operatorMessageId,
    ],
  ])}</section>
${OPEN.has(test.status) && html`<p><small>${visit.t("Cette page s’actualise automatiquement. Sans JavaScript, rechargez-la.", "This page updates automatically. Without JavaScript, reload it.")}</small></p>`}`;
}
