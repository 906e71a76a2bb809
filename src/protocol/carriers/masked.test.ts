// Tests of masking and of tokens: nothing secret is shown, and what a token endpoint may answer.
import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import {
  answer,
  builtIn,
  carrierMessage,
  declared,
  fieldsOf,
  NOW_MS,
  opened,
} from "../../../test/carriers.ts";
import { connectors } from "./builtin.ts";
import type { Connector } from "./connector.ts";
import { masked } from "./masked.ts";
import { openConnector } from "./opening.ts";

/** All ways in which a reader could find a secret in a request. */
function findings(secret: string): string[] {
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    Buffer.from(secret, "utf8").toString("latin1"),
  ];
}

test("no request that an administrator sees contains a secret, in any writing", () => {
  const printable = fc.string({
    unit: fc.constantFrom(..."abcXYZ09é€&\"'<>%+/=@:;? \\{}"),
    minLength: 6,
    maxLength: 30,
  });
  fc.assert(
    fc.property(fc.constantFrom(...connectors.keys()), printable, (name, value) => {
      const secret = `§${value}`;
      const connector = builtIn(name);
      const secrets = connector.fields.filter((field) => field.secret).map((field) => [field.name, secret]);
      const fields = fieldsOf(connector, Object.fromEntries(secrets));
      const open = openConnector(connector, fields, () => NOW_MS);
      const token = connector.auth.kind === "oauth2" ? "b3arer-t0ken" : undefined;
      const requests = [
        open.sendRequest(carrierMessage(), token),
        open.tokenRequest(),
        open.statusRequest({ id: "own", carrierId: "id" }, token),
        open.balanceRequest(token),
      ];
      for (const request of requests) {
        if (request === undefined) continue;
        const shown = Object.values(masked(request, connector, fields).headers).join("\n");
        const { url, body = "" } = masked(request, connector, fields);
        const all = `${url}\n${shown}\n${body}`;
        for (const finding of [...findings(secret), "b3arer-t0ken"]) assert.ok(!all.includes(finding), all);
        for (const [, encoded] of all.matchAll(/Basic (\S+)/g)) assert.equal(encoded, "••••");
      }
    }),
    { numRuns: 300 },
  );
});

test("a secret is hidden in every place, and one that is a part of another as well", () => {
  const connector = declared({
    fields: [
      { name: "key", title: "K", secret: true },
      { name: "pin", title: "P", secret: true },
      { name: "user", title: "U" },
    ],
    auth: { kind: "header", name: "x-key", value: "{{key}}" },
    send: {
      method: "POST",
      url: "https://carrier.example/{{key}}",
      query: [{ name: "k", value: "{{key}}-{{user}}" }],
      body: { kind: "xml", value: "<k>{{key}}</k><p>{{pin}}</p>" },
    },
  });
  const fields = { key: "a&b c", pin: "a&b", user: "me" };
  const request = openConnector(connector, fields, () => NOW_MS).sendRequest(carrierMessage(), undefined);
  assert.deepEqual(masked(request, connector, fields), {
    method: "POST",
    url: "https://carrier.example/••••?k=••••-me",
    headers: { "content-type": "application/xml; charset=utf-8", "x-key": "••••" },
    body: "<k>••••</k><p>••••</p>",
  });
});

const oauth = (credentials: "basic" | "body", more: object = {}): Connector["auth"] => ({
  kind: "oauth2",
  url: "https://carrier.example/token",
  credentials,
  clientId: "me",
  clientSecret: "{{key}}",
  ...more,
});

test("a token is requested as RFC 6749 says, with the credentials in the header or in the body", () => {
  const requested = (auth: Connector["auth"]) => opened(declared({ auth }), { key: "s&t" }).tokenRequest();
  assert.deepEqual(requested(oauth("basic", { scope: "sms" })), {
    method: "POST",
    url: "https://carrier.example/token",
    headers: {
      accept: "application/json",
      authorization: `Basic ${Buffer.from("me:s&t").toString("base64")}`,
      "content-type": "application/x-www-form-urlencoded",
    },
    body: "grant_type=client_credentials&scope=sms",
  });
  const body = requested(oauth("body", { query: [{ name: "grant_type", value: "client_credentials" }] }));
  assert.equal(body?.url, "https://carrier.example/token?grant_type=client_credentials");
  assert.equal(body?.body, "grant_type=client_credentials&client_id=me&client_secret=s%26t");
  assert.equal(body?.headers.authorization, undefined);
  assert.equal(requested({ kind: "none" }), undefined);
});

test("a token's life is a number or a text, at most a day, and 5 minutes if it is not given", () => {
  const connector = opened(declared({ auth: oauth("basic") }));
  const lifeOf = (expires_in: unknown) => {
    const read = connector.tokenOf(answer(200, { access_token: "t", expires_in }));
    return "token" in read ? read.lifeMs : undefined;
  };
  assert.deepEqual([lifeOf(3600), lifeOf("3599"), lifeOf(7_776_000)], [3_600_000, 3_599_000, 86_400_000]);
  for (const none of [undefined, null, "soon", -1, 0, {}]) assert.equal(lifeOf(none), 300_000);
});

test("refused credentials are a trouble of the account, anything else that is no token is temporary", () => {
  const connector = opened(declared({ auth: oauth("basic") }));
  const read = (status: number, body: unknown = "") => connector.tokenOf(answer(status, body));
  assert.deepEqual(read(401, { error: "invalid_client" }), { trouble: "bad-credentials" });
  assert.deepEqual(read(400, { error: "invalid_client" }), { trouble: "bad-credentials" });
  assert.deepEqual(read(403), { trouble: "bad-credentials" });
  assert.deepEqual(read(400, { error: "invalid_scope" }), { trouble: "misconfigured" });
  assert.deepEqual(read(404), { trouble: "misconfigured" });
  assert.deepEqual(read(302), { trouble: "misconfigured" });
  for (const status of [408, 429, 500, 503, 504])
    assert.deepEqual(read(status), { temporary: `http-${status}` });
  assert.deepEqual(read(200, "<html>Sign in</html>"), { temporary: "no-token" });
  assert.deepEqual(read(200, { access_token: "a\r\nX-Evil: 1" }), { temporary: "no-token" });
  assert.deepEqual(read(200, { access_token: 5 }), { temporary: "no-token" });
  assert.deepEqual(read(200, { access_token: "x".repeat(8193) }), { temporary: "no-token" });
});
