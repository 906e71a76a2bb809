// Checks the templates of a declaration: names, conditions, URLs, headers and bodies.
import type { Sentence } from "../../platform/http/refusals.ts";
import type { Connector, Pair, RequestTemplate } from "./connector.ts";
import { BadTemplate, namesIn, parseTemplate, type TemplateNode } from "./templates.ts";

/** Receives a problem at a place such as `send.query[0].value`. */
export type Report = (path: string, message: Sentence) => void;

/** The names that a template may use: the fields of the connector and, in some places, those of a message. */
export type Names = {
  readonly fields: ReadonlySet<string>;
  readonly addresses: ReadonlySet<string>;
  readonly secrets: ReadonlySet<string>;
  readonly others: ReadonlySet<string>;
};

/** Checks a template and returns its nodes; none if it is not valid. */
export function checkTemplate(
  path: string,
  template: string,
  { fields, others }: Names,
  report: Report,
): readonly TemplateNode[] {
  try {
    const nodes = parseTemplate(template);
    for (const name of new Set(namesIn(nodes))) {
      if (!fields.has(name) && !others.has(name)) report(path, unknownName(name));
    }
    return nodes;
  } catch (error) {
    if (!(error instanceof BadTemplate)) throw error;
    report(path, error.sentence);
    return [];
  }
}

function unknownName(name: string): Sentence {
  return {
    fr: `utilise {{${name}}}, qui n’est ni un champ du connecteur ni un paramètre connu à cet endroit`,
    en: `uses {{${name}}}, which is neither a field of the connector nor a placeholder known in this place`,
  };
}

function checkWhen(path: string, when: string | undefined, { fields, others }: Names, report: Report): void {
  const name = when?.replace(/^!/, "");
  if (name === undefined || fields.has(name) || others.has(name)) return;
  report(path, {
    fr: `n’est pas une condition connue : ${name}`,
    en: `is not a known condition: ${name}`,
  });
}

function checkPairs(path: string, pairs: readonly Pair[] | undefined, names: Names, report: Report): void {
  for (const [at, { value, when }] of (pairs ?? []).entries()) {
    checkTemplate(`${path}[${at}].value`, value, names, report);
    checkWhen(`${path}[${at}].when`, when, names, report);
  }
}

/** Headers that belong to the connection or to the framing of the body (RFC 9110, 7.6.1; RFC 9112, 6). */
const OUR_HEADERS = new Set([
  ...["host", "content-length", "connection", "transfer-encoding", "keep-alive", "upgrade", "te", "trailer"],
  ...["expect", "proxy-authorization", "proxy-connection", "accept-encoding"],
]);

/** Checks the name of a header that a request sets. */
function checkHeaderName(path: string, name: string, report: Report): void {
  if (OUR_HEADERS.has(name.toLowerCase()))
    report(path, { fr: `est fixé par Atumpan : ${name}`, en: `is set by Atumpan: ${name}` });
}

function checkHeaders(
  path: string,
  headers: readonly Pair[] | undefined,
  names: Names,
  report: Report,
): void {
  checkPairs(path, headers, names, report);
  for (const [at, { name }] of (headers ?? []).entries())
    checkHeaderName(`${path}[${at}].name`, name, report);
}

/** Checks a request. */
export function checkRequest(path: string, request: RequestTemplate, names: Names, report: Report): void {
  const { method, url, query, headers, body } = request;
  checkUrl(`${path}.url`, url, names, report);
  checkPairs(`${path}.query`, query, names, report);
  checkHeaders(`${path}.headers`, headers, names, report);
  if (body === undefined) return;
  if (method === "GET")
    report(`${path}.body`, { fr: "n’est pas possible avec GET", en: "is not possible with GET" });
  if (body.kind === "form") checkPairs(`${path}.body.fields`, body.fields, names, report);
  else if (body.kind === "json") checkJson(`${path}.body.value`, body.value, names, report);
  else checkTemplate(`${path}.body.value`, body.value, names, report);
}

/** Checks how a connector identifies itself. Only fields are known there. */
export function checkAuth(auth: Connector["auth"], names: Names, report: Report): void {
  switch (auth.kind) {
    case "none":
      return;
    case "basic":
      checkTemplate("auth.username", auth.username, names, report);
      checkTemplate("auth.password", auth.password, names, report);
      return;
    case "header":
      checkHeaderName("auth.name", auth.name, report);
      checkTemplate("auth.value", auth.value, names, report);
      return;
    case "oauth2":
      checkUrl("auth.url", auth.url, names, report);
      if (isPlain(auth.url))
        report("auth.url", { fr: "doit commencer par https://", en: "must start with https://" });
      for (const member of ["clientId", "clientSecret", "scope"] as const)
        checkTemplate(`auth.${member}`, auth[member] ?? "", names, report);
      checkPairs("auth.query", auth.query, names, report);
      checkHeaders("auth.headers", auth.headers, names, report);
  }
}

const AUTHORITY_END = /[/?#\\]/;

/** Whether a URL sends secrets without TLS to a host that is written in the declaration. */
function isPlain(url: string): boolean {
  const host = /^http:\/\/([^/?#]*)/i.exec(url)?.[1];
  return host !== undefined && !host.includes("{{");
}

/**
 * A URL begins with a constant scheme or with a field whose value is an address. Its host may contain fields, but
 * nothing of a message: otherwise a text or a sender name could choose where secrets go.
 */
function checkUrl(path: string, url: string, names: Names, report: Report): void {
  const nodes = checkTemplate(path, url, names, report);
  const [first, ...rest] = nodes;
  const scheme = first?.kind === "text" ? /^https?:\/\//i.exec(first.text)?.[0] : undefined;
  if (first?.kind === "value" && names.secrets.has(first.name)) report(path, SECRET_HOST);
  if (first?.kind === "value" && names.addresses.has(first.name)) {
    checkAfterAddress(path, rest, report);
  } else if (first?.kind === "text" && scheme !== undefined) {
    checkAuthority(path, [{ kind: "text", text: first.text.slice(scheme.length) }, ...rest], names, report);
  } else {
    report(path, {
      fr: "doit commencer par https://, http:// ou un champ de format « url »",
      en: "must start with https://, http:// or a field with the format “url”",
    });
  }
  checkConstants(path, nodes, report);
}

function checkAfterAddress(path: string, rest: readonly TemplateNode[], report: Report): void {
  const [next] = rest;
  if (next !== undefined && !(next.kind === "text" && /^[/?]/.test(next.text)))
    report(path, {
      fr: "doit avoir / ou ? après l’adresse",
      en: "must have / or ? after the address",
    });
}

/** Hosts are stored in clear, shown and logged. */
const SECRET_HOST: Sentence = {
  fr: "a un nom d’hôte qui contient un champ secret, alors qu’il est affiché et journalisé",
  en: "has a host name with a secret field, although host names are shown and logged",
};

function checkAuthority(path: string, nodes: readonly TemplateNode[], names: Names, report: Report): void {
  for (const node of nodes) {
    const end = node.kind === "text" ? node.text.search(AUTHORITY_END) : -1;
    const isOfFields = node.kind === "value" && names.fields.has(node.name);
    if (node.kind === "text" && (end < 0 ? node.text : node.text.slice(0, end)).includes("@"))
      report(path, {
        fr: "ne doit pas contenir d’identifiants avant @",
        en: "must not contain credentials before @",
      });
    if (node.kind === "value" && names.secrets.has(node.name)) report(path, SECRET_HOST);
    if (node.kind !== "text" && !isOfFields)
      report(path, {
        fr: "a un nom d’hôte qui ne vient pas seulement de champs du connecteur",
        en: "has a host name that does not come from fields of the connector only",
      });
    if (end >= 0) return;
  }
}

function checkConstants(path: string, nodes: readonly TemplateNode[], report: Report): void {
  const constants = nodes.flatMap((node) => (node.kind === "text" ? [node.text] : []));
  if (constants.some((text) => /[^\u0021-\u007e]|[#\\]/.test(text)))
    report(path, {
      fr: "contient un caractère qui n’a pas sa place dans une adresse (espace, #, \\, accent)",
      en: "contains a character that does not belong in a URL (space, #, \\, accent)",
    });
}

/** Checks a JSON body: its strings are templates, and an object with a `$` member is a condition or a number. */
function checkJson(path: string, value: unknown, names: Names, report: Report, isMember = false): void {
  if (typeof value === "string") {
    checkTemplate(path, value, names, report);
  } else if (Array.isArray(value)) {
    for (const [at, item] of value.entries()) checkJson(`${path}[${at}]`, item, names, report, true);
  } else if (typeof value === "object" && value !== null) {
    checkJsonObject(path, new Map<string, unknown>(Object.entries(value)), names, report, isMember);
  }
}

function checkJsonObject(
  path: string,
  members: ReadonlyMap<string, unknown>,
  names: Names,
  report: Report,
  isMember: boolean,
): void {
  const [when, number] = [members.get("$when"), members.get("$number")];
  const [bad] = [...members.keys()].filter((name) => name.includes("{{"));
  if (bad !== undefined)
    report(path, { fr: `a un nom de membre avec {{ : ${bad}`, en: `has a member name with {{: ${bad}` });
  if (typeof when === "string" && members.has("$value") && members.size === 2 && isMember) {
    checkWhen(`${path}.$when`, when, names, report);
    checkJson(`${path}.$value`, members.get("$value"), names, report);
  } else if (typeof number === "string" && members.size === 1) {
    checkTemplate(`${path}.$number`, number, names, report);
  } else if ([...members.keys()].some((name) => name.startsWith("$"))) {
    report(path, {
      fr: 'utilise $ autrement que {"$when", "$value"} (pour un membre ou un élément) ou {"$number"}',
      en: 'uses $ other than as {"$when", "$value"} (for a member or an element) or {"$number"}',
    });
  } else {
    for (const [name, member] of members) checkJson(`${path}.${name}`, member, names, report, true);
  }
}
