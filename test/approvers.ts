// A company that wants a second person to approve its campaigns, and its members.
import type { MemberRole } from "../src/identity/accounts/permissions.ts";
import { dataOf } from "./applications.ts";
import { newPhone } from "./codes.ts";
import { phones } from "./sending.ts";
import type { Company, TestService } from "./testservice.ts";

/** A member of a company, who calls with a key of their own. */
export type Person = { id: string; phone: string | null; call: Company["call"] };

/** A company with `credits` that wants approval by `rule`, its owner, and one member for each of `roles`. */
export async function approvedCompany(
  here: TestService,
  credits: number,
  { rule = {}, roles = ["approver"] }: { rule?: object; roles?: readonly MemberRole[] } = {},
): Promise<{ made: Company; owner: Person; members: Person[] }> {
  const made = await here.company({ credits });
  const members: Person[] = [];
  for (const role of roles) {
    const phone = newPhone();
    const body = { name: `${role} ${members.length}`, phone, role };
    const { id, apiKey } = await dataOf(made.call("/v1/company/member/create", body));
    members.push({ id, phone, call: (path, more = {}) => made.call(path, { ...(more as object), apiKey }) });
  }
  await dataOf(made.call("/v1/company/approval/update", { approval: "campaigns", ...rule }));
  return { made, members, owner: { id: made.userId, phone: null, call: made.call } };
}

/** Creates a campaign to `count` new phones as this person; returns the answer's data. */
export function campaignBy(by: Person, count = 3, more: object = {}) {
  return dataOf(by.call("/v1/campaign/create", { contacts: phones(count), text: "Soldes", ...more }));
}
