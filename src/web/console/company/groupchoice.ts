// The choice of groups: the first ones by name, a search for the others, and the chosen ones, which stay.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Data } from "../apiclient.ts";
import { button, groupAbout, wrongPart } from "../parts/forms.ts";
import type { Screens } from "../screens.ts";
import { Fragment, type Visit } from "../visit.ts";

type Group = Data<"/v1/group/list">[number];

/** A company may have 10,000 groups: a phone on a slow network loads some, and searches the others by name. */
const GROUPS_SHOWN = 20;
/** The most chosen groups that are shown by name, as many as one API call returns. Others stay chosen but hidden. */
const CHOSEN_SHOWN = 100;

export function addGroupChoice(screens: Screens): void {
  screens.page("/groups/choice/live", found);
}

/** Whether a form was sent to search for groups, and not to continue. */
export function isGroupSearch(visit: Visit): boolean {
  return visit.field("find") === "groups";
}

type Choosing = {
  name: string;
  label: string;
  chosen: readonly string[];
  /** Whether any number can be chosen, or at most one. */
  isMany: boolean;
};

/**
 * Renders the choice as a part of a form; undefined for a company without groups. Its search button sends the form: if
 * `isGroupSearch`, show the form again with all its values. With the module `groups`, the search happens on the page.
 */
export async function groupChoice(visit: Visit, of: Choosing): Promise<Html | undefined> {
  const { name, label, isMany } = of;
  const [some, chosen] = await Promise.all([readFound(visit), readChosen(visit, of.chosen)]);
  if (some.all === 0) return undefined;
  const known = new Set(chosen.groups.map(({ id }) => id));
  const others = some.groups.filter(({ id }) => !known.has(id));
  const one = (group: Group, isChosen: boolean) => choicePart(visit, of, group, isChosen);
  const none = html`<label class="choice"><input type="radio" name="${name}" value=""${chosen.groups.length === 0 && html` checked`}><span>${visit.t("Aucun groupe", "No group")}</span></label>`;
  return html`<fieldset class="field" id="${name}" data-groups="/groups/choice/live?name=${name}&many=${isMany ? "yes" : "no"}"${groupAbout(visit, name)}>
<legend>${label} <small>${visit.t("(facultatif)", "(optional)")}</small></legend>
${wrongPart(visit, name, label)}
<p class="hint" role="status" data-said>${saidOf(visit, some)}</p>
${some.all > GROUPS_SHOWN && searchPart(visit)}
<div data-chosen>${!isMany && none}${chosen.groups.map((group) => one(group, true))}</div>
${chosen.unseen.length > 0 && unseenPart(visit, name, chosen.unseen)}
<div data-found>${others.map((group) => one(group, false))}</div>
</fieldset>`;
}

function searchPart(visit: Visit): Html {
  const find = button(
    visit.t("Rechercher", "Search"),
    "second",
    html`name="find" value="groups" formnovalidate`,
  );
  return html`<div class="actions"><label class="grow"><span>${visit.t("Rechercher un groupe", "Search for a group")}</span><input type="search" name="groupSearch" value="${searchOf(visit)}" maxlength="200" autocomplete="off"></label>${find}</div>`;
}

function unseenPart(visit: Visit, name: string, ids: readonly string[]): Html {
  const count = visit.count(
    ids.length,
    ["autre groupe sélectionné", "autres groupes sélectionnés"],
    ["other group selected", "other groups selected"],
  );
  return html`<p class="hint">${visit.t("Et", "And")} ${count}.</p>${ids.map((id) => html`<input type="hidden" name="${name}" value="${id}">`)}`;
}

function choicePart(
  visit: Visit,
  { name, isMany }: Pick<Choosing, "name" | "isMany">,
  { id, name: text, contactCount }: Group,
  isChosen: boolean,
): Html {
  return html`<label class="choice"><input type="${isMany ? "checkbox" : "radio"}" name="${name}" value="${id}"${isChosen && html` checked`}><span>${text}<small>${visit.contacts(contactCount)}</small></span></label>
`;
}

const searchOf = (visit: Visit) => visit.field("groupSearch").trim();

/** A search result: the first groups by name, the number of matches, and the number of all groups. */
type Found = { groups: Group[]; fitting: number; all: number; search: string };

async function readFound(visit: Visit): Promise<Found> {
  const search = searchOf(visit);
  const wanted = { limit: GROUPS_SHOWN, orderBy: "name" as const };
  const [fitting, all] = await Promise.all([
    visit.call("/v1/group/list", { ...wanted, ...(search && { search }) }),
    search ? visit.call("/v1/group/list", { limit: 1 }) : undefined,
  ]);
  const { data: groups, totalCount } = fitting;
  return { groups, fitting: totalCount, all: all?.totalCount ?? totalCount, search };
}

/** The chosen groups that exist. If there are too many to show, they are taken as given. */
async function readChosen(visit: Visit, given: readonly string[]) {
  const ids = [...new Set(given)].filter((id) => id !== "");
  const shown = ids.slice(0, CHOSEN_SHOWN);
  if (shown.length === 0) return { groups: [], unseen: [] };
  const { data } = await visit.call("/v1/group/list", {
    ...{ groupsIds: shown, limit: CHOSEN_SHOWN, orderBy: "name" },
  });
  return { groups: data, unseen: ids.slice(CHOSEN_SHOWN) };
}

function saidOf(visit: Visit, { groups, fitting, all, search }: Found): string {
  const { formats } = visit;
  const shown = formats.number(groups.length);
  const total = visit.count(all, ["groupe", "groupes"], ["group", "groups"]);
  if (search === "")
    return fitting > groups.length
      ? visit.t(
          `${total}. Les ${shown} premiers sont affichés. Recherchez les autres par leur nom.`,
          `${total}. The first ${shown} are shown. Search for the others by name.`,
        )
      : `${total}.`;
  if (fitting === 0)
    return visit.t(
      `Aucun groupe ne correspond à « ${search} » (${total} au total).`,
      `No group matches “${search}” (${total} in total).`,
    );
  const more = fitting > groups.length;
  return visit.t(
    `${formats.number(fitting)} sur ${total} pour « ${search} ».${more ? ` Les ${shown} premiers sont affichés.` : ""}`,
    `${formats.number(fitting)} of ${total} for “${search}”.${more ? ` The first ${shown} are shown.` : ""}`,
  );
}

/** For the module: a search result. */
async function found(visit: Visit): Promise<Fragment> {
  const some = await readFound(visit);
  const of = { name: visit.field("name"), isMany: visit.field("many") === "yes" };
  return new Fragment(
    html`<p>${saidOf(visit, some)}</p>
${some.groups.map((group) => choicePart(visit, of, group, false))}`,
    true,
  );
}
