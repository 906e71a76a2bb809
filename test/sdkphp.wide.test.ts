// The PHP client as its users have it, in processes of its own.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { suite, test } from "node:test";
import { promisify } from "node:util";
import { atLength } from "./length.ts";
import { phpClient } from "./sdk/clients.ts";
import { cases, runCases } from "./sdk/misbehaving.ts";
import { runSamples, shellOf } from "./sdk/sampled.ts";
import { verifyAll } from "./sdk/signed.ts";
import { liveStory } from "./sdk/story.ts";
import { testService } from "./testservice.ts";

const ASKED = { every: atLength({ short: 12, long: 1 }) };

const client = phpClient();
const skip = client ? false : "there is no PHP with curl here (apt-get install php-cli php-curl)";

/** A call that no service answers. It tells the stack trace of its exception. */
const TRACED = `require 'vendor/autoload.php';
$options = ['baseUrl' => 'http://127.0.0.1:1', 'apiKey' => 'its key', 'companyId' => 'its company', 'maxRetries' => 0];
try {
    (new Atumpan\\Atumpan($options))->campaign->create(['text' => 'its text', 'contacts' => []]);
} catch (Atumpan\\TransportError $error) {
    var_dump($error->getTrace());
}`;

suite("the PHP client", { skip }, () => {
  test("repeats what it may, and tells what it may not", () => runCases(client!, cases));

  test("believes a webhook that is signed, and no other", () => verifyAll(client!));

  test("keys and bodies stay out of stack traces", async () => {
    const options = ["-d", "zend.exception_ignore_args=0", "-r", TRACED];
    const { stdout } = await promisify(execFile)("php", options, {
      cwd: client!.folder,
      env: { ...process.env, ...client!.environment },
    });
    assert.match(stdout, /"\/v1\/campaign\/create"/);
    assert.doesNotMatch(stdout, /its (key|company|text)/);
  });

  test("its README holds", (t) => liveStory(t, client!));

  test("its samples run", async (t) => runSamples(await testService(t), shellOf(client!), ASKED));
});
