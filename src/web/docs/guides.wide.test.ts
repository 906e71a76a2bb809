// What the guides say works: every request in them is run as it stands, by a shell, against a real service.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { promisify } from "node:util";
import { lexer, type Tokens } from "marked";
import { textAt } from "../../../test/codes.ts";
import { phpClient, pythonClient, typescriptClient } from "../../../test/sdk/clients.ts";
import { type Answered, type TestService, testService } from "../../../test/testservice.ts";
import { guidesOf } from "./guides.ts";

const run = promisify(execFile);

/** A public address where nobody is. */
const WEBHOOK_URL = "https://192.88.100.1/atumpan";

type Shown = { guide: string; text: string; refused: string | null };

/** The code of all guides for one program, in reading order. */
function codeOf({ app }: TestService, language: "fr" | "en", program: string): Shown[] {
  return guidesOf(app).flatMap(({ name, markdown }) =>
    lexer(markdown[language])
      .filter((token): token is Tokens.Code => token.type === "code")
      .flatMap(({ lang = "", text }) => {
        const [own, mark = ""] = lang.split(" ");
        const [, refused = null] = /^refused=(.+)$/.exec(mark) ?? [];
        // A server has no end; the tests of the clients run such ones.
        return own === program && mark !== "server" ? [{ guide: name, text, refused }] : [];
      }),
  );
}

function filledIn(text: string, known: Record<string, string>): string {
  return text.replace(
    /<([a-z]\w+)>/g,
    (_, name: string) => known[name] ?? assert.fail(`no ${name}: ${text}`),
  );
}

for (const language of ["fr", "en"] as const)
  test(`every request of the guides works as it is shown (${language})`, async (t) => {
    const here = await testService(t);
    const { apiKey, companyId } = await here.company({ credits: 1_000 });
    const known: Record<string, string> = {
      apiKey,
      companyId,
      adminKey: here.adminKey,
      webhookUrl: WEBHOOK_URL,
    };
    const commands = codeOf(here, language, "bash").filter(({ text }) => text.includes("curl"));
    assert.ok(commands.length > 10);
    for (const { guide, text, refused } of commands) {
      if (text.includes("<otp>")) known.otp = await codeAt(here, text);
      const command = filledIn(text, known);
      const { stdout } = await run("bash", ["-euc", command]);
      const answered = JSON.parse(stdout) as Answered;
      assert.equal(answered.error, refused, `${guide}: ${command}\n${stdout}`);
      assert.equal(answered.warnings, undefined, `${guide}: ${stdout}`);
      if (answered.success) learn(known, command, answered);
    }
  });

/** What one answer gives the next requests. */
function learn(known: Record<string, string>, command: string, { data }: Answered): void {
  const [, noun] = /\/v1\/(?:\w+\/)*([\w-]+)\/create/.exec(command) ?? [];
  if (noun && data?.id) known[`${noun}Id`] = data.id;
  if (data?.token) known.token = data.token;
}

/** The code that the phone of a request was sent. */
async function codeAt(here: TestService, text: string): Promise<string> {
  const [, phone] = /["']\+(\d{8,})["']/.exec(text)!;
  const [code] = /\d{4,}/.exec(await textAt(here, phone!)) ?? [];
  return code!;
}

const CLIENTS = [
  { program: "ts", file: "guide.ts", open: typescriptClient },
  { program: "php", file: "guide.php", open: phpClient },
  { program: "python", file: "guide.py", open: pythonClient },
] as const;

for (const { program, file, open } of CLIENTS)
  test(`every program of the guides works as it is shown (${program})`, async (t) => {
    const client = open();
    if (!client) {
      console.warn(`NOT TESTED: ${t.name}, for it is not on this machine`);
      return t.skip();
    }
    const here = await testService(t);
    const { apiKey, companyId } = await here.company({ credits: 100 });
    const known: Record<string, string> = { apiKey, companyId };
    const programs = codeOf(here, "fr", program);
    assert.ok(programs.length > 3);
    for (const { guide, text } of programs) {
      if (text.includes("<otp>")) known.otp = await codeAt(here, text);
      const path = join(client.folder, file);
      writeFileSync(path, filledIn(text, known));
      const [command, ...options]: string[] = client.command;
      const { stdout }: { stdout: string } = await run(command!, [...options, path], {
        cwd: client.folder,
        env: { ...process.env, ...client.environment },
      }).catch((error: Error): never => assert.fail(`${guide}: ${text}\n${error.message}`));
      if (/otp(\.|->)get/.test(text)) known.token = stdout.trim();
      if (/otp(\.|->)verify/.test(text)) assert.equal(stdout.trim(), "VERIFIED");
    }
  });
