// The operators: the current state of each one's sessions, and its delivery rate today and in the last days.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import { sentOf } from "../parts/days.ts";
import { formButton, linkButton, plainButton } from "../parts/forms.ts";
import { empty, pager, queryOf } from "../parts/lists.ts";
import { actions, badge, doneNotice, facts, notice, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { fieldsOf } from "../stepping.ts";
import { Fragment, type View, type Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";
import { operatorTrouble } from "./binderrors.ts";
import { connectorTitles } from "./connectorfields.ts";
import { daysChart, readDays } from "./days.ts";
import { phoneFacts } from "./operatorphone.ts";
import { qualitySection } from "./operatorquality.ts";
import type { OperatorShown } from "./operatorsettings.ts";
import { carrierSections } from "./operatorsetup.ts";
import { operatorState, readOperator } from "./operatorstate.ts";

export function addAdminOperators(screens: Screens): void {
  screens.page("/admin/operators", list);
  screens.page("/admin/operators/live", live);
  screens.page("/admin/operators/:id", show);
  screens.page("/admin/operators/:id/live", liveOne);
}

const SHOWN = 20;

async function list(visit: Visit): Promise<View> {
  const listed = await readOperators(visit);
  return {
    title: visit.t("Opérateurs", "Operators"),
    islands: ["live"],
    body: html`${doneNotice(visit, {
      made: visit.t(
        "L’opérateur est ajouté. Sa liaison s’établit dans la seconde.",
        "The operator is added. It binds within a second.",
      ),
      changed: visit.t("Les modifications sont enregistrées.", "Changes saved."),
      held: visit.t(
        "L’envoi par cet opérateur est suspendu. Ses accusés de réception arrivent toujours.",
        "Sending through this operator is paused. Its delivery receipts still arrive.",
      ),
      resumed: visit.t("L’envoi par cet opérateur a repris.", "Sending through this operator has resumed."),
      deleted: visit.t(
        "L’opérateur est supprimé. Ses messages en file d’attente passent aux autres opérateurs.",
        "The operator is deleted. Its queued messages go to other operators.",
      ),
    })}
${actions([
  mayAdminister(visit, "govern") &&
    linkButton("/admin/operators/new", visit.t("Ajouter un opérateur", "Add operator"), "main", "add"),
  linkButton("/admin/probes", visit.t("Téléphones de test", "Test handsets"), "second"),
])}
${
  listed.totalCount === 0
    ? empty(
        visit.t("Aucun opérateur", "No operators yet"),
        visit.t("Sans opérateur, aucun SMS ne peut être envoyé.", "Without an operator, no SMS can be sent."),
      )
    : html`<div class="stack" data-live="/admin/operators/live${queryOf(fieldsOf(visit.place))}">${await operatorsPart(visit, listed.data)}</div>
${pager(visit, listed, "/admin/operators")}`
}`,
  };
}

function readOperators(visit: Visit) {
  return visit.listedAsAdmin("/v1/admin/operator/list", { limit: SHOWN });
}

async function live(visit: Visit): Promise<Fragment> {
  const { data } = await readOperators(visit);
  return new Fragment(await operatorsPart(visit, data), false);
}

const DAYS_SHOWN = 14;

async function show(visit: Visit): Promise<View> {
  const operator = await readOperator(visit);
  const { id, name } = operator;
  return {
    title: name,
    islands: ["live", "copy"],
    back: { href: "/admin/operators", text: visit.t("Opérateurs", "Operators") },
    body: html`<div data-live="/admin/operators/${id}/live">${await operatorsPart(visit, [operator])}</div>
${await carrierSections(visit, operator)}
${await qualitySection(visit, id)}
${await daysChart(visit, DAYS_SHOWN, { operatorId: id })}`,
  };
}

async function liveOne(visit: Visit): Promise<Fragment> {
  return new Fragment(await operatorsPart(visit, [await readOperator(visit)]), false);
}

type Today = { sent: number; delivered: number; undelivered: number; failed: number };

const NOTHING: Today = { sent: 0, delivered: 0, undelivered: 0, failed: 0 };

async function operatorsPart(visit: Visit, operators: readonly OperatorShown[]): Promise<Html> {
  const [today] = await readDays(visit, 1);
  const counted = new Map((today?.byOperator ?? []).map((row) => [row.operatorId, row]));
  const titleOf = await connectorTitles(visit, operators);
  return html`${operators.map((operator) => operatorPart(visit, operator, counted.get(operator.id), titleOf(operator)))}`;
}

const PREFIXES_SHOWN = 12;

function operatorPart(
  visit: Visit,
  operator: OperatorShown,
  today: Today | undefined,
  connector: string | undefined,
): Html {
  const { id, name, boundAt } = operator;
  const isAlone = visit.params.id === id;
  return section(
    isAlone ? visit.t("État actuel", "Current state") : name,
    [
      html`<p>${operatorState(visit, operator)} ${boundAt !== null && visit.t(`depuis ${sinceOf(visit, boundAt)}`, `since ${sinceOf(visit, boundAt)}`)}</p>`,
      operatorTrouble(visit, operator),
      operator.suspect && !isAlone && suspectNotice(visit, operator),
      operatorFacts(visit, operator, today, connector),
    ],
    operatorLinks(visit, operator, isAlone),
  );
}

function suspectNotice(visit: Visit, { id }: OperatorShown): Html {
  const words = visit.t(
    "Ses accusés de réception semblent faux : bien moins de messages arrivent qu’ils ne le disent.",
    "Its delivery receipts seem to be false: far fewer messages arrive than they say.",
  );
  return notice("wrong", [
    html`${words} <a href="/admin/operators/${id}">${visit.t("Voir la qualité", "View quality")}</a>`,
  ]);
}

function operatorLinks(visit: Visit, operator: OperatorShown, isAlone: boolean): Html {
  const { id, kind, enabled } = operator;
  const mayGovern = mayAdminister(visit, "govern");
  return actions([
    !isAlone && html`<a href="/admin/operators/${id}">${visit.t("Statistiques", "Statistics")}</a>`,
    mayGovern &&
      kind === "http" &&
      !enabled &&
      html`<a href="/admin/operators/${id}/setup">${visit.t("Mettre en service", "Put into service")}</a>`,
    mayGovern &&
      kind === "phone" &&
      html`<a href="/admin/operators/${id}/phone">${visit.t("Appairer", "Pair")}</a>`,
    mayGovern && html`<a href="/admin/operators/${id}/test">${visit.t("Tester", "Test")}</a>`,
    mayGovern && html`<a href="/admin/operators/${id}/edit">${visit.t("Modifier", "Edit")}</a>`,
    mayGovern && holdButton(visit, operator),
  ]);
}

/** `connector`: the title of the connector of an operator over HTTP. */
function operatorFacts(
  visit: Visit,
  operator: OperatorShown,
  today: Today | undefined,
  connector: string | undefined,
): Html {
  const { kind, host, port, tls, bound, binds, inFlight, window, rate, tps, prefixes } = operator;
  const { formats } = visit;
  const room = window * Math.max(bound, 1);
  const perSecond = visit.t("SMS/s", "SMS/s");
  return facts([
    connector !== undefined && [visit.t("Fournisseur", "Provider"), connector],
    kind === "smpp" && [
      visit.t("Liaisons", "Binds"),
      visit.t(`${bound} sur ${binds}`, `${bound} of ${binds}`),
    ],
    [
      visit.t("Fenêtre", "Window"),
      visit.t(
        `${formats.number(inFlight)} sur ${formats.number(room)} en attente de réponse`,
        `${formats.number(inFlight)} of ${formats.number(room)} awaiting a response`,
      ),
    ],
    ...phoneFacts(visit, operator),
    kind !== "phone" && [
      visit.t("Débit", "Rate"),
      html`${formats.number(Math.round(rate))} ${perSecond}${tps !== null && html` <small>${visit.t(`sur ${formats.number(tps)} convenus`, `of ${formats.number(tps)} agreed`)}</small>`} ${isThrottled(operator) && badge("wait", visit.t("Débit maximal atteint", "At its limit"))}`,
    ],
    [visit.t("Aujourd’hui", "Today"), todayText(visit, today)],
    [
      visit.t("Préfixes", "Prefixes"),
      html`${prefixes.slice(0, PREFIXES_SHOWN).join(", ")}${prefixes.length > PREFIXES_SHOWN && ` … (${formats.number(prefixes.length)})`}`,
    ],
    kind === "smpp" && [visit.t("Adresse", "Address"), `${host}:${port}${tls ? " (TLS)" : ""}`],
  ]);
}

function holdButton(visit: Visit, { id, heldAt }: OperatorShown): Html {
  return heldAt === null
    ? plainButton(visit, `/admin/operators/${id}/hold`, visit.t("Suspendre l’envoi", "Pause sending"))
    : formButton(visit, `/admin/operators/${id}/resume`, visit.t("Reprendre l’envoi", "Resume sending"));
}

/** From nine tenths of the agreed rate on, the rate limit is what delays messages. */
const LIMIT_SHARE = 0.9;

function isThrottled({ rate, tps, inFlight }: OperatorShown): boolean {
  return tps !== null && tps > 0 && inFlight > 0 && rate >= tps * LIMIT_SHARE;
}

function sinceOf(visit: Visit, at: string): string {
  const isToday = visit.formats.dateValue(at) === visit.formats.dateValue(new Date(nowMs()));
  return isToday ? visit.formats.time(at) : visit.formats.moment(at);
}

function todayText(visit: Visit, today: Today | undefined): string {
  const { sent, delivered, lost } = sentOf({ ...(today ?? NOTHING), canceled: 0 });
  if (sent === 0) return visit.t("aucun envoi", "nothing sent");
  const share = visit.formats.share(delivered, delivered + lost);
  return visit.t(
    `${visit.formats.number(sent)} envoyés, ${share} remis`,
    `${visit.formats.number(sent)} sent, ${share} delivered`,
  );
}
