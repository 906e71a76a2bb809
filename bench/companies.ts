// Companies for the measurements: with credits, connected to an application, and with contacts.
import { phoneOf } from "./messages.ts";

/** Asks the service, with the administrator's key unless the body has other credentials. */
export type Call = <Data>(path: string, body: object) => Promise<Data>;

export type Company = { companyId: string; apiKey: string };

/** A company with the contacts of `count` phones from number `first` on. */
export type Book = Company & { first: number; count: number };

const CREDITS = 1_000_000_000;

/** Makes a company that is rich in credits. */
export async function makeCompany(call: Call, name: string): Promise<Company> {
  const { companyId, apiKey } = await call<Company>("/v1/admin/company/create", { name });
  await call("/v1/admin/credit/grant", { companyId, credit: CREDITS, reason: "bench" });
  return { companyId, apiKey };
}

/** Makes an approved application of the company. Returns its secret. */
export async function makeApplication(call: Call, owner: Company): Promise<string> {
  const about = { name: "Bench", slug: "bench", description: "Bench" };
  const { id } = await call<{ id: string }>("/v1/third-party-app/submit", { ...owner, ...about });
  await call(`/v1/admin/third-party-app/${id}/approve`, {});
  const path = `/v1/third-party-app/my/${id}/regenerate-secret`;
  return (await call<{ apiSecret: string }>(path, owner)).apiSecret;
}

/** Connects a company, with a sender of its own, to the application. Returns the token of the connection. */
export async function connect(call: Call, apiSecret: string, company: Company): Promise<string> {
  const { companyId, apiKey } = company;
  const sender = await call<{ id: string }>("/v1/sender/create", {
    ...company,
    name: "BENCH",
    description: "Bench",
  });
  // Every company of a bench asks for the same name, and a look-alike is accepted only with a reason.
  await call(`/v1/admin/sender/${sender.id}/accept`, { reason: "The same bench" });
  const { connectionToken } = await call<{ connectionToken: string }>("/v1/third-party-app/provision", {
    apiSecret,
    externalAccountId: companyId,
    target: "company",
    companyApiKey: apiKey,
    companyId,
    defaultSenderId: sender.id,
  });
  return connectionToken;
}

/** Makes as many companies, each with a book of `size` contacts, whose phones begin at number `first`. */
export async function makeBooks(call: Call, companies: number, size: number, first: number): Promise<Book[]> {
  const books: Book[] = [];
  for (let i = 0; i < companies; i++) {
    const company = await makeCompany(call, `Company ${i}`);
    const book = { ...company, first: first + i * size, count: size };
    const contacts = Array.from({ length: size }, (_, n) => phoneOf(book.first + n));
    await call("/v1/contact/create", { ...company, contacts });
    books.push(book);
  }
  return books;
}
