// Runs tasks of the tests with the TypeScript client: reads them as JSON, and prints what each came to as JSON.
import { text } from "node:stream/consumers";
import { Atumpan, AtumpanError, TransportError, WebhookVerificationError } from "@atumpan/client";

async function run({ options, operation, argument, rows, verify }) {
  const warned = [];
  try {
    if (verify) {
      const { body, headers, secret, toleranceSeconds } = verify;
      const within = toleranceSeconds === undefined ? {} : { toleranceSeconds };
      return { data: await Atumpan.webhooks.verify(body, headers, secret, within) };
    }
    const onWarning = (warnings, path) => warned.push({ warnings, path });
    const client = new Atumpan({ ...options, onWarning });
    const called = operation.split(".").reduce((at, part) => at[part], client);
    const answer = called(argument);
    if (!rows) {
      const data = await answer;
      return { data, warned };
    }
    const all = [];
    for await (const row of answer) all.push(row);
    return { data: all };
  } catch (error) {
    if (error instanceof AtumpanError) {
      const { code, path, outcome, details, warnings, retryAfterSeconds = null } = error;
      const { errorId = null, requestId = null } = error;
      return { refused: { code, path, outcome, details, warnings, retryAfterSeconds, errorId, requestId } };
    }
    if (error instanceof TransportError) {
      const { kind, path, neverSent, status = null } = error;
      return { trouble: { kind, path, neverSent, status } };
    }
    if (error instanceof WebhookVerificationError) return { unverified: true };
    return { failed: String(error) };
  }
}

const tasks = JSON.parse(await text(process.stdin));
console.log(JSON.stringify(await Promise.all(tasks.map(run))));
