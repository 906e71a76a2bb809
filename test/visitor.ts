// A visitor for tests of pages: a browser without a screen, which keeps its cookie and sends the forms that it was
// shown.
import assert from "node:assert/strict";
import { application, dataOf } from "./applications.ts";
import { codeAt, codesAt, newPhone } from "./codes.ts";
import { OPEN } from "./fixtures.ts";
import { type Call, type Company, type TestService, testService } from "./testservice.ts";

export type Shown = { status: number; url: string; text: string; headers: Headers };

/** A form of a page: its address, and its fields before anything is typed. */
type Form = { action: string; method: string; fields: Record<string, string> };

const ENTITIES: Record<string, string> = {
  "&amp;": "&",
  "&lt;": "<",
  "&gt;": ">",
  "&quot;": '"',
  "&#39;": "'",
};

export function unescaped(text: string): string {
  return text.replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity]!);
}

function attribute(tag: string, name: string): string | undefined {
  const found = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1];
  return found === undefined ? undefined : unescaped(found);
}

/** The forms of a page, as a browser without a script would fill them in. */
export function formsOf(text: string): Form[] {
  return [...text.matchAll(/<form[^>]*>[\s\S]*?<\/form>/g)].map(([form]) => {
    const fields: Record<string, string> = {};
    for (const [input] of form.matchAll(/<input[^>]*>/g)) {
      const isOff = /^(radio|checkbox)$/.test(attribute(input, "type") ?? "") && !/\schecked\b/.test(input);
      if (!isOff) fields[attribute(input, "name")!] = attribute(input, "value") ?? "";
    }
    for (const [, tag, text] of form.matchAll(/(<textarea[^>]*>)\n?([\s\S]*?)<\/textarea>/g))
      fields[attribute(tag!, "name")!] = unescaped(text!);
    for (const [, tag, options] of form.matchAll(/(<select[^>]*>)([\s\S]*?)<\/select>/g)) {
      const [first = "", ...rest] = options!.match(/<option[^>]*>/g) ?? [];
      const chosen = [first, ...rest].find((option) => /\sselected\b/.test(option)) ?? first;
      fields[attribute(tag!, "name")!] = attribute(chosen, "value") ?? "";
    }
    return { action: attribute(form, "action")!, method: attribute(form, "method") ?? "get", fields };
  });
}

/** One browser. */
export class Visitor {
  readonly #origin: string;
  readonly #headers: Record<string, string>;
  /** The cookie of its session. */
  cookie: string | undefined;
  /** The cookie of a browser in which somebody has signed in. */
  known: string | undefined;
  /** The cookie of the console, for who visits the pages beside it. */
  console: string | undefined;

  constructor(here: TestService, headers: Record<string, string> = {}) {
    this.#origin = here.url;
    this.#headers = headers;
  }

  /** Opens an address and follows its redirects. */
  async open(path: string, init: RequestInit = {}): Promise<Shown> {
    let url = new URL(path, this.#origin).href;
    let request = init;
    for (let hops = 0; hops < 5; hops++) {
      const cookies = [this.cookie, this.known, this.console].filter((cookie) => cookie !== undefined);
      const Cookie = cookies.join("; ");
      const headers = { ...this.#headers, ...(Cookie && { Cookie }), ...request.headers };
      const response = await fetch(url, { ...request, headers, redirect: "manual" });
      for (const set of response.headers.getSetCookie()) this.#keep(set.split(";")[0]!);
      if (response.status !== 303)
        return { status: response.status, url, text: await response.text(), headers: response.headers };
      url = new URL(response.headers.get("location")!, url).href;
      request = {};
    }
    return assert.fail(`${url} leads round in circles`);
  }

  #keep(cookie: string): void {
    if (/^(__Host-)?atumpan_known=/.test(cookie)) this.known = cookie;
    else this.cookie = cookie;
  }

  /** Sends the form of a page that goes to `action`. `typed` replaces fields of the form. */
  send(page: Shown, action: string, typed: Record<string, string> = {}, more: object = {}): Promise<Shown> {
    const form = formsOf(page.text).find((one) => one.action === action);
    assert.ok(form, `no form goes to ${action} in ${page.text}`);
    const body = new URLSearchParams({ ...form.fields, ...typed });
    if (form.method === "get") return this.open(`${action}?${body}`);
    return this.open(action, { method: "POST", body, headers: { ...more } });
  }

  /** Signs in to the console with a phone. */
  async signInToConsole(here: TestService, phone: string): Promise<Shown> {
    const before = codesAt(here, phone).length;
    const asked = await this.send(await this.open("/sign-in"), "/sign-in", { phone: `+${phone}` });
    return this.send(asked, "/sign-in/code", { otp: await codeAt(here, phone, before + 1) });
  }

  /** Signs in with a phone, from the page that asks for it. */
  async signIn(here: TestService, page: Shown, phone: string): Promise<Shown> {
    const before = codesAt(here, phone).length;
    const asked = await this.send(page, "/pair/phone", { phone: `+${phone}` });
    return this.send(asked, "/pair/otp", { otp: await codeAt(here, phone, before + 1) });
  }
}

/** A pairing that waits, and a company whose owner has a phone. */
export async function waitingPairing(here: TestService, options: { credits?: number; phone?: string } = {}) {
  const { phone = newPhone() } = options;
  const app = await application(here);
  const company = await ownedCompany(here, phone, options);
  const { universalLink } = await dataOf(
    app.call("/v1/third-party-app/pairing/initiate", { externalAccountId: "client" }),
  );
  const status = async () =>
    (await dataOf(app.call("/v1/third-party-app/pairing/status", { externalAccountId: "client" }))).status;
  return { app, phone, company, link: universalLink as string, status };
}

/** A company whose owner has a phone. */
export async function ownedCompany(
  here: TestService,
  phone: string,
  options: { credits?: number; name?: string } = {},
): Promise<Company> {
  const { name = "Boutique Awa", credits = 100 } = options;
  const made = await dataOf(here.admin("/v1/admin/company/create", { name, ownerPhone: phone }));
  const { userId, companyId, apiKey } = made as Omit<Company, "call">;
  if (credits > 0)
    await dataOf(here.admin("/v1/admin/credit/grant", { companyId, credit: credits, reason: "test" }));
  const call: Call = (path, body = {}) => here.call(path, { apiKey, companyId, ...(body as object) });
  return { userId, companyId, apiKey, call };
}

/** Starts a test service with a new company whose owner is signed in to the console. */
export async function signedInOwner(
  scope: Parameters<typeof testService>[0],
  options: Parameters<typeof ownedCompany>[2] = {},
): Promise<{ w: TestService; company: Company; owner: Visitor }> {
  const w = await testService(scope, OPEN);
  const phone = newPhone();
  const company = await ownedCompany(w, phone, options);
  const owner = new Visitor(w);
  await owner.signInToConsole(w, phone);
  return { w, company, owner };
}
