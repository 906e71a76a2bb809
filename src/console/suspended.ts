// The page of whoever acts only for companies that are suspended: what that means, and whom to ask.
import { html } from "../kernel/html.ts";
import { formButton } from "./forms.ts";
import { actions, notice } from "./parts.ts";
import { readPerson } from "./privacy.ts";
import type { Screens } from "./screens.ts";
import { Redirect, type View, type Visit } from "./visit.ts";

export function addSuspended(screens: Screens): void {
  screens.page("/suspended", suspended, { area: "public" });
}

/** Whoever acts for a company, or has no session any more, goes where the others do. */
async function suspended(visit: Visit): Promise<View | Redirect> {
  const person = await readPerson(visit);
  const [first, ...others] = person?.suspendedCompanies ?? [];
  if (!first || person!.companies.length > 0) return new Redirect("/");
  return {
    title:
      others.length === 0
        ? visit.t(`${first.name} est suspendue`, `${first.name} is suspended`)
        : visit.t("Vos entreprises sont suspendues", "Your companies are suspended"),
    narrow: true,
    body: html`${others.length > 0 && html`<ul>${[first, ...others].map(({ name }) => html`<li>${name}</li>`)}</ul>`}
${notice(
  "wait",
  visit.t(
    "L’exploitant du service a arrêté ses envois et fermé ses pages. Rien n’est perdu : contacts, messages et crédits restent, et ce qui attend partira quand la suspension sera levée.",
    "The operator of the service has stopped its sends and shut its pages. Nothing is lost: contacts, messages and credits stay, and what waits goes when the suspension is lifted.",
  ),
)}
<p>${visit.t(
      "Pour savoir pourquoi et la faire lever, écrivez à l’exploitant du service, votre interlocuteur habituel.",
      "To know why and to have it lifted, write to the operator of the service, the people whom you know there.",
    )}</p>
${actions([
  html`<a class="button main" href="/">${visit.t("Voir si elle est levée", "See whether it is lifted")}</a>`,
  formButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out"), { kind: "plain" }),
])}`,
  };
}
