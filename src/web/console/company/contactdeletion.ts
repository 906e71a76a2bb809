// Deletes many contacts: those ticked, all results of a search, or all of a group; always after showing their number.
import { type Html, html } from "../../../platform/http/html.ts";
import { confirmView } from "../parts/confirm.ts";
import { check } from "../parts/forms.ts";
import { notice, progress } from "../parts/parts.ts";
import { Problem } from "../parts/sentences.ts";
import type { Screens } from "../screens.ts";
import { Fragment, Redirect, type View, type Visit } from "../visit.ts";

const FOUND_AT_MOST = 1_000;
const PAGE = 100;

export function addContactDeletion(screens: Screens): void {
  screens.pageAndForm("/contacts/delete", confirmSome, removeSome);
  screens.page("/contacts/deletions/:id", deletion);
  screens.page("/contacts/deletions/:id/live", live);
  screens.pageAndForm("/groups/:id/contacts/delete", confirmGroup, removeGroup);
}

function consequences(visit: Visit): string {
  return visit.t(
    "Ces contacts sont supprimés et retirés de tous leurs groupes. Les messages déjà envoyés restent dans vos campagnes, et les désinscriptions restent en vigueur.",
    "These contacts are deleted and removed from all their groups. Messages already sent stay in your campaigns, and opt-outs remain in effect.",
  );
}

async function chosenOf(visit: Visit): Promise<string[]> {
  const search = visit.field("search").trim();
  if (search === "" || visit.field("all") !== "yes") return [...new Set(visit.list("id"))];
  const ids: string[] = [];
  for (let page = 1; page <= FOUND_AT_MOST / PAGE; page++) {
    const listed = await visit.call("/v1/contact/list", { search, orderBy: "name", page, limit: PAGE });
    ids.push(...listed.data.map(({ id }) => id));
    if (page >= listed.totalPage) break;
  }
  return ids;
}

async function confirmSome(visit: Visit): Promise<View | Redirect> {
  const ids = await chosenOf(visit);
  if (ids.length === 0) return new Redirect("/contacts?done=none");
  const search = visit.field("all") === "yes" ? visit.field("search").trim() : "";
  const words = visit.contacts(ids.length);
  const hidden = (name: string, value: string) => html`<input type="hidden" name="${name}" value="${value}">`;
  return confirmView(visit, {
    title: visit.t(`Supprimer ${words} ?`, `Delete ${words}?`),
    back: {
      href: search ? `/contacts?${new URLSearchParams({ search })}` : "/contacts",
      text: visit.t("Contacts", "Contacts"),
    },
    text: `${search ? `${visit.t(`Tous les résultats de la recherche « ${search} ».`, `All results of the search “${search}”.`)} ` : ""}${consequences(visit)}`,
    fields: [
      hidden("count", String(ids.length)),
      ...(search ? [hidden("search", search), hidden("all", "yes")] : ids.map((id) => hidden("id", id))),
    ],
    yes: visit.t(`Supprimer ${words}`, `Delete ${words}`),
  });
}

/** If the search now finds a different number than was shown, the confirmation is shown again. */
async function removeSome(visit: Visit): Promise<View | Redirect> {
  const contactsIds = await chosenOf(visit);
  if (String(contactsIds.length) !== visit.field("count")) return confirmSome(visit.with(changed(visit)));
  const { data } = await visit.call("/v1/contact/delete", { contactsIds });
  return new Redirect(`/contacts?${new URLSearchParams({ done: "many", count: String(data.count) })}`);
}

function changed(visit: Visit): Problem {
  return new Problem(
    visit.t(
      "Aucun contact n’a été supprimé : le nombre de contacts a changé. Vérifiez le nouveau nombre.",
      "No contacts were deleted: the number of contacts has changed. Check the new number.",
    ),
  );
}

/** Returns what the list of contacts says after a deletion. */
export function manyDeletedWords(visit: Visit): string {
  const count = Number(visit.field("count")) || 0;
  const words = visit.contacts(count);
  return visit.t(`${words} ${count < 2 ? "supprimé" : "supprimés"}.`, `${words} deleted.`);
}

async function confirmGroup(visit: Visit): Promise<View> {
  const id = visit.id;
  const { data: group } = await visit.call("/v1/group/{id}", { id });
  const words = visit.contacts(group.contactCount);
  return confirmView(visit, {
    title: visit.t(
      `Supprimer ${group.contactCount === 1 ? "le seul contact" : `les ${words}`} de « ${group.name} » ?`,
      `Delete the ${words} of “${group.name}”?`,
    ),
    back: { href: `/groups/${id}`, text: group.name },
    text: `${consequences(visit)} ${visit.t("Le groupe vide est conservé.", "The empty group is kept.")}`,
    fields: [
      html`<input type="hidden" name="count" value="${group.contactCount}">`,
      check("sure", visit.t(`Oui, supprimer ${words}`, `Yes, delete ${words}`), { value: "" }),
    ],
    yes: visit.t("Supprimer ces contacts", "Delete these contacts"),
  });
}

async function removeGroup(visit: Visit): Promise<View | Redirect> {
  if (visit.field("sure") !== "yes")
    return confirmGroup(
      visit.wrong(visit.t("Cochez la case pour confirmer.", "Check the box to confirm."), "sure"),
    );
  const wanted = { groupId: visit.id, count: Number(visit.field("count")) };
  const begun = await visit.attempt(visit.call("/v1/contact/delete-many", wanted));
  if (begun instanceof Problem)
    return confirmGroup(visit.with(begun.code === "conflict" ? changed(visit) : begun));
  return new Redirect(`/contacts/deletions/${begun.data.id}`);
}

async function deletion(visit: Visit): Promise<View> {
  const { body, isOver, groupId } = await deletionPart(visit);
  return {
    title: visit.t("Suppression de contacts", "Contact deletion"),
    narrow: true,
    back: { href: `/groups/${groupId}`, text: visit.t("Groupe", "Group") },
    islands: isOver ? [] : ["live"],
    body: isOver
      ? body
      : html`<div class="stack" data-live="/contacts/deletions/${visit.id}/live" aria-live="polite">${body}</div>`,
  };
}

async function live(visit: Visit): Promise<Fragment> {
  const { body, isOver } = await deletionPart(visit);
  return new Fragment(body, isOver);
}

async function deletionPart(visit: Visit): Promise<{ body: Html; isOver: boolean; groupId: string }> {
  const { data } = await visit.call("/v1/contact/delete-many/{id}");
  const { deleted, total, status, groupId } = data;
  const words = visit.contacts(deleted);
  const said = visit.t(`${words} ${deleted < 2 ? "supprimé" : "supprimés"}.`, `${words} deleted.`);
  const body =
    status === "DONE"
      ? notice("good", said)
      : html`${progress(deleted, Math.max(total, deleted), said)}
<p class="hint">${visit.t("Vous pouvez quitter cette page : la suppression continue.", "You can leave this page: the deletion continues.")}</p>`;
  return { body, isOver: status === "DONE", groupId };
}
