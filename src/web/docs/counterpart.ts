// The segment counter in the guide on the tariff. The server counts an example; `counter.js` counts typed text.
import { type Html, html } from "../../platform/http/html.ts";
import { unicodeCulprits } from "../../protocol/sms/culprits.ts";
import { segmentsOf } from "../../protocol/sms/segments.ts";
import { priceOf } from "../../protocol/sms/tariff.ts";
import type { Locale } from "./locale.ts";

const SAMPLE = {
  fr: "Bonjour Awa, votre commande est prête. À bientôt chez Boutique !",
  en: "Hello Awa, your order is ready. See you soon at Boutique!",
} as const;

const IVORIAN = "2250700000000";
const ABROAD = "221700000000";

/** Renders the counter with an example already counted, so that it is useful without a script too. */
export function counterPart(locale: Locale): Html {
  const text = SAMPLE[locale.language];
  const { encoding, segments, units } = segmentsOf(text);
  const culprits = unicodeCulprits(text).map(({ character }) => character);
  const facts: [name: string, title: string, value: string][] = [
    ["encoding", locale.t("Alphabet", "Alphabet"), encoding],
    ["units", locale.t("Caractères comptés", "Characters counted"), locale.number(units)],
    ["segments", locale.t("Segments", "Segments"), locale.number(segments)],
    ["ivorian", locale.t("Crédits, +225", "Credits, +225"), locale.number(priceOf(IVORIAN, segments))],
    ["abroad", locale.t("Crédits, ailleurs", "Credits, elsewhere"), locale.number(priceOf(ABROAD, segments))],
  ];
  return html`<div class="counter" data-ivorian="${priceOf(IVORIAN, 1)}" data-abroad="${priceOf(ABROAD, 1)}">
<label for="counted">${locale.t("Écrivez votre message", "Write your message")}</label>
<textarea id="counted" rows="3" maxlength="2000" spellcheck="true">${text}</textarea>
<dl aria-live="polite">${facts.map(([name, title, value]) => html`<div><dt>${title}</dt><dd data-fact="${name}">${value}</dd></div>`)}</dl>
<p data-culprits${culprits.length === 0 && html` hidden`}>${locale.t("Ces caractères imposent UCS-2 :", "These characters force UCS-2:")} <b>${culprits.join(" ")}</b></p>
</div>
<script src="/docs/counter.js" type="module"></script>`;
}
