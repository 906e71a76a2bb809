// The counter of segments in the guide on the tariff. The server counts an example; `counter.js` counts what one types.
import { type Html, html } from "../../platform/html.ts";
import { priceOf, segmentsOf, unicodeCulprits } from "../../protocol/sms/sms.ts";
import type { Tongue } from "./tongue.ts";

const SAMPLE = {
  fr: "Bonjour Awa, votre commande est prête. À bientôt chez Boutique !",
  en: "Hello Awa, your order is ready. See you soon at Boutique!",
} as const;

const IVORIAN = "2250700000000";
const ABROAD = "221700000000";

/** The counter with an example already counted, so that it says something without a script too. */
export function counterPart(tongue: Tongue): Html {
  const text = SAMPLE[tongue.language];
  const { encoding, segments, units } = segmentsOf(text);
  const culprits = unicodeCulprits(text).map(({ character }) => character);
  const facts: [name: string, title: string, value: string][] = [
    ["encoding", tongue.t("Alphabet", "Alphabet"), encoding],
    ["units", tongue.t("Caractères comptés", "Characters counted"), tongue.number(units)],
    ["segments", tongue.t("Segments", "Segments"), tongue.number(segments)],
    ["ivorian", tongue.t("Crédits, +225", "Credits, +225"), tongue.number(priceOf(IVORIAN, segments))],
    ["abroad", tongue.t("Crédits, ailleurs", "Credits, elsewhere"), tongue.number(priceOf(ABROAD, segments))],
  ];
  return html`<div class="counter" data-ivorian="${priceOf(IVORIAN, 1)}" data-abroad="${priceOf(ABROAD, 1)}">
<label for="counted">${tongue.t("Écrivez votre message", "Write your message")}</label>
<textarea id="counted" rows="3" maxlength="2000" spellcheck="true">${text}</textarea>
<dl aria-live="polite">${facts.map(([name, title, value]) => html`<div><dt>${title}</dt><dd data-fact="${name}">${value}</dd></div>`)}</dl>
<p data-culprits${culprits.length === 0 && html` hidden`}>${tongue.t("Ces caractères imposent UCS-2 :", "These characters force UCS-2:")} <b>${culprits.join(" ")}</b></p>
</div>
<script src="/docs/counter.js" type="module"></script>`;
}
