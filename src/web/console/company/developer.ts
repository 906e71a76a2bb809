// The page for developers: the URL of the API, the companyId, the keys, and code to paste.
import { type Html, html } from "../../../platform/http/html.ts";
import { tabs } from "../parts/lists.ts";
import { copyable, facts, section } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { keysPart } from "./apikeys.ts";
import { type Call, codeLanguageOf, LANGUAGES, snippet } from "./snippets.ts";

export function addDeveloper(screens: Screens): void {
  screens.page("/developer", developer);
}

/** Renders the tabs between the pages for developers. */
export function developerTabs(visit: Visit, here: string): Html {
  return tabs(visit.t("Développeur", "Developer"), here, [
    ["/developer", visit.t("Clés et code", "Keys and code")],
    ["/developer/apps", visit.t("Applications", "Applications")],
    ["/developer/connections", visit.t("Connexions", "Connections")],
    ["/developer/requests", visit.t("Requêtes", "Requests")],
  ]);
}

async function developer(visit: Visit): Promise<View> {
  const { publicUrl } = visit.api.app;
  return {
    title: visit.t("Développeur", "Developer"),
    islands: ["copy"],
    body: html`${developerTabs(visit, "/developer")}
<p class="lead">${visit.t(
      "Votre programme peut faire tout ce que fait cette console : il envoie des requêtes POST en JSON et reçoit des réponses en JSON.",
      "Your program can do everything that this console does: it sends POST requests in JSON and receives responses in JSON.",
    )} <a href="/docs">${visit.t("Lire la documentation", "Read the documentation")}</a></p>
${section(visit.t("Identifiants", "Identifiers"), [
  facts([
    [
      visit.t("Adresse de l’API", "API address"),
      copyable(`${publicUrl}/v1/`, visit.t("Adresse de l’API", "API address")),
    ],
    ["companyId", copyable(visit.company.companyId, "companyId")],
  ]),
])}
${await keysPart(visit)}
${codePart(visit)}`,
  };
}

function callsOf(visit: Visit): { title: string; text: string; call: Call }[] {
  const phone = visit.t("2250700000001", "2250700000001");
  return [
    {
      title: visit.t("Envoyer un SMS", "Send an SMS"),
      text: visit.t(
        "Jusqu’à 10 000 contacts par requête. Avec une idempotencyKey, une requête répétée n’est envoyée qu’une seule fois.",
        "Up to 10,000 contacts per request. With an idempotencyKey, a repeated request is sent only once.",
      ),
      call: {
        path: "campaign/create",
        body: {
          text: visit.t("Bonjour @name, votre commande est prête.", "Hello @name, your order is ready."),
          contacts: [{ phone, name: "Awa" }],
          idempotencyKey: visit.t("commande-1042", "order-1042"),
        },
      },
    },
    {
      title: visit.t("Demander un mot de passe à usage unique", "Request a one-time password"),
      text: visit.t(
        "Le code est envoyé par SMS. Conservez le token de la réponse pour le vérifier.",
        "The code is sent by SMS. Keep the token from the response to verify it.",
      ),
      call: { path: "auth/otp/get", body: { phoneNumber: phone, length: 6 } },
    },
    {
      title: visit.t("Vérifier le code", "Verify the code"),
      text: visit.t(
        "Transmettez le token reçu et le code saisi par la personne.",
        "Pass the token that you received and the code that the person entered.",
      ),
      call: { path: "auth/otp/verify", body: { phoneNumber: phone, token: "TOKEN", otp: "123456" } },
    },
    {
      title: visit.t("Consulter le solde", "Get the balance"),
      text: visit.t("En crédits.", "In credits."),
      call: { path: "credit/balance", body: {} },
    },
  ];
}

function codePart(visit: Visit): Html {
  const lang = codeLanguageOf(visit.field("lang"));
  const keyPlace = visit.t("VOTRE_CLE", "YOUR_KEY");
  const site = { url: visit.api.app.publicUrl, companyId: visit.company.companyId, keyPlace };
  return html`<section id="code"><div class="head"><h2>${visit.t("Code à copier", "Code to copy")}</h2></div>
${languageTabs(visit, lang, "/developer")}
<p>${visit.t("Indiquez l’une de vos clés à la place de", "Use one of your keys in place of")} <mark>${keyPlace}</mark>. ${visit.t("Gardez-la sur votre serveur, jamais dans une page web ni dans une application mobile.", "Keep it on your server, never in a web page or a mobile app.")}</p>
${callsOf(visit).map(({ title, text, call }) => html`<div class="stack"><h3>${title}</h3><p>${text}</p>${copyable(snippet(lang, site, call), title)}</div>`)}
</section>`;
}

/** Renders the languages of code as links to `page`. With `receives`, curl is omitted: it cannot receive. */
export function languageTabs(visit: Visit, here: string, page: string, receives = false): Html {
  const urlOf = (lang: string) => `${page}?lang=${lang}#code`;
  const all = Object.entries(LANGUAGES).filter(([lang]) => !(receives && lang === "curl"));
  return tabs(
    visit.t("Langage", "Language"),
    urlOf(here),
    all.map(([lang, text]) => [urlOf(lang), text]),
  );
}
