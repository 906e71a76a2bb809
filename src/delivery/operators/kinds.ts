// What differs between operators over SMPP, over HTTP and phones when they are created and changed.
import { detailOf, refuseConflict } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import { REQUIRED } from "../../platform/http/validationerrors.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { PHONE_CONNECTOR } from "../../protocol/carriers/connectors/phone.ts";
import { checkCarrierAddress, chosenConnector, connectorColumns, newCallback } from "./connectors.ts";
import { chosenSettings, PHONE_DEFAULTS } from "./settings.ts";
import type { Operator } from "./shapes.ts";
import * as sql from "./sql.ts";

type Kind = sql.KnownRow["kind"];

/** The members of a request in which the kinds differ. */
type Input = Parameters<typeof chosenConnector>[1] & {
  kind?: Kind | undefined;
  messageIdForm?: Operator["messageIdForm"] | undefined;
  systemType?: string | null | undefined;
  port?: number | undefined;
  tls?: boolean | undefined;
  tps?: number | undefined;
  window?: number | undefined;
} & Parameters<typeof chosenSettings>[0] & {
    [Name in "systemId" | "password" | "host"]?: string | undefined;
  };

/** The columns of a connector, for an operator that has none, or whose connector does not change. */
export const NO_CONNECTOR_COLUMNS = {
  connector: null,
  declaration: null,
  connectorFields: null,
  sealedFields: null,
  sealedCallback: null,
};

/** Returns the columns that a connector decides, if there is one to change. */
export function carrierColumns(
  app: Pick<Runtime, "secrets">,
  id: string,
  input: Input,
  kept?: sql.KnownRow,
): Partial<sql.OperatorColumns> {
  const kind = kept?.kind ?? input.kind;
  if (kind === "phone" && !kept) return phoneColumns(app, id, input);
  if (kind !== "http") return {};
  if (kept && input.connector === undefined && input.connectorSettings === undefined) return {};
  const chosen = chosenConnector(app, input, kept);
  const columns = connectorColumns(app, id, input, chosen, kept);
  if (kept) return columns;
  const { tps = chosen.connector.tps } = input;
  return { ...columns, tps, messageIdForm: "case" };
}

/** A phone fetches its messages: it has no address. Its ids are ours. */
function phoneColumns(app: Pick<Runtime, "secrets">, id: string, input: Input): Partial<sql.OperatorColumns> {
  return {
    ...{ connector: PHONE_CONNECTOR, sealedCallback: newCallback(app, id), messageIdForm: "case" },
    ...{ host: "", port: NO_PORT, systemId: "", window: input.window ?? PHONE_WINDOW },
    settings: { ...PHONE_DEFAULTS, ...chosenSettings(input) },
  };
}

/** Messages that a phone may have without a report: it sends one after another. */
const PHONE_WINDOW = 5;
/** The column wants a port. */
const NO_PORT = 443;

/** Over HTTP ids are compared as they are written. */
const OF_SMPP = ["systemId", "password", "systemType", "host", "port", "tls", "messageIdForm"] as const;
const NEEDED_BY_SMPP = ["systemId", "password", "host", "port"] as const;
const OF_HTTP = ["connector", "connectorSettings"] as const;
const OF_PHONE = ["secondsPerMessage", "dailyCap", "simNumber", "phoneNumber"] as const;
/** A phone has one session, and its own rate. */
const NOT_OF_PHONE = ["tps", "binds"] as const;

/** Refuses `invalid-request` for members of the other kind, and if members of this kind are missing. */
export function membersFit(input: Input): void {
  const { kind = "smpp" } = input;
  refuseForeign(kind, input);
  if (kind !== "smpp") return;
  const missing = NEEDED_BY_SMPP.filter((name) => input[name] === undefined);
  if (missing.length > 0)
    refuse("invalid-request", { details: missing.map((name) => detailOf(name, REQUIRED)) });
}

/** Refuses `conflict` for another kind, and `invalid-request` for members of the other kind. */
export function changesFit(kind: Kind, changes: Input): void {
  if (changes.kind !== undefined && changes.kind !== kind) refuseConflict("kind", KIND_STAYS);
  refuseForeign(kind, changes);
}

function refuseForeign(kind: Kind, input: Input): void {
  const details = FOREIGN[kind].flatMap(([names, message]) =>
    names
      .filter((name) => input[name] !== undefined && input[name] !== null && input[name] !== "")
      .map((field) => ({ field, message })),
  );
  if (details.length > 0) refuse("invalid-request", { details });
}

const ONLY_SMPP: Sentence = {
  fr: "ne concerne que les opérateurs SMPP",
  en: "is only for operators over SMPP",
};
const ONLY_HTTP: Sentence = {
  fr: "ne concerne que les opérateurs HTTP",
  en: "is only for operators over HTTP",
};
const ONLY_PHONE: Sentence = {
  fr: "ne concerne que les téléphones",
  en: "is only for phones",
};
const NEVER_PHONE: Sentence = {
  fr: "ne concerne pas les téléphones",
  en: "is not for phones",
};
/** By kind, the members that other kinds have. */
const FOREIGN: Readonly<Record<Kind, readonly (readonly [readonly (keyof Input)[], Sentence])[]>> = {
  smpp: [
    [OF_HTTP, ONLY_HTTP],
    [OF_PHONE, ONLY_PHONE],
  ],
  http: [
    [OF_SMPP, ONLY_SMPP],
    [OF_PHONE, ONLY_PHONE],
  ],
  phone: [
    [OF_SMPP, ONLY_SMPP],
    [OF_HTTP, ONLY_HTTP],
    [NOT_OF_PHONE, NEVER_PHONE],
  ],
};
const KIND_STAYS: Sentence = {
  fr: "le type d’un opérateur ne change pas : créez un autre opérateur",
  en: "the kind of an operator does not change: create another operator",
};

/**
 * Checks the members of a request and the address of a carrier over HTTP, before the transaction, because it asks the
 * name servers. Refuses like `membersFit` or `changesFit`, `chosenConnector` and `checkCarrierAddress`.
 */
export async function checkOperatorAddress(app: Runtime, input: Input, id?: string): Promise<void> {
  const [known] = id === undefined ? [] : await app.database.run(sql.findKnown, [id]);
  // The transaction refuses an unknown operator.
  if (id !== undefined && !known) return;
  if (known) changesFit(known.kind, input);
  else membersFit(input);
  if ((known?.kind ?? input.kind) !== "http") return;
  if (known && input.connector === undefined && input.connectorSettings === undefined) return;
  await checkCarrierAddress(app, chosenConnector(app, input, known));
}
