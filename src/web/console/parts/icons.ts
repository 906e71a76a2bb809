// Icons, inlined in the page: they need no request. A word is always beside them.
import { Html, html } from "../../../platform/http/html.ts";

/** The lines of each icon, in a square of 24. */
const LINES = {
  home: "M4 11 12 4l8 7M6 10v10h12V10M10 20v-6h4v6",
  campaigns: "M4 10v4h3l8 5V5L7 10zM18.5 9a4 4 0 0 1 0 6",
  contacts:
    "M9 11a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM2.5 20c.6-4 3-6 6.5-6s5.9 2 6.5 6M16 4.5a3.5 3.5 0 0 1 0 6M18 14.5c2 .7 3.2 2.5 3.6 5.5",
  senders: "M4 12V5.5L5.5 4H12l8 8-8 8zM8.5 8.5h.01",
  credits: "M3.5 6.5h17v11h-17zM3.5 10.5h17M7 14.5h3",
  members: "M12 12a4 4 0 1 0 0-8 4 4 0 0 0 0 8zM4.5 20.5c.6-4.3 3.3-6.5 7.5-6.5s6.9 2.2 7.5 6.5",
  developer: "M8.5 7 4 12l4.5 5M15.5 7 20 12l-4.5 5M13.5 5l-3 14",
  reseller: "M4 9.5 5.5 4.5h13L20 9.5M4 9.5h16v10H4zM9.5 19.5v-5h5v5",
  settings: "M4 7h9M17 7h3M15 5v4M4 17h3M11 17h9M9 15v4M4 12h3M11 12h9",
  menu: "M4 7h16M4 12h16M4 17h16",
  add: "M12 5v14M5 12h14",
  back: "M14.5 6 8.5 12l6 6",
  search: "M10.5 17a6.5 6.5 0 1 0 0-13 6.5 6.5 0 0 0 0 13zM15.5 15.5 20 20",
  reviews: "M6 4h12v16H6zM9 9h6M9 12.5l2 2 4-4",
  operators:
    "M12 13v7M8.5 20h7M12 11.5a1.5 1.5 0 1 0 0 .01M8 15a5.5 5.5 0 0 1 0-7.5M16 15a5.5 5.5 0 0 0 0-7.5M5.5 17.5a9 9 0 0 1 0-12M18.5 17.5a9 9 0 0 0 0-12",
  companies: "M5 20V5h9v15M14 9h5v11M8 8.5h3M8 12h3M8 15.5h3M3.5 20h17",
  handsets: "M8 3.5h8v17H8zM11 17.5h2",
  audit: "M6 3.5h9l3 3v14H6zM9 10h6M9 13.5h6M9 17h3",
  guard: "M12 3.5 5 6v5.5c0 4.3 2.7 7.3 7 9 4.3-1.7 7-4.7 7-9V6z",
  good: "M5 12.5 10 17.5 19.5 7",
  wrong: "M6.5 6.5l11 11M17.5 6.5l-11 11",
  wait: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 7v5l3.5 2.5",
  note: "M12 20.5a8.5 8.5 0 1 0 0-17 8.5 8.5 0 0 0 0 17zM12 11v5.5M12 7.7v.01",
  calm: "M6 12h12",
  out: "M10 4H5v16h5M9.5 12H20M16 8l4 4-4 4",
  download: "M12 4v11M7 10.5l5 5 5-5M5 20h14",
} as const;

export type Icon = keyof typeof LINES;

export function icon(name: Icon, size = 20): Html {
  return html`<svg class="icon" viewBox="0 0 24 24" width="${size}" height="${size}" aria-hidden="true"><path d="${LINES[name]}"/></svg>`;
}

export const DRUM = new Html(
  `<svg class="drum" viewBox="0 0 24 24" width="28" height="28" aria-hidden="true"><path d="M5 4h14l-2.2 8L18 21H6l1.2-9z"/><ellipse cx="12" cy="4.6" rx="7" ry="2.4" class="skin"/></svg>`,
);
