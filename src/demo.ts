// The demo data that a first look at the console shows, created through the API, as a company would.
import { setTimeout as wait } from "node:timers/promises";
import { routes } from "./api/api.ts";
import { grantOnce } from "./ledger/credits/credits.ts";
import { nowMs } from "./platform/clock.ts";
import type { Runtime } from "./platform/runtime.ts";
import type { Quickstart } from "./quickstart.ts";
import { type AnswerOf, apiClientOf, type Body, callApi, type Url } from "./web/console/apiclient.ts";

const FIRST_NAMES = [
  "Awa",
  "Koffi",
  "Fatou",
  "Serge",
  "Mariam",
  "Yao",
  "Aminata",
  "Didier",
  "Salif",
  "Grace",
];
const LAST_NAMES = ["Koné", "Kouassi", "Diallo", "Traoré", "Ouattara", "N’Guessan", "Bamba", "Zongo"];
const QUARTER_MS = 900_000;
const DAYS_AHEAD_MS = 3 * 24 * 3_600_000;

/** Numbers of the simulated operator: those that end in 0002 are switched off, those in 0006 unreachable too long. */
const FAILING = ["2250708110002", "2250509120002", "2250102130006"];

/** This many contacts, of whom a few never receive their messages. */
function contactsOf(count: number) {
  return Array.from({ length: count }, (_, i) => {
    const [firstName = "", lastName = ""] = [FIRST_NAMES[i % 10], LAST_NAMES[(i * 3) % 8]];
    const phone = FAILING[i] ?? `22507${String(10_111_111 + i * 7_919).slice(-8)}`;
    return { phone, name: `${firstName} ${lastName}`, firstName, lastName };
  });
}

// GSM-7 and one SMS each: each costs as many credits as it has recipients.
const CAMPAIGNS = [
  {
    group: "Clients de Cocody",
    size: 160,
    name: "Ouverture de la boutique",
    text: "Bonjour @firstName, la boutique de Cocody ouvre samedi à 9 h. Venez nombreux !",
  },
  {
    group: "Clients fidèles",
    size: 120,
    name: "Soldes de novembre",
    text: "@firstName, -30 % sur les pagnes jusqu'à dimanche. STOP pour ne plus rien recevoir.",
  },
  {
    group: "Visiteurs du salon",
    size: 60,
    name: "Merci de votre visite",
    text: "Merci de votre visite, @firstName. Votre avis nous aide : répondez de 1 à 5.",
  },
];

/**
 * Returns the work that fills the company of the quick start, once: contacts, groups, a few campaigns that the
 * simulated operator delivers, a scheduled one, and a short code to which one of the contacts has written. Its credits
 * are unchanged. A company that has contacts or campaigns is skipped. Failed work can be repeated: it creates what is
 * missing.
 */
export function demoFiller(app: Runtime, { apiKey, companyId }: Quickstart): () => Promise<void> {
  const api = apiClientOf(app, routes);
  const from = { ip: "127.0.0.1", browser: undefined, language: "fr" } as const;
  const call = <At extends Url>(path: At, body: Body<At> = {} as Body<At>): Promise<AnswerOf<At>> =>
    callApi(api, from, path, { ...body, apiKey, companyId });
  const administer = <At extends Url>(path: At, body: Body<At>): Promise<AnswerOf<At>> =>
    callApi(api, from, path, { ...body, adminKey: app.secrets.adminKey });
  let hasBegun = false;
  return async () => {
    if (!hasBegun) {
      const [contacts, campaigns] = await Promise.all([call("/v1/contact/list"), call("/v1/campaign/list")]);
      if (contacts.totalCount + campaigns.totalCount > 0) return;
    }
    const isRepeated = hasBegun;
    hasBegun = true;
    const isNew = await app.database.transaction((tx) => grantOnce(tx, grantOf(companyId)));
    if (!isNew && !isRepeated) return;
    const last = await createCampaigns(call);
    await createPlans(call);
    const { data: numbers } = await administer("/v1/admin/inbound/number/list", {});
    if (!numbers.some(({ number }) => number === SHORT_CODE))
      await administer("/v1/admin/inbound/number/create", { number: SHORT_CODE, companyId });
    if (!app.config.simulator || !app.config.roles.has("gateway")) return;
    for (let looks = 0; looks < LOOKS_AT_MOST; looks++) {
      const { data } = await call("/v1/campaign/{id}", { id: last });
      if (data.stats?.queued === 0) {
        await administer("/v1/admin/simulator/reply", { ...ANSWER, to: SHORT_CODE });
        return;
      }
      await wait(LOOK_MS);
    }
  };
}

type Call = <At extends Url>(path: At, body?: Body<At>) => Promise<AnswerOf<At>>;

function grantOf(poolId: string) {
  const credit = CAMPAIGNS.reduce((sum, { size }) => sum + size, 0);
  const reason = "Campagnes de démonstration";
  return { poolId, kind: "company", credit, reason, key: "demo campaigns" } as const;
}

/** Creates the groups and the campaigns that are sent. Returns the id of the last campaign. */
async function createCampaigns(call: Call): Promise<string> {
  const groups = idsByName(await call("/v1/group/list", { limit: 100 }));
  const campaigns = idsByName(await call("/v1/campaign/list", { limit: 100 }));
  let last = "";
  for (const { group, size, name, text } of CAMPAIGNS) {
    const contacts = contactsOf(size);
    const groupId = groups.get(group) ?? (await call("/v1/group/create", { name: group, contacts })).data.id;
    last =
      campaigns.get(name) ??
      (await call("/v1/campaign/create", { name, text, groupsIds: [groupId] })).data.id;
  }
  return last;
}

/** Creates a template, a scheduled campaign and a draft. */
async function createPlans(call: Call): Promise<void> {
  const { data: groups } = await call("/v1/group/list", { limit: 1 });
  const groupsIds = groups.map(({ id }) => id);
  const name = "Nouvelle collection";
  const text = "@firstName, la nouvelle collection est arrivée. A voir cette semaine à Cocody.";
  const [templates, campaigns, drafts] = await Promise.all([
    call("/v1/campaign/template/list"),
    call("/v1/campaign/list", { limit: 100 }),
    call("/v1/campaign/draft/list"),
  ]);
  if (templates.totalCount === 0) await call("/v1/campaign/template/create", { name, text });
  if (!idsByName(campaigns).has(name))
    await call("/v1/campaign/create", {
      ...{ name, text, groupsIds, type: "SCHEDULED" },
      scheduledDate: new Date(Math.ceil((nowMs() + DAYS_AHEAD_MS) / QUARTER_MS) * QUARTER_MS).toISOString(),
    });
  if (drafts.totalCount === 0)
    await call("/v1/campaign/draft/save", { name: "Fête des mères", text: "Chère @firstName, ", groupsIds });
}

function idsByName({ data }: { data: readonly { id: string; name: string | null }[] }): Map<string, string> {
  return new Map(data.map(({ id, name }) => [name ?? "", id]));
}

/** The short code to which handsets write to the demo company. */
const SHORT_CODE = "98765";
/** A visitor answers the last campaign once it is sent, which takes a second or two. */
const ANSWER = { from: contactsOf(FAILING.length + 1).at(-1)!.phone, text: "5, très bel accueil. Merci !" };
const LOOKS_AT_MOST = 50;
const LOOK_MS = 100;
