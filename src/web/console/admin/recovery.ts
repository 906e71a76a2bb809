// The page for a database that may have lost what was sent: sending is paused until an administrator decides here.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { formButton, linkButton } from "../parts/forms.ts";
import { actions, facts, notice, remark, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { Redirect, View, Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";
import { forgottenPart } from "./forgotten.ts";

const HERE = "/admin/recovery";

export function addAdminRecovery(screens: Screens): void {
  screens.page(HERE, show);
  screens.form(`${HERE}/resume`, (visit) => decide(visit, "/v1/admin/recovery/resume"));
  screens.form(`${HERE}/unknown`, (visit) => decide(visit, "/v1/admin/recovery/unknown"));
  screens.form(`${HERE}/submitted`, (visit) =>
    decide(visit, "/v1/admin/recovery/unknown", { submittedOnly: true }),
  );
}

type Recovery = Data<"/v1/admin/recovery/read">;

/** Returns a notice for the overview that sending is paused; false if it is not. */
export async function recoveryNotice(visit: Visit): Promise<Html | false> {
  const { data } = await visit.callAsAdmin("/v1/admin/recovery/read");
  if (data.state === "NORMAL") return false;
  return notice("wrong", [
    html`<p>${visit.t("L’envoi est suspendu. La base de données a peut-être perdu la trace de certains envois.", "Sending is on hold. The database may have lost track of some sent messages.")}</p>`,
    actions([linkButton(HERE, visit.t("Examiner et décider", "Review and decide"))]),
  ]);
}

async function show(visit: Visit): Promise<View> {
  const { data } = await visit.callAsAdmin("/v1/admin/recovery/read");
  const at = (instant: string | null) => (instant === null ? "–" : visit.formats.moment(instant));
  return {
    title: visit.t("Reprise de la base de données", "Database recovery"),
    narrow: true,
    back: { href: "/admin", text: visit.t("Administration", "Administration") },
    body: html`${stateNotice(visit, data)}
${facts([
  [visit.t("Cause", "Cause"), reasonWords(visit, data)],
  [visit.t("Envoi suspendu le", "Sending put on hold"), at(data.heldAt)],
  [visit.t("Dernier signe de vie connu", "Last known heartbeat"), at(data.lastSeenAt)],
  [visit.t("Messages en attente", "Messages waiting"), visit.formats.number(data.messages)],
  ...(data.decidedAt === null
    ? []
    : [[visit.t("Décision", "Decision"), decisionWords(visit, data)] as const]),
])}
${data.reason !== null && data.decision !== "CONTINUED" && forgottenPart(visit, data)}
${data.state === "HELD" && mayAdminister(visit, "govern") && choices(visit, data)}`,
  };
}

function stateNotice(visit: Visit, { state }: Recovery): Html {
  if (state === "NORMAL")
    return remark(visit, "good", ["L’envoi n’est pas suspendu.", "Sending is not on hold."]);
  if (state === "SETTLING")
    return remark(visit, "wait", [
      "La décision est en cours d’exécution.",
      "The decision is being carried out.",
    ]);
  return remark(visit, "wrong", [
    "Aucun message n’est envoyé avant votre décision. Les SMS et les campagnes sont toujours acceptés et mis en file d’attente.",
    "No messages are sent until you decide. SMS and campaigns are still accepted and queued.",
  ]);
}

function reasonWords(visit: Visit, { reason }: Recovery): string {
  if (reason === null) return visit.t("aucune", "none");
  const words = {
    RESTORED: visit.t(
      "la base de données a été restaurée à partir d’une copie",
      "the database was restored from a copy",
    ),
    PROMOTED: visit.t(
      "un autre serveur a pris le relais de la base de données, ou celle-ci a été restaurée à un moment antérieur",
      "another server took over the database, or it was restored to an earlier point in time",
    ),
    LOST: visit.t(
      "un autre serveur a pris le relais de la base de données sans les dernières données enregistrées",
      "another server took over the database without its latest writes",
    ),
    WENT_BACK: visit.t(
      "la base de données est revenue à un état antérieur",
      "the database went back to an earlier state",
    ),
  };
  return words[reason];
}

function decisionWords(visit: Visit, { decision, decidedAt, decidedBy, submittedOnly }: Recovery): string {
  const words = {
    CONTINUED: visit.t("rien n’était perdu, l’envoi continue", "nothing was lost, sending continues"),
    RESUMED: visit.t("tous les messages en attente sont envoyés", "all waiting messages are sent"),
    UNKNOWN: submittedOnly
      ? visit.t(
          "seuls les messages qui n’avaient pas été soumis sont envoyés",
          "only messages that had not been submitted are sent",
        )
      : visit.t("les messages en attente ne sont pas renvoyés", "waiting messages are not sent again"),
  };
  if (decision === null || decidedAt === null) return "";
  const when = visit.formats.moment(decidedAt);
  return `${words[decision]} (${decidedBy === null ? when : `${decidedBy}, ${when}`})`;
}

function choices(visit: Visit, data: Recovery): Html {
  return html`${submittedChoice(visit, data)}
${section(visit.t("Ne rien renvoyer", "Resend nothing"), [
  html`<p>${visit.t(
    "Personne ne reçoit le même SMS deux fois. Les messages confirmés par un accusé de réception comptent comme remis. Le sort des autres est inconnu, et leurs crédits sont remboursés. Les campagnes prévues pendant ce temps comptent comme manquées.",
    "Nobody receives the same SMS twice. Messages confirmed by a delivery receipt count as delivered. The outcome of the others is unknown, and their credits are refunded. Campaigns that were due in the meantime count as missed.",
  )}</p>`,
  formButton(visit, `${HERE}/unknown`, visit.t("Ne rien renvoyer", "Resend nothing")),
])}
${section(visit.t("Tout envoyer", "Send everything"), [
  html`<p>${visit.t(
    "À choisir seulement si rien n’a été envoyé depuis la copie, par exemple si la base de données a été déplacée pendant que le service était arrêté. Sinon, certaines personnes recevront leur SMS deux fois.",
    "Choose this only if nothing was sent since the copy, for example if the database was moved while the service was stopped. Otherwise, some people will receive their SMS twice.",
  )}</p>`,
  formButton(visit, `${HERE}/resume`, visit.t("Tout envoyer", "Send everything"), { kind: "danger" }),
])}`;
}

/** The choice to send only what certainly was not sent, if every gateway has reported what it had submitted. */
function submittedChoice(visit: Visit, { gateways }: Recovery): Html {
  const silent = gateways.filter(({ reported }) => reported !== "ALL");
  const isKnown = gateways.length > 0 && silent.length === 0;
  const title = visit.t(
    "Envoyer seulement ce qui n’avait pas été soumis",
    "Send only what had not been submitted",
  );
  return section(title, [
    html`<p>${visit.t(
      "Chaque processus enregistre les messages qu’il soumet aux opérateurs. Les messages qui n’avaient pas été soumis sont envoyés maintenant. Les autres ne sont pas renvoyés, et leur sort est inconnu. Les campagnes prévues avant la suspension et pas encore lancées comptent comme manquées.",
      "Each process records the messages that it submits to operators. Messages that had not been submitted are sent now. The others are not sent again, and their outcome is unknown. Campaigns that were due before sending was put on hold, and had not started, count as missed.",
    )}</p>`,
    isKnown ? formButton(visit, `${HERE}/submitted`, title) : html`<p>${silentWords(visit, silent)}</p>`,
  ]);
}

function silentWords(visit: Visit, silent: Recovery["gateways"]): string {
  if (silent.length === 0)
    return visit.t(
      "Aucun processus n’a encore indiqué ce qu’il avait soumis.",
      "No process has yet reported what it had submitted.",
    );
  const names = silent.map(({ node, host }) => `${node} (${host})`).join(", ");
  // What is missing from the files of a process never comes back.
  return silent.some(({ reported }) => reported === "PART")
    ? visit.t(
        `Ce choix n’est plus possible : une partie de ce que ces processus avaient soumis n’est dans aucun fichier. ${names}`,
        `This choice is no longer available: part of what these processes had submitted is not in any file. ${names}`,
      )
    : visit.t(
        `Ce choix n’est pas encore possible : ces processus n’ont pas transmis leur rapport. Redémarrez-les dans l’heure avec leur DATA_DIR, s’il existe encore. ${names}`,
        `This choice is not available yet: these processes have not reported. Restart them with their DATA_DIR within the hour, if it still exists. ${names}`,
      );
}

async function decide(
  visit: Visit,
  path: "/v1/admin/recovery/resume" | "/v1/admin/recovery/unknown",
  body: { submittedOnly?: boolean } = {},
): Promise<View | Redirect> {
  return visit.submit(visit.callAsAdmin(path, body), show, HERE);
}
