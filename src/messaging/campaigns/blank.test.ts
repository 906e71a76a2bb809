// Texts that show nothing are refused as an empty text is, wherever a text is taken.
import assert from "node:assert/strict";
import { test } from "node:test";
import { application, connected, dataOf } from "../../../test/applications.ts";
import { newPhone } from "../../../test/codes.ts";
import { balanceOf, phones } from "../../../test/sending.ts";
import { testService } from "../../../test/testservice.ts";
import { nowMs } from "../../platform/clock.ts";

const QUARTER_MS = 900_000;

/** Spaces, marks of direction, spaces without width, soft hyphens, fillers of Hangul, the empty braille pattern, a tag. */
const BLANK = [
  " ",
  "\n\t ",
  "\u200b",
  "\ufeff \u200e",
  "\u00ad\u2060",
  "\u3164\u115f",
  "\u2800\u00a0",
  "\u{e0041}",
];
/** What looks like little and shows something. */
const SHORT = [".", "\u200bé", "👍", "\u00a0?", "👩\u200d🚒"];

test("a text of spaces or invisible characters alone is refused as an empty one, at every URL that takes a text", async (t) => {
  const here = await testService(t);
  const company = await here.company({ credits: 100 });
  const app = await connected(here, await application(here), company);
  const contacts = phones(1);
  const scheduledDate = new Date((Math.floor(nowMs() / QUARTER_MS) + 9) * QUARTER_MS).toISOString();
  const later = { contacts, text: "Soldes", type: "SCHEDULED", scheduledDate };
  const { id } = await dataOf(company.call("/v1/campaign/create", later));
  const { id: template } = await dataOf(
    company.call("/v1/campaign/template/create", { name: "Rappel", text: "Demain" }),
  );
  const before = await balanceOf(company);
  const urls: [path: string, field: string, ask: (text: string) => ReturnType<typeof company.call>][] = [
    ["campaign/create", "text", (text) => company.call("/v1/campaign/create", { contacts, text })],
    ["campaign/quote", "text", (text) => company.call("/v1/campaign/quote", { contacts, text })],
    ["campaign/update", "text", (text) => company.call(`/v1/campaign/${id}/update`, { text })],
    [
      "template/create",
      "text",
      (text) => company.call("/v1/campaign/template/create", { name: "Vide", text }),
    ],
    [
      "template/update",
      "text",
      (text) => company.call(`/v1/campaign/template/${template}/update`, { text, name: "Rappel" }),
    ],
    ["sms/send", "message", (message) => app.call("/v1/third-party-app/sms/send", { contacts, message })],
    [
      "sms/send with a key",
      "message",
      (message) =>
        app.call("/v1/third-party-app/sms/send", { contacts, message, idempotencyKey: newPhone() }),
    ],
    [
      "draft/submit",
      "text",
      async (text) => {
        const draft = await dataOf(company.call("/v1/campaign/draft/save", { contacts, text }));
        return company.call(`/v1/campaign/draft/${draft.id}/submit`);
      },
    ],
  ];
  for (const [path, field, ask] of urls) {
    const empty = await ask("");
    for (const text of BLANK) {
      const { error, details } = await ask(text);
      const name = `${path} ${JSON.stringify(text)}`;
      assert.deepEqual([error, details], [empty.error, empty.details], name);
      assert.deepEqual([error, details![0]!.field], ["invalid-request", field], name);
    }
  }
  assert.equal((await dataOf(company.call("/v1/campaign/template/list")))[0].text, "Demain");
  assert.equal(await balanceOf(company), before);
  for (const text of SHORT) {
    const { error } = await app.call("/v1/third-party-app/sms/send", { contacts, message: text });
    assert.equal(error, null, JSON.stringify(text));
    assert.equal(
      (await company.call("/v1/campaign/quote", { contacts, text })).error,
      null,
      JSON.stringify(text),
    );
  }
});

test("a name that shows nothing counts as none", async (t) => {
  const company = await (await testService(t)).company({ credits: 10 });
  const [contacts, text] = [phones(1), "Bonjour"];
  for (const name of BLANK) {
    const { name: given } = await dataOf(company.call("/v1/campaign/create", { contacts, text, name }));
    assert.match(given, /^SMS du /);
    for (const [path, body] of [
      ["group/create", {}],
      ["campaign/template/create", { text }],
    ] as const) {
      const { error, details } = await company.call(`/v1/${path}`, { ...body, name });
      assert.deepEqual([error, details?.[0]?.field], ["invalid-request", "name"], path);
    }
  }
});
