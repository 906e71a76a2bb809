// The declaration of a connector: how one kind of HTTP carrier is asked to send a message, and how its answers, its
// receipts and its incoming messages are read. One JSON value; `declarationcheck.ts` says what else is refused.
import { type Static, type TSchema, Type } from "typebox";

const closed = { additionalProperties: false };
const optional = Type.Optional;
const list = <Item extends TSchema>(item: Item, maxItems = 50) => Type.Array(item, { minItems: 1, maxItems });
const text = (maxLength: number) => Type.String({ maxLength });
const words = <const Word extends string>(...all: readonly Word[]) =>
  Type.Unsafe<Word>(Type.String({ enum: [...all] }));

/** What an administrator reads: the same words in both languages, or a text of each. */
const Label = Type.Union([
  Type.String({ minLength: 1, maxLength: 100 }),
  Type.Object(
    { fr: Type.String({ minLength: 1, maxLength: 100 }), en: Type.String({ minLength: 1, maxLength: 100 }) },
    closed,
  ),
]);
const Help = Type.Object(
  { fr: Type.String({ minLength: 1, maxLength: 500 }), en: Type.String({ minLength: 1, maxLength: 500 }) },
  closed,
);
/** Names of fields are placeholders of templates: letters, digits and underscores. */
const FieldName = Type.String({ pattern: "^[a-zA-Z][a-zA-Z0-9_]{0,39}$" });
/** A Mustache template, restricted to `{{name}}`, `{{#name}}…{{/name}}` and `{{^name}}…{{/name}}`. */
const Template = text(2_000);
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$" });
/** Line ends and other characters than ASCII would fail each request, or each answer to a callback. */
const ContentType = Type.String({ pattern: "^[ -~]{1,100}$" });
const Pointer = text(200);
/** A field, a placeholder, `unicode`, `gsm7` or `long`, with `!` before it for the contrary. */
const When = Type.String({ pattern: "^!?[a-zA-Z][a-zA-Z0-9_]{0,39}$" });

/**
 * What an administrator enters to open the connector. `unless`: it may stay empty if that other field has a value.
 * `format`: `url` is an address, which may begin a URL; `number` is one in international format, with `+`.
 */
const ConnectorFieldSchema = Type.Object(
  {
    name: FieldName,
    title: Label,
    help: optional(Help),
    secret: optional(Type.Boolean()),
    optional: optional(Type.Boolean()),
    unless: optional(FieldName),
    default: optional(text(500)),
    format: optional(words("url", "number")),
    choices: optional(list(Type.Object({ value: text(200), title: Label }, closed))),
  },
  closed,
);
/** A field of the form of a connector. */
export type ConnectorField = Static<typeof ConnectorFieldSchema>;

const PairSchema = Type.Object(
  { name: Type.String({ minLength: 1, maxLength: 200 }), value: Template, when: optional(When) },
  closed,
);
/** A parameter of a query, a form or the headers; left out if `when` does not hold. */
export type Pair = Static<typeof PairSchema>;
const HeaderPair = Type.Object({ name: HeaderName, value: Template, when: optional(When) }, closed);

const AuthSchema = Type.Union([
  Type.Object({ kind: Type.Literal("none") }, closed),
  Type.Object({ kind: Type.Literal("basic"), username: Template, password: Template }, closed),
  Type.Object({ kind: Type.Literal("header"), name: HeaderName, value: Template }, closed),
  Type.Object(
    {
      kind: Type.Literal("oauth2"),
      url: Template,
      credentials: words("basic", "body"),
      clientId: Template,
      clientSecret: Template,
      scope: optional(Template),
      query: optional(list(PairSchema)),
      headers: optional(list(HeaderPair)),
    },
    closed,
  ),
]);

const BodySchema = Type.Union([
  Type.Object({ kind: Type.Literal("form"), fields: list(PairSchema) }, closed),
  Type.Object({ kind: Type.Literal("json"), value: Type.Unknown() }, closed),
  Type.Object({ kind: words("text", "xml"), value: text(8_000), contentType: optional(ContentType) }, closed),
]);
/** The body of a request. In JSON, `{"$when","$value"}` is conditional and `{"$number":"{{…}}"}` renders a number. */
export type BodyTemplate = Static<typeof BodySchema>;

const RequestSchema = Type.Object(
  {
    method: words("GET", "POST", "PUT"),
    url: Template,
    query: optional(list(PairSchema)),
    headers: optional(list(HeaderPair)),
    body: optional(BodySchema),
  },
  closed,
);
/** A request with placeholders. */
export type RequestTemplate = Static<typeof RequestSchema>;

const SourceSchema = Type.Object(
  {
    json: optional(Type.Union([Pointer, list(Pointer, 10)])),
    header: optional(HeaderName),
    query: optional(text(100)),
    text: optional(Type.Literal(true)),
    after: optional(text(200)),
    before: optional(text(200)),
    segment: optional(Type.Literal("last")),
  },
  closed,
);
/**
 * Where a text is found: JSON pointers (RFC 6901, tried in order; the step `*` is any member), a header, a parameter of
 * the query (callbacks only) or the whole body; then what follows `after`, what precedes `before`, or the last segment
 * of a path.
 */
export type Source = Static<typeof SourceSchema>;

const Compared = list(text(200));
const ConditionSchema = Type.Object(
  {
    status: optional(
      list(
        Type.Union([
          Type.Integer({ minimum: 100, maximum: 599 }),
          Type.Tuple([Type.Integer(), Type.Integer()]),
        ]),
      ),
    ),
    header: optional(HeaderName),
    json: optional(Pointer),
    query: optional(text(100)),
    text: optional(Type.Literal(true)),
    is: optional(Compared),
    startsWith: optional(Compared),
    contains: optional(Compared),
    present: optional(Type.Boolean()),
  },
  closed,
);
/** One subject, and what must be true of it. Text is compared without case; numbers and booleans by their text. */
export type Condition = Static<typeof ConditionSchema>;

/** Why a carrier refuses one message for good. */
export const CARRIER_FAILURES = [
  "invalid-number",
  "invalid-sender",
  "invalid-text",
  "blocked-number",
  "refused",
] as const;
/** Why a carrier refuses all messages of an account: the route is suspended, not the message. */
export const ACCOUNT_TROUBLES = [
  "bad-credentials",
  "no-units",
  "contract-ended",
  "country-not-allowed",
  "account-refused",
  "misconfigured",
] as const;

/**
 * What became of a request. `unserved`: the carrier does not serve this recipient, and another operator may. `account`:
 * it refuses all our messages.
 */
export const CARRIER_OUTCOMES = [
  ...(["accepted", "throttled", "temporary", "permanent"] as const),
  ...(["unserved", "account", "unknown"] as const),
] as const;

const OutcomeRuleSchema = Type.Object(
  {
    only: optional(When),
    when: list(ConditionSchema, 10),
    is: words(...CARRIER_OUTCOMES),
    id: optional(Type.Union([SourceSchema, Type.Literal("own")])),
    code: optional(SourceSchema),
    failure: optional(words(...CARRIER_FAILURES)),
    trouble: optional(words(...ACCOUNT_TROUBLES)),
    waitS: optional(Type.Union([SourceSchema, Type.Number({ minimum: 0, maximum: 300 })])),
  },
  closed,
);
/**
 * The first rule of which all conditions hold decides. `only`: the rule exists only with (or without, `!`) a value in
 * this field. `id: "own"`: the carrier knows the message by our id.
 */
export type OutcomeRule = Static<typeof OutcomeRuleSchema>;

/** What a receipt says of a message. `sent` is not final. */
const CARRIER_STATES = ["delivered", "sent", "undelivered", "expired", "rejected", "unknown"] as const;
export type CarrierState = (typeof CARRIER_STATES)[number];

/**
 * Words of a carrier and their meanings. A word with `*` at its end stands for all that begin with it; of several, the
 * longest counts, whatever the order of the members.
 */
const StatesSchema = Type.Record(text(200), words(...CARRIER_STATES), { maxProperties: 100 });
const AtSchema = Type.Object(
  { source: SourceSchema, format: words("iso", "epoch-s", "epoch-ms", "yyMMddHHmm") },
  closed,
);
const Format = words("json", "form", "query", "xml", "auto");
const AnswerSchema = Type.Object(
  {
    status: Type.Integer({ minimum: 200, maximum: 299 }),
    contentType: ContentType,
    body: text(500),
  },
  closed,
);
/** The fixed response to a callback. */
export type CallbackAnswer = Static<typeof AnswerSchema>;

const ReceiptsSchema = Type.Object(
  {
    format: Format,
    list: optional(Pointer),
    when: optional(list(ConditionSchema, 10)),
    id: list(SourceSchema, 10),
    ownId: optional(SourceSchema),
    phone: optional(SourceSchema),
    sender: optional(SourceSchema),
    state: SourceSchema,
    states: StatesSchema,
    error: optional(SourceSchema),
    at: optional(AtSchema),
    answer: optional(AnswerSchema),
  },
  closed,
);
/** How receipts are read. `list` points to an array of them in one callback. */
export type ReceiptRules = Static<typeof ReceiptsSchema>;

const InboundOctetsSchema = Type.Object(
  {
    source: SourceSchema,
    written: words("hex", "percent"),
    encoding: words("gsm-7", "ucs-2", "latin-1"),
    when: optional(list(ConditionSchema, 10)),
  },
  closed,
);
/**
 * Where the text is octets: in hexadecimal, or in a parameter of the URL (`query`), percent-encoded. GSM-7 has one septet
 * in each octet, UCS-2 is UTF-16BE, and Latin-1 is UTF-8 where the octets are valid UTF-8.
 */
export type InboundOctets = Static<typeof InboundOctetsSchema>;

const InboundSchema = Type.Object(
  {
    format: Format,
    list: optional(Pointer),
    when: optional(list(ConditionSchema, 10)),
    from: SourceSchema,
    to: SourceSchema,
    text: SourceSchema,
    id: optional(SourceSchema),
    octets: optional(list(InboundOctetsSchema, 10)),
    answer: optional(AnswerSchema),
  },
  closed,
);
/**
 * How messages from handsets are read. Of `octets`, the first entry whose conditions hold is used; if none is, or its
 * octets are absent, `text` is.
 */
export type InboundRules = Static<typeof InboundSchema>;

export const CALLBACK_AUTHS_AT_MOST = 4;
export const CallbackAuthSchema = Type.Union([
  Type.Object(
    {
      kind: Type.Literal("hmac"),
      algorithm: words("sha1", "sha256", "sha512"),
      encoding: words("hex", "base64"),
      header: HeaderName,
      key: Template,
      over: words("body", "body+timestamp", "timestamp.body", "url+sorted-form"),
      prefix: optional(text(20)),
      timestampHeader: optional(HeaderName),
      toleranceS: optional(Type.Integer({ minimum: 1, maximum: 86_400 })),
      only: optional(When),
    },
    closed,
  ),
  Type.Object(
    { kind: Type.Literal("header"), name: HeaderName, value: Template, only: optional(When) },
    closed,
  ),
  Type.Object({ kind: Type.Literal("standard-webhooks"), key: Template, only: optional(When) }, closed),
]);
/**
 * How a callback proves that it comes from the carrier. An empty key means that no check is configured. Of several, the
 * first one with a key counts of which `only` holds, as in `OutcomeRule`.
 */
export type CallbackAuth = Static<typeof CallbackAuthSchema>;

const StatusSchema = Type.Object(
  {
    request: RequestSchema,
    when: optional(list(ConditionSchema, 10)),
    unknownHere: optional(list(ConditionSchema, 10)),
    id: optional(SourceSchema),
    state: SourceSchema,
    states: StatesSchema,
    error: optional(SourceSchema),
    at: optional(AtSchema),
  },
  closed,
);
/**
 * The query for the state of one message. Its request names the message by `{{id}}`, ours, or by `{{carrierId}}`.
 * `unknownHere`: an answer that meets these conditions proves that the carrier does not have the message. `id`: the
 * carrier's id in the answer.
 */
export type StatusRules = Static<typeof StatusSchema>;

const BalanceSchema = Type.Object(
  { request: RequestSchema, units: SourceSchema, unit: Type.Union([text(40), SourceSchema]) },
  closed,
);

/** A connector: JSON of at most 32 KiB. */
export const Connector = Type.Object(
  {
    title: Label,
    guide: optional(Help),
    fields: Type.Array(ConnectorFieldSchema, { maxItems: 20 }),
    account: optional(Template),
    auth: AuthSchema,
    send: RequestSchema,
    /** The messages per second that an account usually may send; an operator may set another rate. */
    tps: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
    text: Type.Object(
      {
        split: words("peer", "us"),
        charactersAtMost: optional(Type.Integer({ minimum: 1, maximum: 10_000 })),
      },
      closed,
    ),
    idempotent: Type.Boolean(),
    outcomes: list(OutcomeRuleSchema),
    receipts: optional(ReceiptsSchema),
    inbound: optional(InboundSchema),
    callbackAuth: optional(
      Type.Union([CallbackAuthSchema, list(CallbackAuthSchema, CALLBACK_AUTHS_AT_MOST)]),
    ),
    status: optional(StatusSchema),
    balance: optional(BalanceSchema),
  },
  closed,
);
export type Connector = Static<typeof Connector>;

/** The most that a declaration may take as JSON. */
export const CONNECTOR_BYTES_AT_MOST = 32 * 1024;
