// The dry run of an operator over HTTP: the request that it would send, and what an answer would mean. Nothing is sent.
import { type Static, Type } from "typebox";
import { nowMs } from "../../platform/clock.ts";
import type { Statements } from "../../platform/database/query.ts";
import { refuseConflict } from "../../platform/http/fielderrors.ts";
import { member } from "../../platform/http/meanings.ts";
import { requireRow, type Sentence } from "../../platform/http/refusals.ts";
import { orNull, shape } from "../../platform/http/responseschemas.ts";
import { ShortText } from "../../platform/http/schemas.ts";
import type { Runtime } from "../../platform/runtime.ts";
import { CARRIER_OUTCOMES } from "../../protocol/carriers/connector.ts";
import type {
  CarrierMessage,
  CarrierOutcome,
  CarrierRequest,
  OpenConnector,
} from "../../protocol/carriers/exchange.ts";
import { masked } from "../../protocol/carriers/masked.ts";
import { openConnector } from "../../protocol/carriers/opening.ts";
import { requirePhone } from "../../protocol/sms/phone.ts";
import { carrierIdOf, carrierMessagesOf } from "./carriermessages.ts";
import { connectorFieldsOf, connectorOf, usable } from "./connectors.ts";
import * as sql from "./sql.ts";

const NOT_HTTP: Sentence = {
  fr: "cet opérateur n’utilise pas HTTP : envoyez plutôt un message de test",
  en: "this operator does not use HTTP: send a test message instead",
};
const BODY_CHARACTERS_AT_MOST = 64 * 1024;
/** The id of a message that no send has. */
const MESSAGE = { sendId: "0".repeat(24), number: 1, reference: 1 };
const TOKEN = "token";
const CARRIER_ID = "carrier-id";

/** A message to render, and a pasted answer of the carrier. */
export const DryRunInput = {
  sender: member(Type.Optional(ShortText), {
    fr: "Nom d’expéditeur. Par défaut, celui de l’installation",
    en: "Sender name. Default: that of the installation",
    sample: "ATUMPAN",
  }),
  text: Type.Optional(Type.String({ minLength: 1, maxLength: 2_000, "x-visible": true })),
  response: member(
    Type.Optional(
      Type.Object({
        status: member(Type.Integer({ minimum: 100, maximum: 599 }), {
          fr: "Statut HTTP",
          en: "HTTP status",
          sample: 201,
        }),
        headers: member(
          Type.Optional(
            Type.Unsafe<Record<string, string>>({
              type: "object",
              additionalProperties: { type: "string", maxLength: 2_000 },
              maxProperties: 50,
            }),
          ),
          { fr: "En-têtes de la réponse", en: "Headers of the response", sample: {} },
        ),
        body: member(Type.Optional(Type.String({ maxLength: BODY_CHARACTERS_AT_MOST })), {
          fr: "Corps de la réponse",
          en: "Body of the response",
          sample: '{"id":"1"}',
        }),
      }),
    ),
    {
      fr: "Réponse du fournisseur à interpréter, telle qu’il l’a donnée",
      en: "Response of the carrier to evaluate, as the carrier gave it",
    },
  ),
};
const Input = Type.Object(DryRunInput);
type Input = Static<typeof Input> & { phone: string };

const RenderedRequest = Type.Object({
  method: member(Type.String({ examples: ["POST"] }), { fr: "Méthode HTTP", en: "HTTP method" }),
  url: member(Type.String({ examples: ["https://api.example.com/messages"] }), {
    fr: "Adresse de la requête",
    en: "URL of the request",
  }),
  headers: member(
    Type.Unsafe<Record<string, string>>({ type: "object", additionalProperties: Type.String() }),
    {
      fr: "En-têtes de la requête",
      en: "Headers of the request",
      sample: { authorization: "Bearer ••••" },
    },
  ),
  body: member(orNull(Type.String({ examples: ['{"to":"2250102030405"}'] })), {
    fr: "Corps de la requête, ou null",
    en: "Body of the request, or null",
  }),
});

/** The rendered requests and the meaning of the answer. */
export const DryRun = shape("DryRun", {
  requests: member(Type.Array(RenderedRequest), {
    fr: "Requêtes qui seraient envoyées, dans l’ordre ; les valeurs secrètes sont masquées",
    en: "Requests that would be sent, in order; secret values are masked",
  }),
  outcome: member(
    orNull(
      Type.Object({
        is: member(Type.Enum([...CARRIER_OUTCOMES]), {
          fr: "Sens de la réponse : `accepted` (message accepté), `throttled` (trop rapide), `temporary` (nouvel essai), `permanent` (message refusé), `unserved` (destinataire non desservi, opérateur suivant), `account` (opérateur suspendu) ou `unknown` (sort inconnu)",
          en: "Meaning of the response: `accepted`, `throttled` (too fast), `temporary` (tried again), `permanent` (message refused), `unserved` (recipient not served, next operator), `account` (operator suspended) or `unknown` (unknown fate)",
          sample: "accepted",
        }),
        id: member(orNull(Type.String()), {
          fr: "Identifiant du message chez le fournisseur",
          en: "ID of the message at the carrier",
          sample: "1",
        }),
        code: member(orNull(Type.String()), {
          fr: "Code d’erreur du message ou de l’opérateur",
          en: "Error code of the message or of the operator",
          sample: null,
        }),
        waitMs: member(orNull(Type.Integer()), {
          fr: "Attente avant un nouvel essai, en millisecondes",
          en: "Time to wait before another attempt, in milliseconds",
          sample: null,
        }),
      }),
    ),
    { fr: "Sens de la réponse donnée, ou null", en: "Meaning of the given response, or null" },
  ),
  statusQuery: member(orNull(RenderedRequest), {
    fr: "Requête qui demanderait l’état du message, ou null si le connecteur n’en a pas",
    en: "Request that would ask for the state of the message, or null if the connector has none",
  }),
});
export type DryRun = Static<typeof DryRun>;

/** The text of a test if none is given. */
export const TEST_TEXT = "Atumpan : test de cet opérateur. / Test of this operator.";

/**
 * Renders a message as an operator over HTTP would send it, and evaluates an answer. Refuses `not-found`,
 * `invalid-phone-number`, and `conflict` for an operator of another kind.
 */
export async function runDry(
  app: Runtime,
  db: Statements,
  operatorId: string,
  { phone: given, text = TEST_TEXT, sender = app.config.defaultSender, response }: Input,
): Promise<DryRun> {
  const phone = requirePhone(given, "phone");
  const operator = await requireRow(db.run(sql.findKnown, [operatorId]), "not-found");
  if (operator.kind !== "http") refuseConflict("id", NOT_HTTP);
  const connector = usable(() => connectorOf(operator));
  const fields = usable(() => connectorFieldsOf(app, operator));
  const opened = openConnector(connector, fields, nowMs);
  // The secret in the path is not shown here: `readCallbackUrl` shows it.
  const receiptUrl = opened.hasReceipts ? `${app.publicUrl}/v1/carrier/${operatorId}/********` : "";
  const token = opened.tokenRequest() && TOKEN;
  const message = { ...MESSAGE, phone, sender, body: text };
  const requests = carrierMessagesOf(message, { ...opened, receiptUrl }).requests as CarrierMessage[];
  const show = (request: CarrierRequest) => {
    const { body = null, ...rest } = masked(request, connector, fields);
    return { ...rest, body };
  };
  const [first] = requests;
  const query = opened.statusRequest({ id: carrierIdOf(MESSAGE), carrierId: CARRIER_ID }, token);
  return {
    requests: requests.map((request) => show(opened.sendRequest(request, token))),
    outcome: response && first ? outcomeOf(opened, response, first) : null,
    statusQuery: query ? show(query) : null,
  };
}

function outcomeOf(
  opened: OpenConnector,
  { status, headers = {}, body = "" }: NonNullable<Input["response"]>,
  message: CarrierMessage,
): DryRun["outcome"] {
  const lower = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]);
  const read = { status, headers: Object.fromEntries(lower), body: Buffer.from(body), isCut: false };
  const outcome: CarrierOutcome = opened.outcomeOf(read, message);
  return { id: null, code: null, waitMs: null, ...outcome };
}
