// The PHP client as its users have it, in a process of its own.
import { suite, test } from "node:test";
import { phpClient } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { verifyAll } from "./sdk/signed.ts";

const client = phpClient();
const skip = client ? false : "there is no php with curl (apt-get install php-cli php-curl) here";

suite("the PHP client", { skip }, () => {
  test("repeats what it may, and tells what it may not", async () => {
    await runCases(client!, cases);
  });

  test("believes a webhook that is signed, and no other", async () => {
    await verifyAll(client!);
  });
});
