// Parts of pages: figures, states, notices; `lists.ts` has the tables. `kit.ts` shows all of them on one page.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { icon } from "./icons.ts";

/** The kind of a state. An icon and a word express it; the colour only repeats it. */
export type Tone = "good" | "wrong" | "wait" | "note" | "calm";

export function badge(tone: Tone, word: string): Html {
  return html`<span class="badge ${tone}">${icon(tone, 16)}${word}</span>`;
}

/** A state in words, with its tone. */
export type State = readonly [tone: Tone, fr: string, en: string];

export function stateBadge(visit: Visit, [tone, fr, en]: State): Html {
  return badge(tone, visit.t(fr, en));
}

/** Renders a box that explains, warns or confirms. */
export function notice(tone: Tone, body: string | Html | readonly (Html | false)[], title?: string): Html {
  return html`<div class="notice ${tone}">${icon(tone)}<div>${title !== undefined && html`<h2>${title}</h2>`}${typeof body === "string" ? html`<p>${body}</p>` : body}</div></div>`;
}

type Pair = readonly [fr: string, en: string];

/** Renders a box with one sentence. */
export function remark(visit: Visit, tone: Tone, sentence: Pair, title?: Pair): Html {
  return notice(tone, visit.t(...sentence), title && visit.t(...title));
}

/** The lengths of `999 999` and `99 999 999`. */
const [SHORT_FIGURE, LONG_FIGURE] = [7, 10];

/** Renders one figure with its label. */
export function figure(label: string, value: string | Html, note?: string | Html): Html {
  const length = typeof value === "string" ? value.length : 0;
  const size = length > LONG_FIGURE ? html` class="longest"` : length > SHORT_FIGURE && html` class="long"`;
  return html`<div class="figure"><dt>${label}</dt><dd${size}>${value}${note !== undefined && html`<small>${note}</small>`}</dd></div>`;
}

export function figures(all: readonly Html[]): Html {
  return html`<dl class="figures">${all}</dl>`;
}

/** Renders facts about one thing: a label and a value each. */
export function facts(rows: readonly (readonly [label: string, value: unknown] | false)[]): Html {
  return html`<dl class="facts">${rows.filter((row) => row !== false).map(([label, value]) => html`<div><dt>${label}</dt><dd>${value}</dd></div>`)}</dl>`;
}

/** One event of a timeline. */
export type TimelineEvent = {
  tone: Tone;
  title: string | Html;
  when?: string;
  more?: Html | readonly (Html | false)[];
};

export function timeline(all: readonly TimelineEvent[]): Html {
  return html`<ol class="timeline">${all.map(
    ({
      tone,
      title,
      when,
      more,
    }) => html`<li class="${tone}">${icon(tone)}<div><p class="what">${title}</p>${when !== undefined && html`<p class="when">${when}</p>`}${more}</div></li>
`,
  )}</ol>`;
}

/** Renders the confirmation of the form before this page: `?done=` is the key of its sentence. */
export function doneNotice(visit: Visit, sentences: Readonly<Record<string, string>>): Html | false {
  const done = visit.field("done");
  const sentence = Object.hasOwn(sentences, done) && sentences[done];
  return sentence !== undefined && sentence !== false && notice("good", sentence);
}

/** Renders progress, with the count in words. */
export function progress(value: number, most: number, words: string): Html {
  return html`<div class="progress"><progress value="${value}" max="${Math.max(1, most)}" aria-label="${words}"></progress><p>${words}</p></div>`;
}

/** Renders a message as a phone shows it. */
export function handset(sender: string, texts: readonly (string | Html)[]): Html {
  return html`<div class="handset"><p class="from">${sender}</p>${texts.map((text) => html`<p class="bubble">${text}</p>`)}</div>`;
}

/** Renders a part of a page with a heading of its own. */
export function section(
  title: string,
  body: Html | readonly (Html | false | undefined)[],
  action?: Html,
): Html {
  return html`<section><div class="head"><h2>${title}</h2>${action}</div>
${body}
</section>`;
}

/** Renders text that people copy: a key, a command. The module `copy` adds a button. */
export function copyable(text: string | Html, label: string): Html {
  return html`<div class="copyable"><pre tabindex="0" aria-label="${label}"><code>${text}</code></pre></div>`;
}

/** Renders links and buttons side by side. */
export function actions(all: readonly (Html | false | undefined)[]): Html {
  return html`<div class="actions">${all}</div>`;
}

/** Renders a sentence of the API, in which backticks mark code. */
export function prose(text: string): Html[] {
  const sentence = text.slice(0, 1).toUpperCase() + text.slice(1);
  return sentence.split("`").map((part, i) => (i % 2 === 0 ? html`${part}` : html`<code>${part}</code>`));
}
