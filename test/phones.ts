// Operators that are phones, with simulated phones.
import { type PhoneOptions, SimulatedPhone } from "../src/delivery/simulator/phone.ts";
import { createCarrier } from "./httpprovider.ts";
import { ableIs } from "./operators.ts";
import { rows, type Scope } from "./sending.ts";
import { type Company, type TestService, until } from "./testservice.ts";

/** What creates a phone as an operator. */
export const phoneOperator = (prefix: string, more: object = {}) => ({
  kind: "phone",
  prefixes: [prefix],
  secondsPerMessage: 1,
  ...more,
});

/** Opens a pairing, and returns what its phone needs. */
export const pairingOf = async (here: TestService, id: string) =>
  (await here.admin(`/v1/admin/operator/${id}/pair`)).data;

/** Reads an operator. */
export const operatorOf = async (here: TestService, id: string) =>
  (await here.admin(`/v1/admin/operator/${id}`)).data;

/** Waits until a session other than `before` is refused, because of a pairing or a cap. Returns it. */
export async function refusedSession(here: TestService, id: string, before: string): Promise<string> {
  let session = "";
  await until(async () => {
    const [bind] = await rows(
      here.app,
      "SELECT session_id, state FROM operator_binds WHERE operator_id = $1",
      [id],
    );
    session = bind?.session_id ?? before;
    return bind?.state === "REFUSED" && session !== before;
  });
  return session;
}

/** Creates an operator with a phone that is paired and listens. */
export async function paired(
  t: Scope,
  here: TestService,
  operator: object,
  options: Partial<PhoneOptions> = {},
): Promise<{ id: string; phone: SimulatedPhone }> {
  const id = await createCarrier(here, operator, false);
  const before = await refusedSession(here, id, "");
  const { apiUrl, privateToken } = await pairingOf(here, id);
  await refusedSession(here, id, before);
  const phone = new SimulatedPhone({ apiUrl, privateToken, ...options });
  await phone.register();
  phone.start();
  t.after(() => phone.stop());
  await ableIs(here, id, true);
  return { id, phone };
}

/** Reads the first message of a campaign. */
export async function messageOf(company: Company, campaign: string) {
  return (await company.call(`/v1/campaign/${campaign}/messages`, { limit: 1 })).data[0];
}

/** Waits until the first message of a campaign has a status. */
export const statusIs = (company: Company, campaign: string, status: string) =>
  until(async () => (await messageOf(company, campaign)).status === status, 30_000);
