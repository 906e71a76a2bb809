// Signing in by a code: who asks for it, how often, and answers that do not tell whose phone is known.
import { setTimeout as wait } from "node:timers/promises";
import { type Network, networksOf } from "../kernel/networks.ts";
import { networkOf, Rates } from "../kernel/rates.ts";
import { perRuntime, type Runtime } from "../kernel/runtime.ts";
import type { SignInPlace } from "./codes.ts";

const TEN_MINUTES = 600;
const DAY = 24 * 3_600;

const rates = perRuntime(({ config: { limits } }) => {
  const { signInsPerTenMinutes, signInGuessesPerTenMinutes, secondsBetweenSignIns } = limits;
  const { signInsPerTenMinutesOfNetwork, signInsPerPhone } = limits;
  const { signInsPerPhoneOfStrangers, signInPhonesPerCompany } = limits;
  return {
    ofAddress: new Rates({ perSecond: signInsPerTenMinutes / TEN_MINUTES, burst: signInsPerTenMinutes }),
    ofNetwork: new Rates({
      perSecond: signInsPerTenMinutesOfNetwork / TEN_MINUTES,
      burst: signInsPerTenMinutesOfNetwork,
    }),
    guesses: new Rates({
      perSecond: signInGuessesPerTenMinutes / TEN_MINUTES,
      burst: signInGuessesPerTenMinutes,
    }),
    ofAsker: new Rates({ perSecond: 1 / secondsBetweenSignIns, burst: 1 }),
    ofAskerInADay: inADay(signInsPerPhone),
    firstOfNetwork: inADay(1),
    ofStrangers: inADay(signInsPerPhoneOfStrangers),
    ofStrangersAgain: inADay(signInsPerPhoneOfStrangers / 2),
    firstOfPhone: inADay(1),
    phonesOfCompany: inADay(signInPhonesPerCompany),
  };
});

/** So many at once, then so many in a day. */
function inADay(count: number): Rates {
  return new Rates({ perSecond: count / DAY, burst: count });
}

/**
 * Who asks for a code to a phone: a browser in which its owner has signed in before, or a stranger, who is known by the
 * network (a /24, or a /48 of IPv6). What one of them asks and guesses never counts against another. `place` is where to
 * sign in: each place has limits of its own, so that strangers at one do not close the other.
 */
export type Asker = { place: SignInPlace; name: string; isKnown: boolean; address: string; network: Network };

/** The asker at an address; `browser` is the id of one that is known for the phone. */
export function askerAt(app: Runtime, place: SignInPlace, ip: string, browser?: string): Asker {
  const [address, network] = [networkOf(ip), networksOf(app).of(ip)];
  if (browser !== undefined) return { place, name: `browser ${browser}`, isKnown: true, address, network };
  return { place, name: `network ${network ?? address}`, isKnown: false, address, network };
}

/** Counts a request for a code; the seconds to wait where a limit is reached. */
export function takeSignIn(
  app: Runtime,
  { place, name, isKnown, address, network }: Asker,
  phone: string,
): number {
  const { ofAddress, ofNetwork, ofAsker, ofAskerInADay } = rates(app);
  const own = `${place} ${name} ${phone}`;
  // One after the other: a refusal by one limit does not count against the next.
  if (!isKnown) {
    // Each code costs the service an SMS, and a network has many addresses and may name many phones.
    const waitSeconds = ofAddress.take(address) || (network === undefined ? 0 : ofNetwork.take(network));
    if (waitSeconds > 0) return waitSeconds;
  }
  return (
    ofAsker.take(own) ||
    ofAskerInADay.take(own) ||
    (isKnown ? 0 : takeOfStrangers(app, own, `${place} ${phone}`))
  );
}

/**
 * Counts a code that a stranger wants sent to a phone. Half of those of a day are kept for networks that have not asked
 * for this phone yet, so that a few networks cannot keep its owner out in a new browser.
 */
function takeOfStrangers(app: Runtime, own: string, phone: string): number {
  const { firstOfNetwork, ofStrangers, ofStrangersAgain } = rates(app);
  const isFirst = firstOfNetwork.take(own) === 0;
  return (isFirst ? 0 : ofStrangersAgain.take(phone)) || ofStrangers.take(phone);
}

/**
 * Counts a phone of a company that a stranger wants a code for; false where the company has had too many of them. The
 * service pays, and a company names the phones of its members as it likes: without this it could have any number rung.
 */
export function takeSignInPhone(app: Runtime, { isKnown }: Asker, companyId: string, phone: string): boolean {
  const { firstOfPhone, phonesOfCompany } = rates(app);
  const own = `${companyId} ${phone}`;
  if (isKnown || firstOfPhone.waitOf(own) > 0) return true;
  if (phonesOfCompany.take(companyId) > 0) return false;
  firstOfPhone.take(own);
  return true;
}

/** Counts a guess at a code; the seconds to wait where a limit is reached. */
export function takeSignInGuess(app: Runtime, { name, isKnown, address }: Asker): number {
  return rates(app).guesses.take(isKnown ? name : address);
}

/** Answers after a fixed time, unless the work itself takes longer: the time does not tell whose phone is known. */
export async function noSooner<Answer>(app: Runtime, work: () => Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work(), wait(app.config.settings.signInAnswerMs)]);
  return answer;
}
