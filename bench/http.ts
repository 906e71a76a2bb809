// HTTP of the load: the text of a request, and one connection in a closed loop.
import { connect } from "node:net";

/** What one connection says. */
export type Talk = {
  /** The next request. The connection ends when there is none. */
  next(): string | undefined;
  /** Takes a whole answer. Returns for how many milliseconds the connection then waits. */
  onAnswer(answer: string): number;
};

/** A request with a body of JSON in ASCII. */
export function postOf(path: string, body: string): string {
  const head = [
    `POST ${path} HTTP/1.1`,
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `Content-Length: ${body.length}`,
  ];
  return `${head.join("\r\n")}\r\n\r\n${body}`;
}

/** Drives one connection: it writes a request and waits for its whole answer, until there is no next request. */
export function drive(port: number, talk: Talk): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, "127.0.0.1");
    let received = "";
    let request: string | undefined;
    const writeNext = () => {
      request = talk.next();
      if (request === undefined) socket.end();
      else socket.write(request, "latin1");
    };
    socket.setNoDelay(true).setEncoding("latin1");
    socket.on("connect", writeNext);
    socket.on("data", (text: string) => {
      received += text;
      if (received.length < lengthOf(received)) return;
      const pauseMs = talk.onAnswer(received);
      received = "";
      if (pauseMs > 0) setTimeout(writeNext, pauseMs);
      else writeNext();
    });
    socket.on("error", reject);
    socket.on("close", () => (request ? reject(new Error("the server closed a connection")) : resolve()));
  });
}

/** The length of the answer that begins so, head and body. */
function lengthOf(answer: string): number {
  const body = answer.indexOf("\r\n\r\n") + 4;
  if (body < 4) return Number.POSITIVE_INFINITY;
  const [, length] = /\r\ncontent-length: (\d+)/i.exec(answer.slice(0, body)) ?? [];
  if (length === undefined) throw new Error(`an answer without a length: ${answer.slice(0, body)}`);
  return body + Number(length);
}
