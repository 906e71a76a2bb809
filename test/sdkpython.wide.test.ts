// The Python client as its users have it, in processes of its own.
import { suite, test } from "node:test";
import { atLength } from "./length.ts";
import { pythonClient } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { runSamples, shellOf } from "./sdk/sampled.ts";
import { verifyAll } from "./sdk/signed.ts";
import { liveStory } from "./sdk/story.ts";
import { testService } from "./testservice.ts";

const ASKED = { every: atLength({ short: 12, long: 1 }) };

const client = pythonClient();
const skip = client ? false : "there is no Python of 3.9 or later here";

suite("the Python client", { skip }, () => {
  test("repeats what it may, and tells what it may not", () => runCases(client!, cases));

  test("believes a webhook that is signed, and no other", () => verifyAll(client!));

  test("its README holds", (t) => liveStory(t, client!));

  test("its samples run", async (t) => runSamples(await testService(t), shellOf(client!), ASKED));
});
