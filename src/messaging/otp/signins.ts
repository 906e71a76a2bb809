// Sign-in by code: who requests a code, how often, and responses that do not reveal which phones are known.
import { setTimeout as wait } from "node:timers/promises";
import { type Network, networksOf } from "../../platform/http/networks.ts";
import { networkOf } from "../../platform/limits/rates.ts";
import { SharedRates } from "../../platform/limits/sharedrates.ts";
import { perRuntime, type Runtime } from "../../platform/runtime.ts";
import type { SignInPlace } from "./codes.ts";

const TEN_MINUTES = 600;
const DAY = 24 * 3_600;

const rates = perRuntime((app) => {
  const { signInsPerTenMinutes, signInGuessesPerTenMinutes, secondsBetweenSignIns } = app.config.limits;
  const { signInsPerTenMinutesOfNetwork, signInsPerPhone } = app.config.limits;
  const { signInsPerPhoneOfUnknown, signInPhonesPerCompany } = app.config.limits;
  /** A rate that allows `burst` requests at once, then as many again in `seconds`. */
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
 * The requester of a code to a phone: a browser in which its owner has signed in before, or an unauthenticated caller,
 * identified by network (a /24, or a /48 of IPv6). Requests and guesses of one asker never count against another. Each
 * `place` of sign-in has its own limits, so that unauthenticated callers at one cannot block the others.
 */
export type Asker = { place: SignInPlace; name: string; isKnown: boolean; address: string; network: Network };

/** Returns the asker at an address; `browser` is the id of a browser known for the phone. */
export function askerAt(app: Runtime, place: SignInPlace, ip: string, browser?: string): Asker {
  const [address, network] = [networkOf(ip), networksOf(app).of(ip)];
  if (browser !== undefined) return { place, name: `browser ${browser}`, isKnown: true, address, network };
  return { place, name: `network ${network ?? address}`, isKnown: false, address, network };
}

/** Counts a request for a code; returns the seconds to wait if a limit is reached. */
export async function takeSignIn(
  app: Runtime,
  { place, name, isKnown, address, network }: Asker,
  phone: string,
): Promise<number> {
  const { ofAddress, ofNetwork, ofAsker, ofAskerInADay } = rates(app);
  const own = `${place} ${name} ${phone}`;
  // One after the other, so that a refusal by one limit does not count toward the next.
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
 * Counts a code that an unauthenticated caller requests for a phone. Half of the daily number is reserved for networks
 * that have not requested a code for this phone yet, so that a few networks cannot lock its owner out in a new browser.
 */
async function takeOfUnauthenticated(app: Runtime, own: string, phone: string): Promise<number> {
  const { firstOfNetwork, ofUnauthenticated, ofUnauthenticatedAgain } = rates(app);
  const isFirst = (await firstOfNetwork.take(own)) === 0;
  return (isFirst ? 0 : await ofUnauthenticatedAgain.take(phone)) || ofUnauthenticated.take(phone);
}

/**
 * Counts a phone of a company for which an unauthenticated caller requests a code; false if the company has had too
 * many of them. The service pays, and a company chooses the phones of its members: without this limit it could have any
 * number messaged.
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

/** Counts a guess at a code; returns the seconds to wait if a limit is reached. */
export async function takeSignInGuess(app: Runtime, { name, isKnown, address }: Asker): Promise<number> {
  return rates(app).guesses.take(isKnown ? name : address);
}

/** Responds after a fixed time, or later if the work takes longer: the time must not reveal which phones are known. */
export async function noSooner<Answer>(app: Runtime, work: () => Promise<Answer>): Promise<Answer> {
  const [answer] = await Promise.all([work(), wait(app.config.settings.signInAnswerMs)]);
  return answer;
}
