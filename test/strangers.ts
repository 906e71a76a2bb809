// Strangers: callers that send the beginning of a body and stop, and bodies that no operation wants.
import { once } from "node:events";
import { connect, type Socket } from "node:net";

/** A request of which no more comes; `said` is what it was answered so far. */
export type Stalled = { readonly socket: Socket; readonly said: string; readonly closed: Promise<unknown> };

type Stalling = { path: string; declared: number; sent: number; ip?: string };

/** Asks with a body that is said to have `declared` bytes, of which only the first `sent` are ever sent. */
export async function stall(url: string, { path, declared, sent, ip }: Stalling): Promise<Stalled> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  const stalled = { socket, said: "", closed: once(socket, "close") };
  socket.on("data", (bytes) => (stalled.said += bytes));
  const from = ip === undefined ? "" : `X-Forwarded-For: ${ip}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${from}Content-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${declared}\r\n\r\n`);
  await Promise.race([new Promise((resolve) => socket.write(filled(sent), resolve)), stalled.closed]);
  return stalled;
}

/** A body of so many bytes: one long text. */
export function filled(bytes: number): string {
  return `{"other":"${"x".repeat(bytes - 12)}"}`;
}

/** An object of so many members. */
export function wide(members: number): string {
  return `{${Array.from({ length: members }, (_, i) => `"m${i}":${i}`).join()}}`;
}
