// The page that a QR code opens on a phone: what to enter in its app, one value after another.
import type { FastifyInstance, FastifyReply } from "fastify";
import { phoneUrlOf, readPairingName } from "../../delivery/operators/phones.ts";
import { type Html, html } from "../../platform/http/html.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { show, type Visit, visitOf } from "./visit.ts";

/** Adds `/phone/<secret>`. Opening the page uses nothing up: the app does, when it pairs. */
export function addPhonePage(server: FastifyInstance, app: Runtime): void {
  server.get("/phone/:secret", (request, reply) => {
    const { secret } = request.params as { secret: string };
    return showPairing(visitOf(app, request, reply), secret);
  });
}

async function showPairing(visit: Visit, secret: string): Promise<FastifyReply> {
  const { app, t } = visit;
  const here = `/phone/${encodeURIComponent(secret)}`;
  const name = await readPairingName(app, app.database, secret);
  if (name === undefined)
    return show(visit, 404, here, {
      title: t("Ce lien n’est plus valable", "This link is no longer valid"),
      body: html`<p class="lead">${t(
        "Un téléphone s’est déjà appairé par ce lien, ou il date de plus d’une heure. Demandez-en un autre dans la console.",
        "A phone has already paired by this link, or it is more than an hour old. Request another one in the console.",
      )}</p>`,
    });
  return show(visit, 200, here, {
    title: t(`Connecter ce téléphone à ${name}`, `Connect this phone to ${name}`),
    body: html`<p class="lead">${t(
      "Gardez cette page ouverte : vous y copiez deux valeurs pour l’application SMSGate.",
      "Keep this page open: you copy two values from it into the app SMSGate.",
    )}</p>
<ol class="steps">${phoneSteps(t).map(({ text, value }) => html`<li><p>${text}</p>${value && valueArea(visit, value, secret)}</li>`)}</ol>`,
  });
}

type Value = "apiUrl" | "privateToken";
type Step = { text: string; value?: Value };

/** Returns what a person does in the app, in order. The names of its settings are in English. */
export function phoneSteps(t: Visit["t"]): Step[] {
  return [
    {
      text: t(
        "Installez l’application SMSGate (docs.sms-gate.app) et autorisez-la à envoyer et à lire les SMS.",
        "Install the app SMSGate (docs.sms-gate.app), and allow it to send and read SMS.",
      ),
    },
    {
      text: t(
        "Dans l’onglet Settings, ouvrez « Cloud Server », touchez « API URL » et collez :",
        "In the tab Settings, open “Cloud Server”, tap “API URL” and paste:",
      ),
      value: "apiUrl",
    },
    {
      text: t("Touchez « Private Token » et collez :", "Tap “Private Token” and paste:"),
      value: "privateToken",
    },
    {
      text: t(
        "Touchez « Notification channel » et choisissez « SSE only ».",
        "Tap “Notification channel” and choose “SSE only”.",
      ),
    },
    {
      text: t(
        "Dans l’onglet Home, activez « Cloud server », puis touchez « Offline » : le bouton passe à « Online ».",
        "In the tab Home, turn on “Cloud server”, then tap “Offline”: the button changes to “Online”.",
      ),
    },
    {
      text: t(
        "Touchez « Online », puis de nouveau « Offline » : l’application applique ainsi ses réglages et indique sa batterie. Excluez-la de l’optimisation de la batterie et branchez le téléphone.",
        "Tap “Online”, then “Offline” again: the app thus applies its settings and reports its battery. Exclude it from battery optimization, and plug the phone in.",
      ),
    },
  ];
}

function valueArea({ app, t }: Visit, value: Value, secret: string): Html {
  const label = value === "apiUrl" ? "API URL" : "Private Token";
  return html`<div class="field"><label for="${value}">${label}</label>
<textarea id="${value}" class="secret" rows="2" readonly spellcheck="false" autocomplete="off" title="${t("Touchez longuement pour copier", "Long-press to copy")}">${value === "apiUrl" ? phoneUrlOf(app) : secret}</textarea></div>`;
}
