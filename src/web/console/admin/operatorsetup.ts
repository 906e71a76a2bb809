// An operator over HTTP is put into service: a dry run, the address for delivery receipts, and its activation.
import { type Html, html } from "../../../platform/http/html.ts";
import { formButton, linkButton } from "../parts/forms.ts";
import { actions, copyable, doneNotice, prose, remark, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";
import { mayAdminister } from "./admin.ts";
import { operatorTrouble } from "./binderrors.ts";
import { type ConnectorForm, connectorOfOperator, sentencesOf } from "./connectorfields.ts";
import { balanceSection } from "./operatorbalance.ts";
import { dryRunForm } from "./operatordryrun.ts";
import type { OperatorShown } from "./operatorsettings.ts";
import { operatorState, readOperator } from "./operatorstate.ts";

export function addAdminOperatorSetup(screens: Screens): void {
  screens.page("/admin/operators/:id/setup", setup);
  screens.page("/admin/operators/:id/setup/live", liveState);
  screens.form("/admin/operators/:id/enable", enable);
  screens.question("/admin/operators/:id/callback", confirmRenewal, {
    call: (visit) => visit.callAsAdmin("/v1/admin/operator/{id}/callback/renew"),
    next: (visit) => `/admin/operators/${visit.id}/setup?done=renewed`,
  });
}

async function setup(visit: Visit): Promise<View | Redirect> {
  const operator = await readOperator(visit);
  const { id, name, kind, enabled } = operator;
  if (kind !== "http") return new Redirect(`/admin/operators/${id}`);
  return {
    title: visit.t(`Mettre ${name} en service`, `Put ${name} into service`),
    narrow: true,
    back: { href: `/admin/operators/${id}`, text: name },
    islands: ["copy", "live"],
    body: html`${doneNotice(visit, {
      made: visit.t(
        "L’opérateur est ajouté. Il n’envoie rien avant d’être activé.",
        "The operator is added. It sends nothing before it is enabled.",
      ),
      renewed: visit.t(
        "L’adresse a changé. Donnez la nouvelle au fournisseur.",
        "The address has changed. Give the new one to the provider.",
      ),
      enabled: visit.t(
        "L’opérateur est activé. Envoyez maintenant un message de test.",
        "The operator is enabled. Now send a test message through it.",
      ),
    })}
${await carrierSections(visit, operator)}
${section(visit.t("Activation", "Activation"), [
  enabled || !mayAdminister(visit, "govern") ? enabledPart(visit, operator) : disabledPart(visit, id),
])}`,
  };
}

/** Renders the dry run, the address for delivery receipts and the balance, if the administrator may change the operator. */
export async function carrierSections(visit: Visit, operator: OperatorShown): Promise<Html | false> {
  if (operator.kind !== "http" || !mayAdminister(visit, "govern")) return false;
  const connector = await connectorOfOperator(visit, operator);
  return html`${section(visit.t("Essai à blanc", "Dry run"), [
    html`<p>${visit.t(
      "Voyez la requête qui partirait, et ce que signifierait une réponse. Rien n’est envoyé.",
      "See the request that would be sent, and what a response would mean. Nothing is sent.",
    )}</p>`,
    dryRunForm(visit, operator.id),
  ])}
${await callbackSection(visit, operator, connector)}
${connector.hasBalance && balanceSection(visit, operator)}`;
}

async function callbackSection(
  visit: Visit,
  operator: OperatorShown,
  connector: ConnectorForm,
): Promise<Html> {
  const title = visit.t("Accusés de réception", "Delivery receipts");
  if (!connector.hasReceipts && !connector.hasInbound)
    return section(title, [
      html`<p>${visit.t("Ce connecteur n’a pas d’accusés de réception : les messages restent à l’état « envoyé ».", "This connector has no delivery receipts: messages stay at “sent”.")}</p>`,
    ]);
  const place = placeIn(visit, connector);
  const { data } = await visit.callAsAdmin("/v1/admin/operator/{id}/callback", { id: operator.id });
  return section(title, [
    html`<p>${registration(visit, connector)} ${visit.t(
      "Elle contient un secret : ne la donnez à personne d’autre.",
      "It contains a secret: give it to nobody else.",
    )}</p>`,
    place !== "" && html`<p>${prose(place)}</p>`,
    copyable(data.url, visit.t("Adresse des accusés de réception", "Address for delivery receipts")),
    actions([
      linkButton(
        `/admin/operators/${operator.id}/callback`,
        visit.t("Changer l’adresse", "Change the address"),
        "plain",
      ),
    ]),
  ]);
}

/** Returns whether the address has to be registered with the provider, and what for. */
function registration(visit: Visit, { hasInbound, sendsReceiptUrl }: ConnectorForm): string {
  if (!sendsReceiptUrl)
    return visit.t("Déclarez cette adresse chez le fournisseur.", "Register this address with the provider.");
  return hasInbound
    ? visit.t(
        "Chaque message donne cette adresse au fournisseur : déclarez-la seulement pour recevoir les réponses.",
        "Each message gives the provider this address: register it only to receive replies.",
      )
    : visit.t(
        "Chaque message donne cette adresse au fournisseur : vous n’avez rien à déclarer.",
        "Each message gives the provider this address: you have nothing to register.",
      );
}

/** Returns the sentences of a connector's guide that say where to register the address. */
function placeIn(visit: Visit, { guide }: ConnectorForm): string {
  const term = visit.t("adresse des accusés de réception", "address for delivery receipts");
  const said = sentencesOf(guide ?? "").filter((sentence) => sentence.includes(term));
  return visit.t(said.join(" "), said.join(" "));
}

function disabledPart(visit: Visit, id: string): Html {
  return html`<p>${visit.t(
    "Une fois l’opérateur activé, les messages vers ses préfixes passent par lui.",
    "Once the operator is enabled, the messages to its prefixes go through it.",
  )}</p>
${formButton(visit, `/admin/operators/${id}/enable`, visit.t("Activer l’opérateur", "Enable operator"), { kind: "main" })}`;
}

function enabledPart(visit: Visit, operator: OperatorShown): Html {
  const { id } = operator;
  return html`<div class="stack" data-live="/admin/operators/${id}/setup/live">${statePart(visit, operator)}</div>
${mayAdminister(visit, "govern") && actions([linkButton(`/admin/operators/${id}/test`, visit.t("Envoyer un message de test", "Send a test message"))])}`;
}

function statePart(visit: Visit, operator: OperatorShown): Html {
  return html`<p>${operatorState(visit, operator)}</p>
${operatorTrouble(visit, operator)}`;
}

async function liveState(visit: Visit): Promise<Fragment> {
  return new Fragment(statePart(visit, await readOperator(visit)), false);
}

async function enable(visit: Visit): Promise<Redirect> {
  await visit.callAsAdmin("/v1/admin/operator/{id}/update", { id: visit.id, enabled: true });
  return new Redirect(`/admin/operators/${visit.id}/setup?done=enabled`);
}

async function confirmRenewal(visit: Visit): Promise<View | Redirect> {
  const { id, name, kind } = await readOperator(visit);
  if (kind !== "http") return new Redirect(`/admin/operators/${id}`);
  const setup = `/admin/operators/${id}/setup`;
  return {
    title: visit.t(
      "Changer l’adresse des accusés de réception ?",
      "Change the address for delivery receipts?",
    ),
    narrow: true,
    back: { href: setup, text: name },
    body: html`${remark(visit, "wait", [
      "L’adresse actuelle cesse de fonctionner en une seconde. Les accusés que le fournisseur y envoie ensuite sont perdus, jusqu’à ce qu’il ait la nouvelle.",
      "The current address stops working within a second. Receipts that the provider sends there afterwards are lost, until it has the new one.",
    ])}
${actions([
  formButton(visit, `/admin/operators/${id}/callback`, visit.t("Changer l’adresse", "Change the address"), {
    kind: "danger",
  }),
  linkButton(setup, visit.t("Annuler", "Cancel"), "plain"),
])}`,
  };
}
