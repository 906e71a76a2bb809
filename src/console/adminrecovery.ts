// What to do when the database may have forgotten what was sent: sending is held until an administrator decides here.
import { type Html, html } from "../kernel/html.ts";
import { ADMINISTRATION, mayAdminister } from "./admin.ts";
import { forgottenPart } from "./adminforgotten.ts";
import type { Data } from "./ask.ts";
import { formButton, linkButton } from "./forms.ts";
import { actions, facts, notice, section } from "./parts.ts";
import type { Screens } from "./screens.ts";
import { Problem } from "./sentences.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

const HERE = "/admin/recovery";

export function addAdminRecovery(screens: Screens): void {
  screens.page(HERE, (visit) => show(visit), ADMINISTRATION);
  screens.form(`${HERE}/resume`, (visit) => decide(visit, "/v1/admin/recovery/resume"), ADMINISTRATION);
  screens.form(`${HERE}/unknown`, (visit) => decide(visit, "/v1/admin/recovery/unknown"), ADMINISTRATION);
  screens.form(
    `${HERE}/submitted`,
    (visit) => decide(visit, "/v1/admin/recovery/unknown", { submittedOnly: true }),
    ADMINISTRATION,
  );
}

type Recovery = Data<"/v1/admin/recovery/read">;

/** Says on the overview that sending is held; nothing where it is not. */
export async function recoveryNotice(visit: Visit): Promise<Html | false> {
  const { data } = await visit.askAsAdministrator("/v1/admin/recovery/read");
  if (data.state === "NORMAL") return false;
  return notice("wrong", [
    html`<p>${visit.t("Aucun SMS ne part : la base de données peut avoir oublié des envois.", "No SMS goes out: the database may have forgotten what was sent.")}</p>`,
    actions([linkButton(HERE, visit.t("Voir et décider", "See and decide"))]),
  ]);
}

async function show(visit: Visit, problem?: Problem): Promise<View> {
  const { data } = await visit.askAsAdministrator("/v1/admin/recovery/read");
  const { formats } = visit;
  const at = (instant: string | null) => (instant === null ? "–" : formats.moment(instant));
  return {
    title: visit.t("Reprise de la base de données", "Recovery of the database"),
    at: "overview",
    narrow: true,
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
    problem,
    body: html`${stateNotice(visit, data)}
${facts([
  [visit.t("Ce qui s’est passé", "What happened"), reasonWords(visit, data)],
  [visit.t("Envoi suspendu", "Sending held"), at(data.heldAt)],
  [visit.t("Dernier signe de vie connu", "Last known sign of life"), at(data.lastSeenAt)],
  [visit.t("Messages qui attendaient", "Messages that waited"), formats.number(data.messages)],
  ...(data.decidedAt === null ? [] : [[visit.t("Décidé", "Decided"), decisionWords(visit, data)] as const]),
])}
${data.reason !== null && data.decision !== "CONTINUED" && forgottenPart(visit, data)}
${data.state === "HELD" && mayAdminister(visit, "govern") && choices(visit, data)}`,
  };
}

function stateNotice(visit: Visit, { state }: Recovery): Html {
  if (state === "NORMAL")
    return notice("good", visit.t("L’envoi n’est pas suspendu.", "Sending is not held."));
  if (state === "SETTLING")
    return notice(
      "wait",
      visit.t("La décision est en cours d’exécution.", "The decision is being carried out."),
    );
  return notice(
    "wrong",
    visit.t(
      "Rien ne part avant votre décision. Les SMS et les campagnes sont toujours acceptés, et attendent.",
      "Nothing goes out before you decide. SMS and campaigns are still accepted, and wait.",
    ),
  );
}

function reasonWords(visit: Visit, { reason }: Recovery): string {
  if (reason === null) return visit.t("rien", "nothing");
  const words = {
    RESTORED: visit.t("la base a été restaurée d’une copie", "the database was restored from a copy"),
    PROMOTED: visit.t(
      "un autre serveur a repris la base, ou elle a été restaurée à un moment passé",
      "another server took over the database, or it was restored to an earlier moment",
    ),
    LOST: visit.t(
      "un autre serveur a repris la base sans ses dernières écritures",
      "another server took over the database without what was written last",
    ),
    WENT_BACK: visit.t("la base est revenue en arrière", "the database went back in time"),
  };
  return words[reason];
}

function decisionWords(visit: Visit, { decision, decidedAt, decidedBy, submittedOnly }: Recovery): string {
  const words = {
    CONTINUED: visit.t("rien n’était oublié, l’envoi continue", "nothing was forgotten, sending goes on"),
    RESUMED: visit.t("tout ce qui attendait part", "everything that waited is sent"),
    UNKNOWN: submittedOnly
      ? visit.t("seul ce qui n’est sûrement pas parti est envoyé", "only what surely did not go out is sent")
      : visit.t("ce qui attendait n’est pas renvoyé", "what waited is not sent again"),
  };
  const when = visit.formats.moment(decidedAt!);
  return `${words[decision!]} (${decidedBy === null ? when : `${decidedBy}, ${when}`})`;
}

function choices(visit: Visit, data: Recovery): Html {
  return html`${submittedChoice(visit, data)}
${section(visit.t("Ne rien renvoyer", "Send nothing again"), [
  html`<p>${visit.t(
    "Personne n’est dérangé deux fois. Ce qu’un accusé prouve est compté comme reçu ; le reste devient « sort inconnu » et est remboursé. Les campagnes prévues pendant ce temps comptent comme manquées.",
    "Nobody is disturbed twice. What a receipt proves counts as delivered; the rest is of unknown fate and paid back. Campaigns that were due meanwhile count as missed.",
  )}</p>`,
  formButton(visit, `${HERE}/unknown`, visit.t("Ne rien renvoyer", "Send nothing again")),
])}
${section(visit.t("Tout envoyer", "Send everything"), [
  html`<p>${visit.t(
    "Juste quand rien n’est parti depuis la copie, par exemple après un déménagement de la base, service arrêté. Sinon des gens reçoivent leur SMS deux fois.",
    "Right where nothing was sent since the copy, as after a move of the database with the service stopped. Otherwise people get their SMS twice.",
  )}</p>`,
  formButton(visit, `${HERE}/resume`, visit.t("Tout envoyer", "Send everything"), { kind: "danger" }),
])}`;
}

/** The choice to send only what surely did not go out, where every gateway has reported what it had submitted. */
function submittedChoice(visit: Visit, { gateways }: Recovery): Html {
  const silent = gateways.filter(({ reported }) => reported !== "ALL");
  const isKnown = gateways.length > 0 && silent.length === 0;
  const title = visit.t("Envoyer ce qui n’est sûrement pas parti", "Send what surely did not go out");
  return section(title, [
    html`<p>${visit.t(
      "Chaque processus note ce qu’il soumet aux opérateurs. Ce qui n’y est pas n’est pas parti et part maintenant ; le reste n’est pas renvoyé et devient « sort inconnu ». Les campagnes prévues avant la suspension et pas encore lancées comptent comme manquées.",
      "Each process notes what it submits to operators. What is not among that did not go out and goes out now; the rest is not sent again and is of unknown fate. Campaigns that were due before sending was held, and had not run, count as missed.",
    )}</p>`,
    isKnown ? formButton(visit, `${HERE}/submitted`, title) : html`<p>${silentWords(visit, silent)}</p>`,
  ]);
}

function silentWords(visit: Visit, silent: Recovery["gateways"]): string {
  if (silent.length === 0)
    return visit.t(
      "Aucun processus n’a encore dit ce qu’il avait soumis.",
      "No process has reported yet what it had submitted.",
    );
  const names = silent.map(({ node, host }) => `${node} (${host})`).join(", ");
  // What is gone from the files of a process never comes back.
  return silent.some(({ reported }) => reported === "PART")
    ? visit.t(
        `Ce choix n’est plus possible : une partie de ce que ces processus avaient soumis n’est dans aucun fichier. ${names}`,
        `This is no choice any more: a part of what these processes had submitted is in no file. ${names}`,
      )
    : visit.t(
        `Pas encore possible : ces processus n’ont rien dit. Relancez-les avec leur DATA_DIR dans l’heure, s’il existe encore. ${names}`,
        `Not possible yet: these processes have reported nothing. Start them again with their DATA_DIR within the hour, if it still exists. ${names}`,
      );
}

async function decide(
  visit: Visit,
  path: "/v1/admin/recovery/resume" | "/v1/admin/recovery/unknown",
  body: { submittedOnly?: boolean } = {},
): Promise<View | Redirect> {
  const told = await visit.attempt(visit.askAsAdministrator(path, body));
  return told instanceof Problem ? show(visit, told) : new Redirect(HERE);
}
