// Confirmation pages before what cannot be undone, and pages that show a secret once, to be copied.
import { type Html, html } from "../../../platform/http/html.ts";
import type { View, Visit } from "../visit.ts";
import { button, form } from "./forms.ts";
import { actions, copyable, notice } from "./parts.ts";
import type { Problem } from "./sentences.ts";

type Asked = {
  title: string;
  /** The consequences. */
  text: string;
  /** The URL of the form that does it. */
  action: string;
  /** The label of the button. */
  yes: string;
  /** The label of the way back, if "Cancel" could mean the action itself. */
  no?: string;
  back: { href: string; text: string };
  at: string;
  /** Fields of the form. */
  fields?: readonly Html[];
  problem?: Problem | undefined;
};

/** Renders a confirmation page. */
export function confirmView(visit: Visit, asked: Asked): View {
  const { title, text, action, yes, back, at, fields = [], problem } = asked;
  const no = html`<a href="${back.href}">${asked.no ?? visit.t("Annuler", "Cancel")}</a>`;
  return {
    title,
    at,
    narrow: true,
    back,
    problem,
    body: html`<p>${text}</p>
${form(visit, action, [...fields, actions([button(yes, "danger"), no])])}`,
  };
}

type Secret = {
  title: string;
  label: string;
  secret: string;
  /** What the secret is for, and what it replaces. */
  text: string;
  /** The URL of the next page. */
  next: string;
  at: string;
  /** Whether another page shows the secret too. */
  isKept?: boolean;
};

/** Renders a secret: once, unless it is kept. */
export function secretView(
  visit: Visit,
  { title, label, secret, text, next, at, isKept = false }: Secret,
): View {
  const warning = visit.t(
    "Cette valeur n’est affichée qu’une seule fois. Copiez-la maintenant et conservez-la en lieu sûr.",
    "This value is shown only once. Copy it now and keep it in a safe place.",
  );
  return {
    title,
    at,
    narrow: true,
    islands: ["copy"],
    body: html`<p>${text}</p>
${!isKept && notice("wait", warning)}
${copyable(secret, label)}
${actions([html`<a class="button main" href="${next}">${visit.t("Copié", "Copied")}</a>`])}`,
  };
}
