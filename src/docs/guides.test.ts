// What the guides say works: every request in them is run as it stands, by a shell, against a real service.
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { test } from "node:test";
import { promisify } from "node:util";
import { lexer, type Tokens } from "marked";
import { textAt } from "../../test/codes.ts";
import { type Answered, type World, world } from "../../test/world.ts";
import { guidesOf } from "./guides.ts";

const run = promisify(execFile);

type Shown = { guide: string; text: string; refused: string | null };

/** The shell commands of all guides in one language, in reading order. */
function commandsOf({ app }: World, language: "fr" | "en"): Shown[] {
  return guidesOf(app).flatMap(({ name, markdown }) =>
    lexer(markdown[language])
      .filter((token): token is Tokens.Code => token.type === "code")
      .flatMap(({ lang = "", text }) => {
        const [shell, mark = ""] = lang.split(" ");
        const [, refused = null] = /^refused=(.+)$/.exec(mark) ?? [];
        return shell === "bash" && text.includes("curl") ? [{ guide: name, text, refused }] : [];
      }),
  );
}

for (const language of ["fr", "en"] as const)
  test(`every request of the guides works as it is shown (${language})`, async (t) => {
    const here = await world(t);
    const { apiKey, companyId } = await here.company({ credits: 1_000 });
    const known: Record<string, string> = { apiKey, companyId, adminKey: here.adminKey };
    const commands = commandsOf(here, language);
    assert.ok(commands.length > 10);
    for (const { guide, text, refused } of commands) {
      if (text.includes("<otp>")) known.otp = await codeAt(here, text);
      const command = text.replace(
        /<(\w+)>/g,
        (_, name: string) => known[name] ?? assert.fail(`no ${name}: ${text}`),
      );
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
async function codeAt(here: World, text: string): Promise<string> {
  const [, phone] = /"phoneNumber": "\+(\d+)"/.exec(text)!;
  const [code] = /\d{4,}/.exec(await textAt(here, phone!)) ?? [];
  return code!;
}
