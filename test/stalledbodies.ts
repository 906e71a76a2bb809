// Callers that send the beginning of a body and then stop, and bodies that no operation wants.
import { connect, type Socket } from "node:net";

/** A request that is never finished. `said` is the answer so far; `isWritten`: the system took all that we sent. */
export type Stalled = {
  readonly socket: Socket;
  readonly said: string;
  readonly isWritten: boolean;
  readonly closed: Promise<unknown>;
};

type Stalling = { path: string; declared: number; sent: number; ip?: string };

/** Announces a body of `declared` bytes and sends only the first `sent` of them. */
export async function stall(url: string, { path, declared, sent, ip }: Stalling): Promise<Stalled> {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname).on("error", () => {});
  // A cut while we write is an error of the socket, and an end like any other.
  const closed = new Promise<void>((resolve) => socket.once("close", () => resolve()));
  const stalled = { socket, said: "", isWritten: false, closed };
  socket.on("data", (bytes) => (stalled.said += bytes));
  const from = ip === undefined ? "" : `X-Forwarded-For: ${ip}\r\n`;
  const head = `POST ${path} HTTP/1.1\r\nHost: x\r\n${from}Content-Type: application/json\r\n`;
  socket.write(`${head}Content-Length: ${declared}\r\n\r\n`);
  const written = new Promise<void>((resolve) =>
    socket.write(filled(sent), (error) => {
      stalled.isWritten = !error;
      resolve();
    }),
  );
  await Promise.race([written, closed]);
  return stalled;
}

/** A body of so many bytes, with one long text. */
export function filled(bytes: number): string {
  return `{"other":"${"x".repeat(bytes - 12)}"}`;
}

/** The text of an object with so many members. */
export function wide(members: number): string {
  return `{${Array.from({ length: members }, (_, i) => `"m${i}":${i}`).join()}}`;
}
