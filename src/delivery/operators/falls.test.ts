// A bind that falls: the log says why, in the words of the protocol.
import assert from "node:assert/strict";
import { test } from "node:test";
import { encode } from "../../../test/pdu.ts";
import { accepted, addOperator, startScripted } from "../../../test/sending.ts";
import { testService, until } from "../../../test/testservice.ts";
import { openLog } from "../../platform/log.ts";
import { STATUS } from "../../protocol/smpp/pdu.ts";

test("S14: the log tells in plain words why a bind fell, and masks nothing of it", async (t) => {
  const lines: { msg: string; [member: string]: unknown }[] = [];
  const log = openLog("warn", { write: (line) => void lines.push(JSON.parse(line)) });
  const operator = await startScripted(t, () => accepted("1"));
  const here = await testService(t, { config: { simulator: false }, log });
  await addOperator(here, operator.port);
  const falls = () => lines.filter(({ msg }) => msg === "the bind fell");
  const session = (n: number) => until(() => operator.sessions[n]?.ready && operator.sessions[n]);

  const nack = encode({ command: "generic_nack", sequence: 0, status: STATUS.ESME_RSYSERR });
  operator.socketOf(await session(0)).write(nack);
  await until(() => falls().length === 1);
  operator.socketOf(await session(1)).end();
  await until(() => falls().length === 2);
  void (await session(2)).unbind();
  await until(() => falls().length === 3);

  const found = falls().map(({ reason, because, node }) => ({ reason, because, node }));
  const { node } = here.app.database;
  assert.deepEqual(found, [
    { reason: "generic-nack", because: "ESME_RSYSERR", node },
    { reason: "peer-closed", because: "end of stream", node },
    { reason: "peer-unbound", because: "", node },
  ]);
});
