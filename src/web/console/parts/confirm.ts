// Confirmation pages before what cannot be undone, and pages that show a secret once, to be copied.
import { type Html, html } from "../../../platform/http/html.ts";
import type { View, Visit } from "../visit.ts";
import { button, form } from "./forms.ts";
import { actions, copyable, notice } from "./parts.ts";

type Confirmation = {
  title: string;
  /** The consequences. */
  text: string;
  /** The URL of the form that does it, if it is not the one of the page. */
  action?: string;
  /** The label of the button. */
  yes: string;
  /** The label of the way back, if "Cancel" could mean the action itself. */
  no?: string;
  back: { href: string; text: string };
  /** Fields of the form. */
  fields?: readonly Html[];
};

/** Renders a confirmation page. */
export function confirmView(visit: Visit, of: Confirmation): View {
  const { title, text, action = visit.path, yes, back, fields = [] } = of;
  const no = html`<a href="${back.href}">${of.no ?? visit.t("Annuler", "Cancel")}</a>`;
  return {
    title,
    narrow: true,
    back,
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
  /** Whether another page shows the secret too. */
  isShownElsewhere?: boolean;
};

/** Renders a secret, with a warning if no other page shows it. */
export function secretView(
  visit: Visit,
  { title, label, secret, text, next, isShownElsewhere = false }: Secret,
): View {
  const warning = visit.t(
    "Cette valeur n’est affichée qu’une seule fois. Copiez-la maintenant et conservez-la en lieu sûr.",
    "This value is shown only once. Copy it now and keep it in a safe place.",
  );
  return {
    title,
    narrow: true,
    islands: ["copy"],
    body: html`<p>${text}</p>
${!isShownElsewhere && notice("wait", warning)}
${copyable(secret, label)}
${actions([html`<a class="button main" href="${next}">${visit.t("Copié", "Copied")}</a>`])}`,
  };
}
