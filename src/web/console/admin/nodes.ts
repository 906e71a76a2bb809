// The processes of the service: which are alive, what each does, and which binds it owns.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { plainButton } from "../parts/forms.ts";
import { pager } from "../parts/lists.ts";
import { badge, doneNotice, facts, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";

const HERE = "/admin/nodes";
const SHOWN = 20;
/** A process with a greater clock error is not ready. */
const CLOCK_OFF_MS = 2_000;

export function addAdminNodes(screens: Screens): void {
  screens.page(HERE, list);
  screens.form(`${HERE}/move/:id/:bind`, move);
}

type Node = Data<"/v1/admin/node/list">[number];

async function list(visit: Visit): Promise<View> {
  const listed = await visit.listedAsAdmin("/v1/admin/node/list", { limit: SHOWN });
  return {
    title: visit.t("Processus", "Processes"),
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
    body: html`${doneNotice(visit, {
      moved: visit.t(
        "La liaison passe à l’autre processus dès que toutes les réponses sont reçues.",
        "The bind moves to the other process as soon as all responses have arrived.",
      ),
    })}
${listed.data.map((node) => nodePart(visit, node))}
${pager(visit, listed, HERE)}`,
  };
}

function nodePart(visit: Visit, node: Node): Html {
  const { formats } = visit;
  const { id, host, pid, version, roles, startedAt, seenAt, isAlive, lastTurnAt, aheadMs, binds } = node;
  const ago = (at: string | null) => (at === null ? "–" : formats.ago(at, nowMs()));
  return section(`${host} · ${pid}`, [
    html`<p>${isAlive ? badge("good", visit.t("En marche", "Running")) : badge("wrong", visit.t("Ne répond plus", "Not responding"))}</p>`,
    facts([
      [visit.t("Rôles", "Roles"), roles.join(", ")],
      [visit.t("Version", "Version"), version],
      [visit.t("Démarré le", "Started"), formats.moment(startedAt)],
      [visit.t("Dernier signe de vie", "Last heartbeat"), ago(seenAt)],
      roles.includes("gateway") && [visit.t("Dernier cycle", "Last cycle"), ago(lastTurnAt)],
      aheadMs !== null &&
        Math.abs(aheadMs) > CLOCK_OFF_MS && [
          visit.t("Horloge de la machine", "Host clock"),
          badge(
            "wrong",
            visit.t(`décalée de ${formats.number(aheadMs)} ms`, `off by ${formats.number(aheadMs)} ms`),
          ),
        ],
      binds.length > 0 && [visit.t("Liaisons", "Binds"), bindsPart(visit, binds)],
      [visit.t("Nom", "Name"), html`<code>${id}</code>`],
    ]),
  ]);
}

function bindsPart(visit: Visit, binds: Node["binds"]): Html {
  return html`${binds.map(
    ({ operatorId, operator, bind, state }) =>
      html`<p>${operator} ${bind} ${state !== "BOUND" && badge("wait", state)} ${
        mayAdminister(visit, "govern") &&
        plainButton(visit, `${HERE}/move/${operatorId}/${bind}`, visit.t("Déplacer", "Move"))
      }</p>`,
  )}`;
}

async function move(visit: Visit): Promise<View | Redirect> {
  const [id, bind] = [visit.id, visit.param("bind")];
  const calling = visit.callAsAdmin("/v1/admin/operator/{id}/move", { id, bind: Number(bind) });
  return visit.submit(calling, list, `${HERE}?done=moved`);
}
