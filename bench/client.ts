// Our SMPP client alone, in its own process. It submits to the sink as fast as its window allows.
import { createInterface } from "node:readline";
import { connect } from "../src/protocol/smpp/connect.ts";
import type { Session } from "../src/protocol/smpp/session.ts";
import { phoneOf, SENDER, TEXT } from "./messages.ts";
import { Program } from "./program.ts";

export type Batch = { first: number; count: number; window: number };

/** Starts the client, bound to the sink. It answers a `Batch` with `{ refused }` when all its messages are answered. */
export function startClient(sinkPort: number): Program {
  return new Program("client", process.execPath, [import.meta.filename, String(sinkPort)]);
}

async function submitAll(session: Session, { first, count, window }: Batch): Promise<{ refused: number }> {
  let next = first;
  let refused = 0;
  const slot = async () => {
    while (next < first + count) {
      const { status } = await session.submit(messageTo(phoneOf(next++)));
      if (status !== 0) refused++;
    }
  };
  await Promise.all(Array.from({ length: window }, slot));
  return { refused };
}

function messageTo(phone: string) {
  return {
    sourceAddrTon: 5,
    sourceAddr: SENDER,
    destAddrTon: 1,
    destAddrNpi: 1,
    destinationAddr: phone,
    shortMessage: Buffer.from(TEXT, "latin1"),
  };
}

if (import.meta.main) {
  const session = await connect({
    host: "127.0.0.1",
    port: Number(process.argv[2]),
    bindType: "transceiver",
    systemId: "bench",
    password: "bench",
  });
  for await (const line of createInterface({ input: process.stdin })) {
    console.log(JSON.stringify(await submitAll(session, JSON.parse(line) as Batch)));
  }
  await session.unbind();
}
