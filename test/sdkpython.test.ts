// The Python client as its users have it, in a process of its own.
import { suite, test } from "node:test";
import { pythonClient } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { verifyAll } from "./sdk/signed.ts";

const client = pythonClient();
const skip = client ? false : "there is no python3 of 3.9 or later here";

suite("the Python client", { skip }, () => {
  test("repeats what it may, and tells what it may not", async () => {
    await runCases(client!, cases);
  });

  test("believes a webhook that is signed, and no other", async () => {
    await verifyAll(client!);
  });
});
