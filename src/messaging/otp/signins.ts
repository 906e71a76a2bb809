// Signing in by a code: who asks for it, how often, and answers that do not tell whose phone is known.
import { setTimeout as wait } from "node:timers/promises";
import { type Network, networksOf } from "../../platform/networks.ts";
import { networkOf } from "../../platform/rates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import { SharedRates } from "../../platform/sharedrates.ts";
import type { SignInPlace } from "./codes.ts";

const TEN_MINUTES = 600;
const DAY = 24 * 3_600;

const rates = perRuntime((app) => {
  const { signInsPerTenMinutes, signInGuessesPerTenMinutes, secondsBetweenSignIns } = app.config.limits;
  const { signInsPerTenMinutesOfNetwork, signInsPerPhone } = app.config.limits;
  const { signInsPerPhoneOfUnknown, signInPhonesPerCompany } = app.config.limits;
  /** So many at once, then so many in this time. */
  const rate = (of: string, burst: number, seconds: number) =>
    new SharedRates(app, { name: `sign-ins: ${of}`, perSecond: burst / seconds, burst });
  return {
    ofAddress: rate("of an address", signInsPerTenMinutes, TEN_MINUTES),
    ofNetwork: rate("of a network", signInsPerTenMinutesOfNetwork, TEN_MINUTES),
    guesses: rate("guesses", signInGuessesPerTenMinutes, TEN_MINUTES),
    ofAsker: rate("of an asker", 1, secondsBetweenSignIns),
    ofAskerInADay: rate("of an asker in a day", signInsPerPhone, DAY),
    firstOfNetwork: rate("the first of a network", 1, DAY),
    ofUnauthenticated: rate("of strangers", signInsPerPhoneOfUnknown, DAY),
    ofUnauthenticatedAgain: rate("of strangers again", signInsPerPhoneOfUnknown / 2, DAY),
    firstOfPhone: rate("the first of a phone", 1, DAY),
    phonesOfCompany: rate("phones of a company", signInPhonesPerCompany, DAY),
  };
});

/**
 * Who asks for a code to a phone: a browser in which its owner has signed in before, or an unauthenticated caller, who is
 * known by the network (a /24, or a /48 of IPv6). What one of them asks and guesses never counts against another. `place`
 * is where to sign in: each place has limits of its own, so that unauthenticated callers at one do not close the other.
 */
export type Asker = { place: SignInPlace; name: string; isKnown: boolean; address: string; network: Network };

/** The asker at an address; `browser` is the id of one that is known for the phone. */
export function askerAt(app: Runtime, place: SignInPlace, ip: string, browser?: string): Asker {
  const [address, network] = [networkOf(ip), networksOf(app).of(ip)];
  if (browser !== undefined) return { place, name: `browser ${browser}`, isKnown: true, address, network };
  return { place, name: `network ${network ?? address}`, isKnown: false, address, network };
}

/** Counts a request for a code; the seconds to wait where a limit is reached. */
export async function takeSignIn(
  app: Runtime,
  { place, name, isKnown, address, network }: Asker,
  phone: string,
): Promise<number> {
  const { ofAddress, ofNetwork, ofAsker, ofAskerInADay } = rates(app);
  const own = `${place} ${name} ${phone}`;
  // One after the other: a refusal by one limit does not count against the next.
  if (!isKnown) {
    // Each code costs the service an SMS, and a network has many addresses and may name many phones.
    const waitSeconds =
      (await ofAddress.take(address)) || (network === undefined ? 0 : await ofNetwork.take(network));
    if (waitSeconds > 0) return waitSeconds;
  }
  return (
    (await ofAsker.take(own)) ||
    (await ofAskerInADay.take(own)) ||
    (isKnown ? 0 : takeOfUnauthenticated(app, own, `${place} ${phone}`))
  );
}

/**
 * Counts a code that an unauthenticated caller wants sent to a phone. Half of those of a day are kept for networks that
 * have not asked for this phone yet, so that a few networks cannot keep its owner out in a new browser.
 */
async function takeOfUnauthenticated(app: Runtime, own: string, phone: string): Promise<number> {
  const { firstOfNetwork, ofUnauthenticated, ofUnauthenticatedAgain } = rates(app);
  const isFirst = (await firstOfNetwork.take(own)) === 0;
  return (isFirst ? 0 : await ofUnauthenticatedAgain.take(phone)) || ofUnauthenticated.take(phone);
}

/**
 * Counts a phone of a company that an unauthenticated caller wants a code for; false where the company has had too many
 * of them. The service pays, and a company names the phones of its members as it likes: without this it could have any
 * number rung.
 */
export async function takeSignInPhone(
  app: Runtime,
  { isKnown }: Asker,
  companyId: string,
  phone: string,
): Promise<boolean> {
  const { firstOfPhone, phonesOfCompany } = rates(app);
  const own = `${companyId} ${phone}`;
  if (isKnown || (await firstOfPhone.take(own)) > 0) return true;
  if ((await phonesOfCompany.take(companyId)) === 0) return true;
  firstOfPhone.giveBack(own);
  return false;
}

/** Counts a guess at a code; the seconds to wait where a limit is reached. */
export async function takeSignInGuess(app: Runtime, { name, isKnown, address }: Asker): Promise<number> {
  return rates(app).guesses.take(isKnown ? name : address);
}

/** Answers after a fixed time, unless the work itself takes longer: the time does not tell whose phone is known. */
export async function noSooner<Answer>(app: Runtime, work: () => Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work(), wait(app.config.settings.signInAnswerMs)]);
  return answer;
}
