// How a new operator is reached: by a provider over HTTP, by SMPP, or by a provider that somebody declares.
import { type Html, html } from "../../../platform/http/html.ts";
import { section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { readConnectors, sentencesOf } from "./connectorfields.ts";

export function addAdminOperatorNew(screens: Screens): void {
  screens.page("/admin/operators/new", ways);
}

async function ways(visit: Visit): Promise<View> {
  const connectors = await readConnectors(visit);
  return {
    title: visit.t("Ajouter un opérateur", "Add an operator"),
    narrow: true,
    back: { href: "/admin/operators", text: visit.t("Opérateurs", "Operators") },
    body: html`<p class="lead">${visit.t("Par quel moyen les SMS partent-ils ?", "How are the SMS sent?")} <a href="/docs/guide/real-sms">${visit.t("Guide : envoyer de vrais SMS", "Guide: send real SMS")}</a></p>
${section(
  visit.t("Un fournisseur par Internet (HTTP)", "A provider over the Internet (HTTP)"),
  list(
    connectors.map(({ name, title, guide }) =>
      way(`/admin/operators/new/http/${name}`, title, firstSentence(visit, guide)),
    ),
  ),
)}
${section(
  visit.t("Autres moyens", "Other ways"),
  list([
    way(
      "/admin/operators/new/phone",
      visit.t("Téléphone Android", "Android phone"),
      visit.t(
        "Un téléphone avec une carte SIM et une application : pour une boutique, une démonstration ou un essai.",
        "A phone with a SIM card and an app: for a shop, a demonstration or a test.",
      ),
    ),
    way(
      "/admin/operators/new/smpp",
      "SMPP",
      visit.t(
        "Un contrat avec un opérateur mobile, qui vous donne un serveur, un system_id et un mot de passe.",
        "A contract with a mobile operator, which gives you a server, a system_id and a password.",
      ),
    ),
    way(
      "/admin/operators/new/declaration",
      visit.t("Autre fournisseur HTTP", "Another HTTP provider"),
      visit.t(
        "Vous décrivez ses requêtes et ses réponses par une déclaration en JSON, sans programmer.",
        "You describe its requests and responses by a declaration in JSON, without programming.",
      ),
    ),
  ]),
)}`,
  };
}

/** One part of a section, so that the ways have no space between them. */
const list = (all: readonly Html[]) => html`<div>${all}</div>`;

function firstSentence(visit: Visit, guide: string | null): string | undefined {
  const [first = ""] = sentencesOf(guide ?? "");
  return first === "" ? undefined : visit.t(first, first);
}

function way(href: string, title: string, sentence: string | undefined): Html {
  return html`<a class="choice" href="${href}"><span><b>${title}</b>${sentence !== undefined && html`<small>${sentence}</small>`}</span></a>
`;
}
