// The page of a person whose companies are all suspended: what that means, and whom to contact.
import { html } from "../../../platform/http/html.ts";
import { plainButton } from "../parts/forms.ts";
import { actions, remark } from "../parts/parts.ts";
import type { Screens } from "../screens.ts";
import { Redirect, type View, type Visit } from "../visit.ts";
import { readPerson } from "./privacy.ts";

export function addSuspended(screens: Screens): void {
  screens.page("/suspended", suspended, { area: "public" });
}

/** A person who acts for another company, or has no session, is redirected. */
async function suspended(visit: Visit): Promise<View | Redirect> {
  const person = await readPerson(visit);
  const { companies = [], suspendedCompanies: [first, ...others] = [] } = person ?? {};
  if (!first || companies.length > 0) return new Redirect("/");
  return {
    title:
      others.length === 0
        ? visit.t(`${first.name} est suspendue`, `${first.name} is suspended`)
        : visit.t("Vos entreprises sont suspendues", "Your companies are suspended"),
    narrow: true,
    body: html`${others.length > 0 && html`<ul>${[first, ...others].map(({ name }) => html`<li>${name}</li>`)}</ul>`}
${remark(visit, "wait", [
  "L’administrateur du service a suspendu vos envois et l’accès à vos pages. Rien n’est perdu : vos contacts, messages et crédits sont conservés, et les messages en attente partiront à la levée de la suspension.",
  "The administrator of the service has suspended your sends and your access. Nothing is lost: your contacts, messages and credits are kept, and waiting messages are sent once the suspension is lifted.",
])}
<p>${visit.t(
      "Pour en connaître la raison ou demander sa levée, écrivez à l’administrateur du service, votre interlocuteur habituel.",
      "To find out why or ask for it to be lifted, write to the administrator of the service, your usual contact.",
    )}</p>
${actions([
  html`<a class="button main" href="/">${visit.t("Vérifier l’état de la suspension", "Check suspension status")}</a>`,
  plainButton(visit, "/sign-out", visit.t("Se déconnecter", "Sign out")),
])}`,
  };
}
