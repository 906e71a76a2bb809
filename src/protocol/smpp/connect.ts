// The two ways to a session: `connect` binds as an ESME, `accept` serves a connection as an SMSC.
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { type ConnectionOptions, connect as connectTls } from "node:tls";
import type { BindCommand } from "./pdu.ts";
import { Session } from "./session.ts";
import { BindRefused, ConnectFailed, DEFAULT_TIMERS, SessionLost, type SessionOptions } from "./terms.ts";
import { connectionErrorOf } from "./tls.ts";

export interface ConnectOptions extends Omit<SessionOptions, "onSubmit" | "onBind" | "onBound"> {
  host: string;
  port: number;
  /** true, or the options of `node:tls` (ca, servername, …). */
  tls?: boolean | ConnectionOptions;
  bindType: "transceiver" | "transmitter" | "receiver";
  systemId: string;
  password: string;
  systemType?: string;
  interfaceVersion?: number;
  addrTon?: number;
  addrNpi?: number;
  addressRange?: string;
}

/**
 * Connects and binds (sections 2.2, 4.1). Resolves with a bound session. Rejects with `BindRefused` (the SMSC refused),
 * `ConnectFailed` (no connection, TLS failed, or no answer in time) or `InvalidField` (credentials that do not fit).
 */
export async function connect(options: ConnectOptions): Promise<Session> {
  const socket = await openSocket(options, options.timers?.connectMs ?? DEFAULT_TIMERS.connectMs);
  const session = new Session(socket, options);
  const command: BindCommand = `bind_${options.bindType}`;
  try {
    const status = await session.bind(command, {
      systemId: options.systemId,
      password: options.password,
      systemType: options.systemType ?? "",
      interfaceVersion: options.interfaceVersion ?? 0x34,
      addrTon: options.addrTon ?? 0,
      addrNpi: options.addrNpi ?? 0,
      addressRange: options.addressRange ?? "",
    });
    if (status !== 0) throw new BindRefused(status);
    return session;
  } catch (error) {
    session.abort();
    if (error instanceof SessionLost)
      throw new ConnectFailed(`no bind: ${error.reason.kind} ${error.reason.detail}`);
    throw error;
  }
}

/** Serves one connection of a net or tls server; `options.onBind` decides whether a bind is accepted. */
export function accept(socket: Socket, options: Omit<SessionOptions, "onDeliver">): Session {
  return new Session(socket, options);
}

/** The server name for the TLS handshake: a host name, never an address (RFC 6066, section 3). */
function serverNameOf(host: string): { servername?: string } {
  return isIP(host) === 0 ? { servername: host } : {};
}

function openSocket(options: ConnectOptions, connectMs: number): Promise<Socket> {
  const { host, port, tls } = options;
  return new Promise((resolve, reject) => {
    const socket = tls
      ? connectTls({ host, port, ...serverNameOf(host), ...(tls === true ? {} : tls) })
      : connectTcp({ host, port });
    const fail = (error: Error) => {
      clearTimeout(timer);
      socket.destroy();
      reject(new ConnectFailed(`${host}:${port}: ${connectionErrorOf(error)}`));
    };
    const timer = setTimeout(() => fail(new Error(`no connection within ${connectMs} ms`)), connectMs);
    socket.once("error", fail);
    socket.once(tls ? "secureConnect" : "connect", () => {
      clearTimeout(timer);
      socket.off("error", fail);
      resolve(socket);
    });
  });
}
