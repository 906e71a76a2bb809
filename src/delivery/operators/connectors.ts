// The connector of an operator over HTTP: which one, the values of its fields, and where the carrier sends receipts.
import { randomBytes } from "node:crypto";
import { type Static, Type } from "typebox";
import { nowMs } from "../../platform/clock.ts";
import { MASK, serverOf } from "../../platform/http/addresses.ts";
import { detailOf, refuseConflict, refuseField } from "../../platform/http/fielderrors.ts";
import { askDns, checkReachable } from "../../platform/http/guard.ts";
import { member } from "../../platform/http/meanings.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import { REQUIRED } from "../../platform/http/validationerrors.ts";
import type { Runtime } from "../../platform/runtime.ts";
import type { SealedPlace } from "../../platform/secrets/secrets.ts";
import { connectors } from "../../protocol/carriers/builtin.ts";
import type { Connector } from "../../protocol/carriers/connector.ts";
import { PHONE_CONNECTOR, phone } from "../../protocol/carriers/connectors/phone.ts";
import { checkConnector } from "../../protocol/carriers/declarationcheck.ts";
import { checkFields } from "../../protocol/carriers/fieldcheck.ts";
import { openConnector } from "../../protocol/carriers/opening.ts";
import { carrierReach } from "./reach.ts";
import type { ConnectorColumns, OperatorRow } from "./sql.ts";

const FIELDS_AT_MOST = 20;
const VALUE_CHARACTERS_AT_MOST = 2_000;
/** In base64url: 32 characters. */
const CALLBACK_OCTETS = 24;
const SYSTEM_ID_CHARACTERS = 200;

const NO_CONNECTOR: Sentence = {
  fr: `doit être l’un des connecteurs ${[...connectors.keys()].join(", ")}, ou une déclaration`,
  en: `must be one of the connectors ${[...connectors.keys()].join(", ")}, or a declaration`,
};
const UNKNOWN_FIELD: Sentence = {
  fr: "n’est pas un réglage de ce connecteur",
  en: "is not a setting of this connector",
};

export type Declaration = Record<string, unknown>;
/** A declaration in a request. `checkConnector` says what is wrong with it. */
export const DeclarationGiven = Type.Unsafe<Declaration>({ type: "object", additionalProperties: true });
/** The values of the fields of a connector, by their names. */
const Values = Type.Unsafe<Record<string, string>>({
  type: "object",
  additionalProperties: { type: "string", maxLength: VALUE_CHARACTERS_AT_MOST },
  maxProperties: FIELDS_AT_MOST,
});

/** The members of an operator over HTTP in a request. */
export const connectorGiven = {
  connector: member(
    Type.Optional(Type.Union([Type.String({ minLength: 1, maxLength: 40 }), DeclarationGiven])),
    {
      fr: "Connecteur d’un opérateur HTTP : le nom d’un connecteur fourni, ou une déclaration",
      en: "Connector of an operator over HTTP: the name of a built-in connector, or a declaration",
      sample: "orange",
    },
  ),
  connectorSettings: member(Type.Optional(Values), {
    fr: "Réglages de ce connecteur, par nom. Les valeurs secrètes sont chiffrées et jamais affichées",
    en: "Settings of this connector, by name. Secret values are encrypted and never shown",
    sample: { clientId: "aBcD", clientSecret: "tambour", country: "+2250000" },
  }),
};
const Given = Type.Object(connectorGiven);
type Given = Static<typeof Given>;

/** Returns where the secret fields of an operator are sealed: a ciphertext moved to another row does not open. */
function fieldsPlace(operatorId: string): SealedPlace {
  return { table: "operators", column: "sealed_fields", row: operatorId };
}

function callbackPlace(operatorId: string): SealedPlace {
  return { table: "operators", column: "sealed_callback", row: operatorId };
}

type Kept = Pick<
  OperatorRow,
  "id" | "connector" | "declaration" | "connector_fields" | "sealed_fields" | "sealed_callback"
>;

/** A stored connector that cannot be opened: of an unknown name, or sealed for another row or with another key. */
class ConnectorUnusable extends Error {
  override readonly name = "ConnectorUnusable";
}

const UNUSABLE: Sentence = {
  fr: "le connecteur enregistré ne peut pas être ouvert : saisissez de nouveau ses réglages secrets et changez son adresse des accusés de réception",
  en: "the stored connector cannot be opened: enter its secret settings again and renew its address for delivery receipts",
};

/** Returns what `work` returns. Refuses `conflict` if the stored connector of an operator cannot be opened. */
export function usable<Result>(work: () => Result): Result {
  try {
    return work();
  } catch (error) {
    if (error instanceof ConnectorUnusable) refuseConflict("id", UNUSABLE);
    throw error;
  }
}

function unseal({ secrets }: Pick<Runtime, "secrets">, place: SealedPlace, sealed: string): string {
  try {
    return secrets.unseal(place, sealed);
  } catch (cause) {
    throw new ConnectorUnusable(`${place.column} cannot be opened`, { cause });
  }
}

type Named = Pick<Kept, "connector" | "declaration">;

/** Returns the connector of an operator over HTTP. Throws `ConnectorUnusable`. */
export function connectorOf(operator: Named): Connector {
  const known = knownConnector(operator);
  if (!known) throw new ConnectorUnusable(`there is no connector ${operator.connector}`);
  return known;
}

function knownConnector({ connector, declaration }: Named): Connector | undefined {
  const known = declaration ?? (connector === PHONE_CONNECTOR ? phone : connectors.get(connector ?? ""));
  return known as Connector | undefined;
}

/** Whether the carrier of an operator can be asked about a message. */
export function hasStatusQuery(operator: Named): boolean {
  return knownConnector(operator)?.status !== undefined;
}

/** Returns the values of the fields of an operator over HTTP, with its secrets. Throws `ConnectorUnusable`. */
export function connectorFieldsOf(
  app: Pick<Runtime, "secrets">,
  { id, connector_fields: plain, sealed_fields: sealed }: Kept,
): Record<string, string> {
  const secret = sealed === null ? {} : JSON.parse(unseal(app, fieldsPlace(id), sealed));
  return { ...plain, ...secret };
}

/** Returns the secret in the path of an operator's callbacks; undefined: it has none. Throws `ConnectorUnusable`. */
export function callbackSecretOf(
  app: Pick<Runtime, "secrets">,
  { id, sealed_callback: sealed }: Pick<Kept, "id" | "sealed_callback">,
): string | undefined {
  return sealed === null ? undefined : unseal(app, callbackPlace(id), sealed);
}

/** Returns the address to which a carrier sends receipts and incoming messages; empty: the operator has none. */
export function callbackUrlOf(
  app: Pick<Runtime, "secrets" | "publicUrl">,
  operator: Pick<Kept, "id" | "sealed_callback">,
): string {
  const secret = callbackSecretOf(app, operator);
  return secret === undefined ? "" : `${app.publicUrl}/v1/carrier/${operator.id}/${secret}`;
}

/** Seals a new secret for the path of an operator's callbacks. */
export function newCallback({ secrets }: Pick<Runtime, "secrets">, operatorId: string): string {
  return secrets.seal(callbackPlace(operatorId), randomBytes(CALLBACK_OCTETS).toString("base64url"));
}

/** A connector with all values of its fields. */
type Chosen = { connector: Connector; fields: Record<string, string> };

/**
 * Returns the connector of a request and the values of its fields; those that the request lacks, or gives masked, are
 * the known ones. Refuses `invalid-request` for an unknown connector, a declaration that `checkConnector` refuses, and
 * wrong values.
 */
export function chosenConnector(app: Pick<Runtime, "secrets">, given: Given, known?: Kept): Chosen {
  const connector =
    given.connector === undefined && known
      ? usable(() => connectorOf(known))
      : givenConnector(given.connector);
  const names = new Set(connector.fields.map(({ name }) => name));
  const fields = known ? keptFields(app, connector, known) : {};
  for (const [name, value] of Object.entries(given.connectorSettings ?? {})) {
    if (!names.has(name)) refuseField(`connectorSettings.${name}`, UNKNOWN_FIELD);
    if (value === "") delete fields[name];
    else if (value !== MASK) fields[name] = value;
  }
  const errors = checkFields(connector, fields);
  if (errors.length > 0)
    refuse("invalid-request", {
      details: errors.map(({ field, message }) => detailOf(placeIn("connectorSettings", field), message)),
    });
  return { connector, fields };
}

/**
 * Returns the known values of the fields that a connector has. A value that was entered as a secret stays only in a field
 * that is secret: otherwise a new declaration would show it. Secrets that cannot be opened have to be entered again.
 */
function keptFields(app: Pick<Runtime, "secrets">, { fields }: Connector, known: Kept): Chosen["fields"] {
  const secrets = new Set(fields.filter(({ secret }) => secret).map(({ name }) => name));
  let values: Chosen["fields"] = {};
  try {
    values = connectorFieldsOf(app, known);
  } catch (error) {
    if (!(error instanceof ConnectorUnusable)) throw error;
  }
  const kept = fields.flatMap(({ name }) => {
    const plain = known.connector_fields[name];
    const value = plain === MASK ? secrets.has(name) && values[name] : plain;
    return typeof value === "string" ? [[name, value]] : [];
  });
  return Object.fromEntries(kept);
}

function givenConnector(given: Given["connector"]): Connector {
  if (given === undefined) return refuseField("connector", REQUIRED);
  if (typeof given === "string") return connectors.get(given) ?? refuseField("connector", NO_CONNECTOR);
  return declaredConnector(given);
}

/** Returns the connector that a declaration declares. Refuses `invalid-request` like `chosenConnector`. */
export function declaredConnector(given: Declaration): Connector {
  const errors = checkConnector(given);
  if (errors.length > 0)
    refuse("invalid-request", {
      details: errors.map(({ path, message }) => detailOf(placeIn("connector", path), message)),
    });
  return given as Connector;
}

/** Names a place in a member of a request; an empty path is the member. */
function placeIn(member: string, path: string): string {
  return path === "" ? member : `${member}.${path}`;
}

/**
 * Checks that the carrier has an address that we may reach. Refuses `invalid-request` for plain HTTP and for private
 * addresses, except those of `CARRIER_ALLOW_CIDRS`.
 */
export async function checkCarrierAddress(app: Runtime, { connector, fields }: Chosen): Promise<void> {
  const opened = openConnector(connector, fields, nowMs);
  const beside = [
    opened.tokenRequest(),
    opened.statusRequest({ id: "", carrierId: "" }, undefined),
    opened.balanceRequest(undefined),
  ].flatMap((request) => (request ? [new URL(request.url).origin] : []));
  for (const origin of new Set([opened.origin, ...beside]))
    await checkReachable(origin, {
      reach: carrierReach(app),
      resolve: askDns(app),
      field: fieldOfOrigin(origin, connector, fields),
    });
}

/** Returns the setting that contains this address; all settings if none does. */
function fieldOfOrigin(origin: string, { fields: known }: Connector, values: Chosen["fields"]): string {
  const found = known.find(({ name, format }) => format === "url" && values[name]?.startsWith(origin));
  return found ? `connectorSettings.${found.name}` : "connectorSettings";
}

/** Returns the columns of an operator over HTTP. `chosen`: what `chosenConnector` returns for the request. */
export function connectorColumns(
  app: Pick<Runtime, "secrets">,
  id: string,
  given: Given,
  chosen: Chosen,
  known?: Kept,
): ConnectorColumns {
  const { connector, fields } = chosen;
  const secretNames = new Set(connector.fields.filter(({ secret }) => secret).map(({ name }) => name));
  const entries = Object.entries(fields);
  const secret = Object.fromEntries(entries.filter(([name]) => secretNames.has(name)));
  // The mask says that a secret is set, without the secret.
  const plain = entries.map(([name, value]) => [name, secretNames.has(name) ? MASK : value]);
  const { origin, account } = openConnector(connector, fields, nowMs);
  const { host, port, isTls } = serverOf(new URL(origin));
  const isNamed = typeof (given.connector ?? known?.connector) === "string";
  return {
    connector: isNamed ? ((given.connector ?? known?.connector) as string) : null,
    declaration: isNamed ? null : connector,
    connectorFields: Object.fromEntries(plain),
    sealedFields: app.secrets.seal(fieldsPlace(id), JSON.stringify(secret)),
    sealedCallback: known?.sealed_callback ?? newCallback(app, id),
    host,
    port,
    tls: isTls,
    // Rows with the same host and account share receipts: see `OperatorAccounts`.
    systemId: account.slice(0, SYSTEM_ID_CHARACTERS),
  };
}
