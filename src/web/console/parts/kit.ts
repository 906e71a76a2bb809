// The kit: every part of the console on one page, to check all of them in light and dark mode and on any screen.
import { html } from "../../../platform/http/html.ts";
import type { Screens } from "../screens.ts";
import type { View, Visit } from "../visit.ts";
import { barChart, lineChart } from "./charts.ts";
import { button, type Choice, check, choices, field, linkButton, select, textArea } from "./forms.ts";
import { empty, pager, table, tabs } from "./lists.ts";
import {
  actions,
  badge,
  copyable,
  facts,
  figure,
  figures,
  handset,
  notice,
  progress,
  section,
  timeline,
} from "./parts.ts";
import { Problem } from "./sentences.ts";

const TONES = ["good", "wrong", "wait", "note", "calm"] as const;

export function addKit(screens: Screens): void {
  screens.page("/console/kit", kit, { area: "public" });
}

function kit(visit: Visit): View {
  const { t, formats } = { t: visit.t.bind(visit), formats: visit.formats };
  const number = (value: number) => formats.number(value);
  const words = {
    title: t("Exemple", "Example"),
    first: t("remis", "delivered"),
    second: t("non remis", "failed"),
    number,
  };
  const counts = [1_200, 3_400, 2_100, 0, 4_812, 3_900, 800];
  visit.problem = new Problem(t("Ce numéro n’est pas valable.", "This number is not valid."), "kit-phone");
  const options: Choice[] = [
    ["now", t("Maintenant", "Now"), t("Dès votre confirmation", "As soon as you confirm")],
    ["later", t("Plus tard", "Later")],
  ];
  return {
    title: t("Composants de la console", "Console components"),
    islands: ["copy"],
    body: html`<p class="lead">${t("Chaque composant, une fois.", "Every component, once.")}</p>
${section(t("Boutons", "Buttons"), actions([button(t("Envoyer", "Send")), button(t("Enregistrer", "Save"), "second"), button(t("Supprimer", "Delete"), "danger"), button(t("Plus tard", "Later"), "plain"), linkButton("#", t("Ajouter", "Add"), "main", "add")]))}
${section(t("Statuts", "Statuses"), [actions(TONES.map((tone) => badge(tone, tone))), ...TONES.map((tone) => notice(tone, t("Une phrase qui décrit la situation.", "A sentence that describes the situation."), tone))])}
${section(t("Chiffres", "Figures"), [
  figures([
    figure(t("Solde", "Balance"), number(12_480), t("crédits", "credits")),
    figure(t("Remis", "Delivered"), number(4_812), formats.share(4_812, 4_900)),
    figure(t("Non remis", "Failed"), number(88)),
  ]),
  facts([
    [t("Expéditeur", "Sender"), "BOUTIQUE"],
    [t("Créée", "Created"), formats.moment("2026-11-22T08:17:00Z")],
  ]),
  progress(3_200, 4_812, t("3 200 envoyés sur 4 812", "3,200 of 4,812 sent")),
])}
${section(t("Graphiques", "Charts"), [
  barChart(
    counts.map((first, i) => ({
      label: formats.shortDay(`2026-11-1${i}T12:00:00Z`),
      first,
      second: Math.round(first / 20),
    })),
    words,
  ),
  lineChart(
    counts.map((_, i) => ({ at: new Date(i * 60_000), label: `08:1${i}`, first: i * 700, second: i * 800 })),
    words,
  ),
])}
${section(t("Champs", "Fields"), [
  field(visit, "kit-name", t("Nom", "Name"), {
    hint: t("Le nom affiché dans la liste.", "The name shown in the list."),
  }),
  field(visit, "kit-phone", t("Téléphone", "Phone"), { value: "12", type: "tel" }),
  textArea(visit, "kit-text", t("Message", "Message"), { isOptional: true }),
  select(visit, "kit-sender", t("Expéditeur", "Sender"), { value: "", choices: [["", "ATUMPAN"]] }),
  choices(visit, "kit-when", t("Quand", "When"), { chosen: ["now"], choices: options }),
  check("kit-yes", t("Convertir les anciens numéros", "Convert old numbers")),
])}
${section(t("Listes", "Lists"), [
  tabs(t("Statut", "Status"), "#", [
    ["#", t("Toutes", "All")],
    ["#sent", t("Envoyées", "Sent")],
  ]),
  table(
    t("Campagnes", "Campaigns"),
    [
      [t("Campagne", "Campaign"), (row) => row],
      [t("Statut", "Status"), () => badge("good", t("Envoyée", "Sent"))],
      [t("Crédits", "Credits"), () => number(4_812), "figure"],
    ],
    ["Rentrée", "Tabaski"],
  ),
  pager(visit, { page: 2, totalPage: 9, totalCount: 173 }, "#"),
])}
${section(t("Historique", "History"), [
  timeline([
    { tone: "good", title: t("Demandé", "Requested"), when: formats.moment("2026-11-22T08:17:00Z") },
    {
      tone: "wrong",
      title: t("Refusé", "Refused"),
      more: html`<blockquote>${t("Le nom n’indique pas qui écrit.", "The name does not say who is writing.")}</blockquote>`,
    },
  ]),
])}
${empty(t("Aucun élément", "Nothing yet"), t("Ce qui manque et comment l’ajouter.", "What is missing and how to add it."), linkButton("#", t("Commencer", "Start")))}
<div class="columns">${section(t("Téléphone", "Handset"), handset("BOUTIQUE", [t("Bonjour Awa, votre commande est prête.", "Hello Awa, your order is ready.")]))}${section(t("À copier", "To copy"), copyable("curl -s https://…", t("Commande", "Command")))}</div>`,
  };
}
