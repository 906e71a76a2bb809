// Code in several languages, one shown at a time. It works without a script, which only remembers the choice.
import { type Html, html } from "../../platform/http/html.ts";
import type { Locale } from "./locale.ts";
import type { Sample } from "./samples.ts";

const NAMES: Readonly<Record<Sample["language"], string>> = {
  curl: "curl",
  typescript: "TypeScript",
  php: "PHP",
  python: "Python",
};

export type SamplesMore = {
  /** HTML that is shown for a language in place of its text. */
  markup?: Partial<Record<Sample["language"], Html>>;
  /** Buttons beside the copy button. */
  buttons?: Html;
};

/** Renders the samples as tabs. */
export function samplesPart(
  locale: Locale,
  id: string,
  samples: readonly Sample[],
  { markup = {}, buttons }: SamplesMore = {},
): Html {
  const panels = samples.map(
    ({ language, text }) =>
      html`<pre data-language="${language}" tabindex="0"><code>${markup[language] ?? filled(text)}</code></pre>`,
  );
  return html`<div class="samples">
${samples.length > 1 && choice(locale, id, samples)}
${panels}
<p class="buttons" hidden><button type="button" class="copy">${locale.t("Copier", "Copy")}</button>${buttons}</p>
</div>`;
}

function choice(locale: Locale, id: string, samples: readonly Sample[]): Html {
  return html`<fieldset class="languages"><legend class="unseen">${locale.t("Langage de l’exemple", "Language of the sample")}</legend>
${samples.map(
  ({ language }, at) =>
    html`<label><input type="radio" name="${id}-language" value="${language}"${at === 0 && html` checked`}>${NAMES[language]}</label>`,
)}</fieldset>`;
}

/** Renders each `<name>` of a sample as an element that the page fills in. `editable` lets the reader edit it. */
export function filled(text: string, editable?: "plaintext-only"): Html[] {
  return text
    .split(/(<[a-z]\w+>)/)
    .map((part, i) =>
      i % 2 === 0
        ? html`${part}`
        : html`<mark data-fill="${part.slice(1, -1)}"${editable && html` contenteditable="${editable}"`}>${part}</mark>`,
    );
}
