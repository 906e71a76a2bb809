// The counter of segments in the guide on the tariff. The server counts an example; `counter.js` counts what one types.
import { type Html, html } from "../kernel/html.ts";
import { priceOf, segmentsOf, unicodeCulprits } from "../sms/sms.ts";
import type { Reader } from "./reader.ts";

const SAMPLE = {
  fr: "Bonjour Awa, votre commande est prête. À bientôt chez Boutique !",
  en: "Hello Awa, your order is ready. See you soon at Boutique!",
} as const;

const IVORIAN = "2250700000000";
const ABROAD = "221700000000";

/** The counter with an example already counted, so that it says something without a script too. */
export function counterPart(reader: Reader): Html {
  const text = SAMPLE[reader.language];
  const { encoding, segments, units } = segmentsOf(text);
  const culprits = unicodeCulprits(text).map(({ character }) => character);
  const facts: [name: string, title: string, value: string][] = [
    ["encoding", reader.t("Alphabet", "Alphabet"), encoding],
    ["units", reader.t("Caractères comptés", "Characters counted"), reader.number(units)],
    ["segments", reader.t("Segments", "Segments"), reader.number(segments)],
    ["ivorian", reader.t("Crédits, +225", "Credits, +225"), reader.number(priceOf(IVORIAN, segments))],
    ["abroad", reader.t("Crédits, ailleurs", "Credits, elsewhere"), reader.number(priceOf(ABROAD, segments))],
  ];
  return html`<div class="counter" data-ivorian="${priceOf(IVORIAN, 1)}" data-abroad="${priceOf(ABROAD, 1)}">
<label for="counted">${reader.t("Écrivez votre message", "Write your message")}</label>
<textarea id="counted" rows="3" maxlength="2000" spellcheck="true">${text}</textarea>
<dl aria-live="polite">${facts.map(([name, title, value]) => html`<div><dt>${title}</dt><dd data-fact="${name}">${value}</dd></div>`)}</dl>
<p data-culprits${culprits.length === 0 && html` hidden`}>${reader.t("Ces caractères imposent UCS-2 :", "These characters force UCS-2:")} <b>${culprits.join(" ")}</b></p>
</div>
<script src="/docs/counter.js" type="module"></script>`;
}
