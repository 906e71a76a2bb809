// Markup: one tagged template that escapes whatever is put into it, for every page that a server of ours writes.

/** Markup that is safe as it stands; everything else is escaped. */
export class Html {
  readonly text: string;
  constructor(text: string) {
    this.text = text;
  }
}

const ENTITIES: Record<string, string> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Escaped for element content and quoted attributes, which is where values belong; `undefined` and `false` are nothing. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.map((part, i) => (i === 0 ? part : markup(values[i - 1]) + part)).join(""));
}

function markup(value: unknown): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value === undefined || value === false) return "";
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
