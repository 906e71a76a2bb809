// The TypeScript client as its users have it: packed, installed without the network, compiled against, and run.
import { before, suite, test } from "node:test";
import { type Client, typescriptClient } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { verifyAll } from "./sdk/signed.ts";

suite("the TypeScript client", () => {
  let client: Client;
  before(() => {
    client = typescriptClient();
  });

  test("repeats what it may, and tells what it may not", async () => {
    await runCases(client, cases);
  });

  test("believes a webhook that is signed, and no other", async () => {
    await verifyAll(client);
  });
});
