// Markup: one tagged template for all pages. It escapes every value that is put into it.

/** Markup that is safe already. `html` escapes all other values. */
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

/** Escapes values for element content and quoted attributes only. `undefined`, `null` and `false` are empty. */
export function html(parts: TemplateStringsArray, ...values: unknown[]): Html {
  return new Html(parts.map((part, i) => (i === 0 ? part : markup(values[i - 1]) + part)).join(""));
}

function markup(value: unknown): string {
  if (value instanceof Html) return value.text;
  if (Array.isArray(value)) return value.map(markup).join("");
  if (value === undefined || value === null || value === false) return "";
  return String(value).replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}
