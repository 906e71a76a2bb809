// The claim page shows the secrets of an approved application once, to the owner who received the link.
import type { FastifyInstance, FastifyReply } from "fastify";
import { claimApplication, readClaim } from "../../commerce/apps/review.ts";
import { auditIn } from "../../identity/audit/audit.ts";
import { nowMs } from "../../platform/clock.ts";
import { type Html, html } from "../../platform/http/html.ts";
import { Refusal, refusalOf } from "../../platform/http/refusals.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { newKey } from "../../platform/secrets/secrets.ts";
import { hidden } from "./layout.ts";
import { isSameSite } from "./session.ts";
import { runPatiently } from "./twice.ts";
import { show, type Visit, visitOf } from "./visit.ts";

/** Adds `/claim/<token>`. Opening the page does not use up the link, because mail programs open links first. */
export function addClaim(server: FastifyInstance, app: Runtime): void {
  server.get("/claim/:token", (request, reply) => {
    const { token } = request.params as { token: string };
    return showClaim(visitOf(app, request, reply), token);
  });
  server.post("/claim/:token", (request, reply) => {
    const { token } = request.params as { token: string };
    return takeClaim(visitOf(app, request, reply), token);
  });
}

async function showClaim(visit: Visit, token: string): Promise<FastifyReply> {
  const { app, t, fields } = visit;
  const claimed = await refusalOf(readClaim(app.database, app, token));
  if (claimed instanceof Refusal) return showGone(visit, token);
  return show(visit, 200, hereOf(token), {
    title: t(`Secrets de ${claimed.name}`, `Secrets of ${claimed.name}`),
    body: html`<p>${t(
      "Votre application est approuvée. Ses secrets ne sont affichés qu’une seule fois.",
      "Your application is approved. Its secrets are shown only once.",
    )}</p><p class="lead">${t(
      "Affichez-les quand vous êtes prêt à les enregistrer, à l’abri des regards. Le lien ne fonctionnera plus ensuite.",
      "Show them when you are ready to store them, with nobody watching. The link will not work afterward.",
    )}</p>
<form method="post" action="${hereOf(token)}">${hidden({ nonce: newKey(""), lang: fields.lang })}<button class="main" autofocus>${t("Afficher les secrets", "Show secrets")}</button></form>`,
  });
}

/**
 * Shows the secrets to the first page that requests them. With its nonce, that page may repeat the request for
 * `claimRepeatMs`. Nobody is signed in here, so no session can be abused: the token alone authorizes the request.
 */
async function takeClaim(visit: Visit, token: string): Promise<FastifyReply> {
  const { app, t, request, fields } = visit;
  if (!isSameSite(app, request)) return showClaim(visit, token);
  const { nonce = newKey("") } = fields;
  const shown = await refusalOf(
    runPatiently(app, ["claim", token, nonce], async (tx) => {
      const claimed = await claimApplication(tx, app, token);
      const by = {
        kind: "visitor",
        id: null,
        keyId: null,
        address: request.ip,
        endpoint: "claim/{token}",
      } as const;
      await auditIn(tx, app, {
        actor: { by },
        on: { kind: "application", id: claimed.id },
        before: null,
        after: null,
      });
      return { claimed, shownAtMs: nowMs() };
    }),
  );
  const isOver = (shownAtMs: number) => nowMs() - shownAtMs >= app.config.settings.claimRepeatMs;
  if (shown instanceof Refusal || isOver(shown.shownAtMs)) return showGone(visit, token);
  const { name, apiSecret, webhookSecret } = shown.claimed;
  return show(visit, 200, hereOf(token), {
    title: t(`Secrets de ${name}`, `Secrets of ${name}`),
    body: html`<p class="caution">${t(
      "Copiez-les maintenant et conservez-les en lieu sûr : ils ne seront plus affichés.",
      "Copy them now and keep them in a safe place: they will not be shown again.",
    )}</p>
${
  apiSecret !== undefined &&
  secretPart(
    "apiSecret",
    apiSecret,
    t(
      "Pour vos appels à Atumpan, depuis votre serveur uniquement.",
      "For your calls to Atumpan, from your server only.",
    ),
  )
}
${
  webhookSecret === undefined
    ? html`<p class="note">${t(
        "Aucun secret de webhook : l’application n’a pas d’adresse de webhook.",
        "No webhook secret: the application has no webhook address.",
      )}</p>`
    : secretPart(
        "webhookSecret",
        webhookSecret,
        t(
          "Pour vérifier que les webhooks reçus viennent bien de nous.",
          "To verify that our webhooks really come from us.",
        ),
      )
}
<p>${t(
      "Toute personne qui les détient peut agir au nom de votre application. Ne les envoyez ni par e-mail ni par message.",
      "Anyone who has them can act on behalf of your application. Do not send them by email or message.",
    )}</p>`,
  });
}

function secretPart(name: string, secret: string, hint: string): Html {
  return html`<div class="field"><label for="${name}"><code>${name}</code></label>
<p class="hint" id="${name}-hint">${hint}</p>
<textarea id="${name}" class="secret" rows="2" readonly spellcheck="false" autocomplete="off" aria-describedby="${name}-hint">${secret}</textarea></div>`;
}

function showGone(visit: Visit, token: string): FastifyReply {
  const { t } = visit;
  return show(visit, 404, hereOf(token), {
    title: t("Ce lien n’est plus valable", "This link is no longer valid"),
    body: html`<p class="lead">${t(
      "Il a déjà servi, il date de plus de 7 jours ou il a été mal recopié. Si vous ne l’avez pas ouvert vous-même, prévenez-nous : quelqu’un d’autre a peut-être vos secrets.",
      "It was already used, it is more than 7 days old, or it was copied incorrectly. If you did not open it yourself, tell us: someone else may have your secrets.",
    )}</p>`,
  });
}

function hereOf(token: string): string {
  return `/claim/${encodeURIComponent(token)}`;
}
