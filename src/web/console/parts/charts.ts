// Charts, rendered on the server as SVG: they need no script and can be printed. A table beside each has its data.
import { scaleBand, scaleLinear, scaleTime } from "d3-scale";
import { curveMonotoneX, line } from "d3-shape";
import { type Html, html } from "../../../platform/http/html.ts";

const WIDTH = 720;
const HEIGHT = 240;
const MARGIN = { top: 12, right: 12, bottom: 36, left: 68 };
const TICKS = 4;
const LABELS_AT_MOST = 5;

/** Two counts under one label: successes and failures. */
export type Bar = { label: string; first: number; second: number };

type Words = {
  /** A description of the chart for people who cannot see it. */
  title: string;
  first: string;
  second: string;
  number: (value: number) => string;
};

/** Renders bars beside each other, with `second` on top of `first`. */
export function barChart(bars: readonly Bar[], words: Words): Html {
  const most = Math.max(1, ...bars.map(({ first, second }) => first + second));
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(TICKS);
  const x = scaleBand(
    bars.map((_, i) => i),
    [MARGIN.left, WIDTH - MARGIN.right],
  ).padding(0.25);
  const every = Math.ceil(bars.length / LABELS_AT_MOST);
  const width = x.bandwidth();
  const drawn = bars.map(({ label, first, second }, i) => {
    const left = x(i) ?? 0;
    const [middle, top] = [y(first), y(first + second)];
    return html`<g><title>${label} : ${words.number(first)} ${words.first}, ${words.number(second)} ${words.second}</title>
${rectangle("first", left, middle, width, y(0) - middle)}${rectangle("second", left, top, width, middle - top)}
${i % every === 0 && html`<text x="${round(left + width / 2)}" y="${HEIGHT - 8}" text-anchor="middle">${label}</text>`}</g>`;
  });
  return framed(words, [axisPart(y, words), ...drawn]);
}

function rectangle(kind: string, x: number, y: number, width: number, height: number): Html | false {
  if (height <= 0) return false;
  return html`<rect class="${kind}" x="${round(x)}" y="${round(y)}" width="${round(width)}" height="${round(height)}" rx="2"/>`;
}

/** A point of two curves: both counts up to that time. */
export type Point = { at: Date; label: string; first: number; second: number };

/** Renders two curves over time. */
export function lineChart(points: readonly Point[], words: Words): Html | false {
  const [start, end] = [points[0], points.at(-1)];
  if (!start || !end || start === end) return false;
  const most = Math.max(1, ...points.map(({ first, second }) => Math.max(first, second)));
  const y = scaleLinear([0, most], [HEIGHT - MARGIN.bottom, MARGIN.top]).nice(TICKS);
  const x = scaleTime([start.at, end.at], [MARGIN.left, WIDTH - MARGIN.right]);
  const path = (value: (point: Point) => number) =>
    line<Point>()
      .x((point) => round(x(point.at)))
      .y((point) => round(y(value(point))))
      .curve(curveMonotoneX)(points) ?? "";
  return framed(words, [
    axisPart(y, words),
    html`<path class="line" d="${path(({ first }) => first)}"/>`,
    html`<path class="line second" d="${path(({ second }) => second)}"/>`,
    html`<text x="${MARGIN.left}" y="${HEIGHT - 8}">${start.label}</text>`,
    html`<text x="${WIDTH - MARGIN.right}" y="${HEIGHT - 8}" text-anchor="end">${end.label}</text>`,
  ]);
}

function axisPart(y: ReturnType<typeof scaleLinear<number, number>>, { number }: Words): Html {
  return html`${y.ticks(TICKS).map((tick) => {
    const at = round(y(tick));
    return html`<path class="axis" d="M${MARGIN.left} ${at}H${WIDTH - MARGIN.right}"/><text x="${MARGIN.left - 8}" y="${at + 4}" text-anchor="end">${Number.isInteger(tick) && number(tick)}</text>`;
  })}`;
}

function framed({ title, first, second }: Words, drawn: readonly (Html | false)[]): Html {
  return html`<figure><svg class="chart" viewBox="0 0 ${WIDTH} ${HEIGHT}" role="img" aria-label="${title}">${drawn}</svg>
<figcaption class="legend">${keyPart("first", first)}${keyPart("second", second)}</figcaption></figure>`;
}

function keyPart(kind: string, text: string): Html {
  return html`<span><svg width="12" height="12" aria-hidden="true"><rect class="${kind}" width="12" height="12" rx="2"/></svg>${text}</span>`;
}

function round(value: number): number {
  return Math.round(value * 10) / 10;
}
