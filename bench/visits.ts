// What `bench:console` measures: the pages of the console, and its actions, with what each needs before.
import type { Ask, Browser } from "./browser.ts";
import { type Campaigns, GROUPS, type Size } from "./metropolis.ts";
import { idOf, phoneOfContact } from "./rows.ts";

/** What the visits name. */
export type Place = Size & {
  browser: Browser;
  companyId: string;
  appId: string;
  campaigns: Campaigns;
};

/** Makes what run `run` is to measure. Only the answer to what it returns is timed. */
type Prepare = (place: Place, run: number) => Ask | Promise<Ask>;

const ROWS = 20;
const page =
  (path: string): Prepare =>
  () => ({ path });
const lastPage = (path: string, countOf: (place: Place) => number): Prepare => pageAt(path, countOf, 1);
const middlePage = (path: string, countOf: (place: Place) => number): Prepare => pageAt(path, countOf, 0.5);

function pageAt(path: string, countOf: (place: Place) => number, share: number): Prepare {
  return (place) => {
    const number = Math.max(1, Math.floor((countOf(place) * share) / ROWS));
    return { path: `${path}${path.includes("?") ? "&" : "?"}page=${number}` };
  };
}

/** The page behind or before the middle one, by its link there. */
function stepFromMiddle(path: string, countOf: (place: Place) => number, rel: "next" | "prev"): Prepare {
  const middle = middlePage(path, countOf);
  return async (place, run) => {
    const { text } = await place.browser.ask(await middle(place, run));
    const [, href] = new RegExp(`rel="${rel}" href="([^"]+)"`).exec(text) ?? [];
    if (href === undefined) throw new Error(`the middle page of ${path} has no ${rel}`);
    return { path: href.replaceAll("&amp;", "&") };
  };
}

const ALL = idOf(0);
const contacts = (place: Place) => place.contacts;
const sends = (place: Place) => place.messages / 10;
const partOf = (place: Place, run: number) => Math.floor((place.contacts / 20) * (run + 2));

const reading: Record<string, Prepare> = {
  home: page("/"),
  menu: page("/menu"),
  contacts: page("/contacts"),
  "contacts, middle page": middlePage("/contacts", contacts),
  "contacts, next of the middle page": stepFromMiddle("/contacts", contacts, "next"),
  "contacts, previous of the middle page": stepFromMiddle("/contacts", contacts, "prev"),
  "contacts, last page": lastPage("/contacts", contacts),
  "contacts by name, middle page": middlePage("/contacts?order=name", contacts),
  "contacts by name, next of the middle page": stepFromMiddle("/contacts?order=name", contacts, "next"),
  "contacts by name, previous of the middle": stepFromMiddle("/contacts?order=name", contacts, "prev"),
  "contacts by name, last page": lastPage("/contacts?order=name", contacts),
  "contacts, search of a common name": page("/contacts?search=awa"),
  "contacts, search of a rare name": page("/contacts?search=Yao+Zongo+1"),
  "contacts, search of a number": (place, run) => ({
    path: `/contacts?search=${phoneOfContact(partOf(place, run) % place.contacts)}`,
  }),
  "contacts, search of 07": page("/contacts?search=07"),
  contact: (place, run) => ({ path: `/contacts/${idOf(partOf(place, run) % place.contacts)}` }),
  "new contact": page("/contacts/new"),
  groups: page("/groups"),
  "groups, last page": lastPage("/groups", () => GROUPS),
  "groups, search": page("/groups?search=Groupe+9"),
  "group of all": page(`/groups/${ALL}`),
  "group of all, middle page": middlePage(`/groups/${ALL}`, contacts),
  "group of all, next of the middle page": stepFromMiddle(`/groups/${ALL}`, contacts, "next"),
  "group of all, previous of the middle page": stepFromMiddle(`/groups/${ALL}`, contacts, "prev"),
  "group of all, last page": lastPage(`/groups/${ALL}`, contacts),
  "group, delete?": page(`/groups/${ALL}/delete`),
  "opt-outs": page("/optouts"),
  "opt-outs, last page": lastPage("/optouts", (place) => place.contacts / 50),
  "opt-outs, search": page(`/optouts?phone=${phoneOfContact(57)}`),
  number: (place, run) => ({ path: `/numbers/${phoneOfContact(partOf(place, run) % place.contacts)}` }),
  "number that got nothing": page("/numbers/2250199999999"),
  campaigns: page("/campaigns"),
  "campaigns, middle page": middlePage("/campaigns", sends),
  "campaigns, next of the middle page": stepFromMiddle("/campaigns", sends, "next"),
  "campaigns, previous of the middle page": stepFromMiddle("/campaigns", sends, "prev"),
  "campaigns, last page": lastPage("/campaigns", sends),
  "campaigns, search of a name": page("/campaigns?search=Campagne+5"),
  "campaigns, search of nothing there": page("/campaigns?search=introuvable"),
  "campaigns, scheduled ones": page("/campaigns?status=PENDING"),
  "campaigns, failed ones": page("/campaigns?status=FAILED"),
  "campaign to all": ({ campaigns }) => ({ path: `/campaigns/${campaigns.large}` }),
  "campaign to all, middle page": (place) => messagesAt(place, 0.5),
  "campaign to all, last page": (place) => messagesAt(place, 1),
  "campaign to all, not delivered": ({ campaigns }) => ({
    path: `/campaigns/${campaigns.large}?status=UNDELIVERED`,
  }),
  "campaign to all, rejected": ({ campaigns }) => ({
    path: `/campaigns/${campaigns.large}?status=REJECTED`,
  }),
  "campaign to all, live": ({ campaigns }) => ({ path: `/campaigns/${campaigns.large}/live` }),
  "campaign to a part": ({ campaigns }) => ({ path: `/campaigns/${campaigns.part}` }),
  "send to one phone": ({ campaigns }) => ({ path: `/campaigns/${campaigns.single}` }),
  "new campaign": page("/campaigns/new"),
  drafts: page("/campaigns/drafts"),
  templates: page("/campaigns/templates"),
  approvals: page("/approvals"),
  "composer: recipients": async (place) => ({ path: `/campaigns/drafts/${await draftOf(place)}/recipients` }),
  "composer: message": async (place) => ({ path: `/campaigns/drafts/${await draftOf(place)}/message` }),
  "composer: when": async (place) => ({ path: `/campaigns/drafts/${await draftOf(place)}/when` }),
  "composer: check, to all": async (place) => ({ path: `/campaigns/drafts/${await draftOf(place)}/check` }),
  "composer: check, to a group": async (place) => ({
    path: `/campaigns/drafts/${await draftOf(place, idOf(7))}/check`,
  }),
  imports: page("/contacts/import"),
  senders: page("/senders"),
  members: page("/members"),
  credits: page("/credits"),
  "credits, page 100": page("/credits?page=100"),
  reseller: page("/reseller"),
  developer: page("/developer"),
  "webhooks of an application": ({ appId }) => ({ path: `/developer/apps/${appId}` }),
  "webhooks, page 500": ({ appId }) => ({ path: `/developer/apps/${appId}?page=500` }),
  settings: page("/settings"),
  "audit of the company": page("/settings/audit"),
  "audit of the company, page 400": page("/settings/audit?page=400"),
  admin: page("/admin"),
  "admin: companies": page("/admin/companies"),
  "admin: companies, last page": lastPage("/admin/companies", (place) => place.companies),
  "admin: companies, search": page("/admin/companies?search=Entreprise+99"),
  "admin: companies, search of nothing there": page("/admin/companies?search=introuvable"),
  "admin: company": ({ companyId }) => ({ path: `/admin/companies/${companyId}` }),
  "admin: reviews": page("/admin/reviews"),
  "admin: operators": page("/admin/operators"),
  "admin: guard": page("/admin/guard"),
  "admin: audit": page("/admin/audit"),
  "admin: audit, page 300": page("/admin/audit?page=300"),
  "admin: audit of a company": ({ companyId }) => ({ path: `/admin/audit?companyId=${companyId}` }),
  "admin: number": (place, run) => ({
    path: `/admin/numbers?phone=${phoneOfContact(partOf(place, run) % place.contacts)}`,
  }),
  "admin: number that got nothing": page("/admin/numbers?phone=2250199999999"),
};

const messagesAt = ({ campaigns, contacts }: Place, share: number): Ask => ({
  path: `/campaigns/${campaigns.large}?page=${Math.floor((contacts * share) / ROWS)}`,
});

const TOMORROW = new Date(Date.now() + 24 * 3_600_000).toISOString().slice(0, 10);
let made = 0;

/** A new draft that is complete, scheduled for tomorrow, to a group or to all. */
async function draftOf({ browser }: Place, groupId = ALL): Promise<string> {
  const begun = await browser.ask({ path: "/campaigns/new", form: { groups: groupId } });
  const [, id = ""] = /drafts\/([0-9a-f]{24})/.exec(begun.location) ?? [];
  const text = `Bonjour @firstName, les soldes commencent demain. ${made++}`;
  await browser.ask({ path: `/campaigns/drafts/${id}/message`, form: { text, sender: "", name: "" } });
  const when = { type: "SCHEDULED", day: TOMORROW, time: "09:00" };
  await browser.ask({ path: `/campaigns/drafts/${id}/when`, form: when });
  return id;
}

const sendOf = (id: string): Ask => ({ path: `/campaigns/drafts/${id}/send`, form: { revision: "3" } });

/** A campaign to a group that waits for tomorrow. */
async function scheduledOf(place: Place): Promise<string> {
  const sent = await place.browser.ask(sendOf(await draftOf(place, idOf(7))));
  return sent.location;
}

const newPhone = () => `22501${String(10_000_000 + made++).padStart(8, "0")}`;

async function madeBy({ browser }: Place, path: string, form: Record<string, string>): Promise<string> {
  const { location } = await browser.ask({ path, form });
  return location.split("?")[0]!;
}

const acting: Record<string, Prepare> = {
  "make a contact": () => ({ path: "/contacts/new", form: { phone: newPhone(), firstName: "Awa" } }),
  "change a contact": (place, run) => ({
    path: `/contacts/${idOf(partOf(place, run) % place.contacts)}`,
    form: {
      phone: phoneOfContact(partOf(place, run) % place.contacts),
      firstName: "Awa",
      lastName: `K${made++}`,
    },
  }),
  "delete a contact": async (place) => {
    const { browser } = place;
    const phone = newPhone();
    await browser.ask({ path: "/contacts/new", form: { phone, firstName: "Awa" } });
    const { text } = await browser.ask({ path: `/contacts?search=${phone}` });
    const [, path = ""] = /href="(\/contacts\/[0-9a-f]{24})"/.exec(text) ?? [];
    return { path: `${path}/delete`, form: {} };
  },
  "delete a contact of the group of all": ({ contacts }, run) => ({
    path: `/contacts/${idOf(contacts - 10 - run)}/delete`,
    form: {},
  }),
  "add to the group of all": () => ({ path: `/groups/${ALL}`, form: { numbers: newPhone() } }),
  "take out of the group of all": (place, run) => ({
    path: `/groups/${ALL}/take-out`,
    form: { contactId: idOf(partOf(place, run) % place.contacts), page: "1" },
  }),
  "make a group of 100": () => ({
    path: "/groups/new",
    form: {
      name: `Nouveau ${made++}`,
      description: "",
      numbers: Array.from({ length: 100 }, newPhone).join("\n"),
    },
  }),
  "delete a group of 100": async (place) => {
    const numbers = Array.from({ length: 100 }, (_, i) => phoneOfContact(i * 7)).join("\n");
    const path = await madeBy(place, "/groups/new", { name: `Nouveau ${made++}`, description: "", numbers });
    return { path: `${path}/delete`, form: {} };
  },
  "opt a number out": () => ({ path: "/optouts/new", form: { phone: newPhone() } }),
  "begin a draft": () => ({ path: "/campaigns/new", form: { groups: ALL } }),
  "schedule to a group": async (place) => sendOf(await draftOf(place, idOf(7))),
  "cancel a scheduled one": async (place) => ({ path: `${await scheduledOf(place)}/cancel`, form: {} }),
  "reschedule one": async (place) => ({
    path: `${await scheduledOf(place)}/reschedule`,
    form: { type: "SCHEDULED", day: TOMORROW, time: "10:00" },
  }),
  "duplicate one to all": ({ campaigns }) => ({ path: `/campaigns/${campaigns.large}/duplicate`, form: {} }),
  "import a file of 1,000 rows": () => ({
    path: "/contacts/import/file",
    file: { name: "clients.csv", text: Array.from({ length: 1_000 }, () => `${newPhone()};Awa`).join("\n") },
  }),
};

/** All visits by their names, in the order in which they are measured: what only reads comes first. */
export const visits: Readonly<Record<string, Prepare>> = { ...reading, ...acting };

/**
 * Visits that look at everybody, or change everything. They are measured once, at the end. The first two are bound to no
 * time: the interface answers them when everybody is counted.
 */
export const once: Readonly<Record<string, Prepare>> = {
  "UNBOUND count all for the check": async (place) => ({
    path: `/campaigns/drafts/${await draftOf(place)}/check/live`,
  }),
  "UNBOUND schedule to all": async (place) => sendOf(await draftOf(place)),
  "CSV of a campaign to all": ({ campaigns }) => ({ path: `/campaigns/${campaigns.large}/export`, form: {} }),
  "delete the group of all": () => ({ path: `/groups/${ALL}/delete`, form: {} }),
};

/** Whether the interface must first look at everybody. */
export function isUnbound(name: string): boolean {
  return name.startsWith("UNBOUND");
}
