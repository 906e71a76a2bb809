// The undo of an import: what it would remove, the confirmation, the progress and the result.
import { nowMs } from "../../../platform/clock.ts";
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { confirmView } from "../parts/confirm.ts";
import { linkButton } from "../parts/forms.ts";
import { notice, progress, remark, section } from "../parts/parts.ts";
import { may } from "../parts/roles.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";

type Import = Data<"/v1/contact/import/{id}">;

const pathOf = ({ id }: Pick<Import, "id">) => `/contacts/import/${id}`;

/** Renders, for a finished import, the way to undo it, or the result of its undo. */
export async function undoPart(visit: Visit, found: Import): Promise<Html | false> {
  const { undo, undoableUntil } = found;
  if (undo?.status === "DONE") return undoneNotice(visit, found, undo);
  if (undo !== null)
    return html`<div class="stack" data-live="${pathOf(found)}/undo/live" aria-live="polite">${await undoneNotice(visit, found, undo)}</div>`;
  if (undoableUntil === null || new Date(undoableUntil).getTime() <= nowMs() || !may(visit, "contacts"))
    return false;
  const until = visit.formats.moment(undoableUntil);
  return section(visit.t("Annuler cet import", "Undo this import"), [
    html`<p>${visit.t(
      `Jusqu’au ${until}, vous pouvez supprimer les contacts créés par cet import.`,
      `Until ${until}, you can delete the contacts created by this import.`,
    )}</p>
<p>${linkButton(`${pathOf(found)}/undo`, visit.t("Annuler l’import", "Undo import"), "danger")}</p>`,
  ]);
}

async function undoneNotice(
  visit: Visit,
  { created, updated, groupId }: Import,
  { status, removed, kept }: NonNullable<Import["undo"]>,
): Promise<Html> {
  if (status === "RUNNING")
    return html`${remark(visit, "wait", ["Annulation en cours. Vous pouvez quitter cette page.", "The import is being undone. You can leave this page."])}
${progress(removed + kept, Math.max(created, removed + kept), visit.t(`${visit.contacts(removed)} ${removed < 2 ? "supprimé" : "supprimés"}`, `${visit.contacts(removed)} deleted`))}`;
  const number = visit.formats.number(kept);
  const gone = visit.t(
    `Import annulé : ${visit.contacts(removed)} ${removed < 2 ? "supprimé" : "supprimés"}`,
    `Import undone: ${visit.contacts(removed)} deleted`,
  );
  const rest = visit.t(
    kept === 1 ? ", 1 conservé car modifié depuis" : `, ${number} conservés car modifiés depuis`,
    kept === 1 ? ", 1 kept because it has changed since" : `, ${number} kept because they have changed since`,
  );
  return notice("good", [
    html`<p>${gone}${kept > 0 && rest}.</p>`,
    updated > 0 && html`<p>${updatedWords(visit, updated)}</p>`,
    groupId !== null && (await groupWords(visit, groupId)),
  ]);
}

/** Explains why the group of an undone import still exists, if it does. */
async function groupWords(visit: Visit, id: string): Promise<Html | false> {
  const [group] = (await visit.call("/v1/group/list", { groupsIds: [id], limit: 1 })).data;
  if (!group) return false;
  const { name, contactCount } = group;
  return html`<p>${
    contactCount > 0
      ? visit.t(
          `Le groupe « ${name} » est conservé : il contient encore des contacts.`,
          `The group “${name}” is kept because it still has contacts.`,
        )
      : visit.t(
          `Le groupe « ${name} » est vide mais conservé : il existait avant l’import ou une campagne à venir l’utilise.`,
          `The group “${name}” is empty but kept: it existed before the import, or an upcoming campaign uses it.`,
        )
  }</p>`;
}

function updatedWords(visit: Visit, updated: number): string {
  return visit.t(
    updated === 1
      ? "1 contact mis à jour par l’import est conservé avec ses nouvelles valeurs."
      : `${visit.contacts(updated)} mis à jour par l’import sont conservés avec leurs nouvelles valeurs.`,
    updated === 1
      ? "1 contact updated by the import is kept with its new values."
      : `${visit.contacts(updated)} updated by the import are kept with their new values.`,
  );
}

async function read(visit: Visit): Promise<Import> {
  return (await visit.call("/v1/contact/import/{id}")).data;
}

/** For the module of the page: the updated part, until the undo is over. */
export async function undoLive(visit: Visit): Promise<Fragment> {
  const found = await read(visit);
  const { undo } = found;
  // A live part is shown only while an undo runs, which never becomes none.
  if (!undo) return new Fragment(html``, true);
  return new Fragment(await undoneNotice(visit, found, undo), undo.status !== "RUNNING");
}

export async function confirmUndo(visit: Visit): Promise<View | Redirect> {
  const found = await read(visit);
  if (found.undoableUntil === null) return new Redirect(pathOf(found));
  const { created, updated, groupName } = found;
  return confirmView(visit, {
    title: visit.t(
      `Annuler l’import de ${visit.contacts(created)} ?`,
      `Undo the import of ${visit.contacts(created)}?`,
    ),
    back: { href: pathOf(found), text: found.fileName },
    text: [
      visit.t(
        `${created === 1 ? "Le contact créé par l’import est supprimé" : `Les ${visit.contacts(created)} créés par l’import sont supprimés`}, sauf s’${created === 1 ? "il a été modifié ou ajouté" : "ils ont été modifiés ou ajoutés"} à un autre groupe depuis. Les messages envoyés et les désinscriptions sont conservés.`,
        `The ${visit.contacts(created)} created by the import ${created === 1 ? "is" : "are"} deleted, unless changed or added to another group since. Sent messages and opt-outs are kept.`,
      ),
      groupName === null
        ? ""
        : visit.t(
            `Le groupe « ${groupName} » est supprimé si l’import l’a créé, s’il est vide et si aucune campagne à venir ne l’utilise.`,
            `The group “${groupName}” is deleted if the import created it, if it is empty and if no upcoming campaign uses it.`,
          ),
      updated > 0 ? updatedWords(visit, updated) : "",
    ]
      .filter(Boolean)
      .join(" "),
    yes: visit.t("Annuler l’import", "Undo import"),
    no: visit.t("Conserver les contacts", "Keep contacts"),
  });
}

/** If it has become too late meanwhile, the page of the import no longer offers it. */
export async function undo(visit: Visit): Promise<Redirect> {
  const id = visit.id;
  await visit.attempt(visit.call("/v1/contact/import/{id}/undo", { id }));
  return new Redirect(`/contacts/import/${id}`);
}
