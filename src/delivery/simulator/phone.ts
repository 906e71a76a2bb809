// A simulated phone: it does what the app SMSGate does with a private server, by the app's documented interface.

/** What becomes of a message; `kept`: the app has it and reports nothing. */
type PhoneOutcome = "delivered" | "sent" | "lost" | "refused" | "no-network" | "kept";

export type PhoneOptions = {
  /** “API URL” and “Private token” of the app. */
  apiUrl: string;
  privateToken: string;
  name?: string;
  /** Chooses what happens to a message; by default the last four digits of its number do. */
  outcomeOf?: (to: string) => PhoneOutcome;
  /** Hears of each SMS that it sends. */
  onSent?: (sms: Sms) => void;
};

export type Sms = { id: string; to: string; text: string };

type Fetched = { id: string; textMessage: { text: string }; phoneNumbers: string[] };
type Report = { id: string; state: string; recipients: object[]; states: object };
type Webhook = { id: string; url: string; event: string };

const BY_LAST_DIGITS: Readonly<Record<string, PhoneOutcome>> = {
  "0001": "refused",
  "0002": "lost",
  "0003": "sent",
  "0004": "no-network",
  "0005": "kept",
};

/** The states that the app reports, one after another, and the error of a failure. */
const STATES: Readonly<Record<PhoneOutcome, readonly string[]>> = {
  delivered: ["Processed", "Sent", "Delivered"],
  sent: ["Processed", "Sent"],
  lost: ["Processed", "Sent", "Failed"],
  refused: ["Processed", "Failed"],
  "no-network": ["Processed", "Failed"],
  kept: ["Pending"],
};
const ERRORS: Readonly<Partial<Record<PhoneOutcome, string>>> = {
  lost: "Delivery result from SC +2250700000: 69",
  refused: "Send result: RESULT_ERROR_GENERIC_FAILURE (Generic failure cause)",
  "no-network": "Send result: RESULT_ERROR_NO_SERVICE (Failed because service is currently unavailable)",
};
const RECONNECT_MS = 1_000;
const MESSAGES_AT_MOST = 100_000;

/** A status that the app does not expect. */
export class PhoneRefused extends Error {
  override readonly name = "PhoneRefused";
  readonly status: number;
  constructor(status: number) {
    super(`HTTP status ${status}`);
    this.status = status;
  }
}

export class SimulatedPhone {
  /** The SMS that it sent, the oldest first. */
  readonly sent: Sms[] = [];
  readonly #options: PhoneOptions;
  /** What it reported last on each message: the app sends an id once. */
  readonly #known = new Map<string, Report>();
  #token = "";
  #webhooks: Webhook[] = [];
  #stopping = new AbortController();
  #listening: Promise<void> = Promise.resolve();
  #pulling: Promise<void> | undefined;

  constructor(options: PhoneOptions) {
    this.#options = options;
  }

  stats(): object {
    return { sent: this.sent.length, known: this.#known.size };
  }

  /** Pairs with the service. Throws `PhoneRefused`. */
  async register(): Promise<void> {
    const { privateToken, name = "simulated/phone" } = this.#options;
    const body = { name, pushToken: null, simCards: [{ slotIndex: 0, simNumber: 1 }] };
    const { token } = (await this.#call("POST", "/device", body, privateToken)) as { token: string };
    this.#token = token;
  }

  /** Listens to the service, and fetches messages whenever it says so. */
  start(): void {
    this.#stopping = new AbortController();
    this.#listening = this.#listen(this.#stopping.signal);
  }

  /** Goes away without a word, as a phone without a battery does. */
  async stop(): Promise<void> {
    this.#stopping.abort();
    await this.#listening;
    await this.#pulling;
  }

  async #listen(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      try {
        const headers = { Authorization: `Bearer ${this.#token}` };
        const response = await fetch(`${this.#options.apiUrl}/events`, { headers, signal });
        if (!response.ok) throw new PhoneRefused(response.status);
        await this.pull();
        for await (const text of response.body?.pipeThrough(new TextDecoderStream()) ?? [])
          for (const [, event = ""] of text.matchAll(/^event: (\w+)$/gm)) await this.#on(event);
      } catch (error) {
        if (error instanceof PhoneRefused && error.status === 401) return;
      }
      const { promise, resolve } = Promise.withResolvers<void>();
      const timer = setTimeout(resolve, signal.aborted ? 0 : RECONNECT_MS);
      signal.addEventListener("abort", () => resolve(), { once: true });
      await promise;
      clearTimeout(timer);
    }
  }

  async #on(event: string): Promise<void> {
    if (event === "MessageEnqueued") await this.pull();
    if (event === "WebhooksUpdated") await this.readWebhooks();
  }

  async readWebhooks(): Promise<void> {
    this.#webhooks = (await this.#call("GET", "/webhooks")) as Webhook[];
  }

  /** Reads the settings that the service gives. */
  readSettings(): Promise<unknown> {
    return this.#call("GET", "/settings");
  }

  /** Fetches the messages and sends them. */
  async pull(): Promise<void> {
    this.#pulling ??= this.#pull().finally(() => {
      this.#pulling = undefined;
    });
    await this.#pulling;
  }

  async #pull(): Promise<void> {
    for (const message of (await this.#call("GET", "/message?order=fifo")) as Fetched[]) {
      const known = this.#known.get(message.id);
      if (known) await this.#report(known);
      else if (this.#known.size < MESSAGES_AT_MOST) await this.#send(message);
    }
  }

  async #send({ id, textMessage: { text }, phoneNumbers: [to = ""] }: Fetched): Promise<void> {
    const { outcomeOf = (number: string) => BY_LAST_DIGITS[number.slice(-4)] ?? "delivered" } = this.#options;
    const outcome = outcomeOf(to);
    for (const state of STATES[outcome]) {
      if (state === "Sent") {
        this.sent.push({ id, to, text });
        this.#options.onSent?.({ id, to, text });
      }
      const error = state === "Failed" ? ERRORS[outcome] : null;
      const report = { id, state, recipients: [{ phoneNumber: to, state, error }], states: {} };
      this.#known.set(id, report);
      await this.#report(report);
    }
  }

  /** Reports a state of a message that it has. */
  async reportAs(id: string, state: string): Promise<void> {
    await this.#report({ id, state, recipients: [], states: {} });
  }

  async #report(report: Report): Promise<void> {
    await this.#call("PATCH", "/message", [report]);
  }

  /** The SIM card gets a message. The app repeats an event under its `id`. */
  receive(from: string, text: string, id?: string): Promise<void> {
    const messageId = `in-${from}`;
    const payload = {
      messageId,
      sender: from,
      recipient: null,
      simNumber: 1,
      message: text,
      phoneNumber: from,
    };
    return this.#emit("sms:received", payload, id);
  }

  /** Reports its health, as the app does at intervals. */
  ping(battery: number, { charging = 0, transport = 4, cellular = 0 } = {}): Promise<void> {
    const of = (observedValue: number) => ({
      status: "pass",
      observedValue,
      observedUnit: "",
      description: "",
    });
    const checks = {
      "battery:level": of(battery),
      "battery:charging": of(charging),
      "connection:transport": of(transport),
      "connection:cellular": of(cellular),
    };
    return this.#emit("system:ping", { health: { status: "pass", checks } });
  }

  async #emit(event: string, payload: object, eventId?: string): Promise<void> {
    for (const webhook of this.#webhooks.filter((one) => one.event === event)) {
      const id = eventId ?? `${webhook.id}-${Math.random()}`;
      const body = JSON.stringify({ id, webhookId: webhook.id, event, deviceId: "simulated", payload });
      const headers = { "Content-Type": "application/json" };
      const response = await fetch(webhook.url, { method: "POST", headers, body });
      if (!response.ok) throw new PhoneRefused(response.status);
    }
  }

  async #call(method: string, path: string, body?: object, token = this.#token): Promise<unknown> {
    const response = await fetch(this.#options.apiUrl + path, {
      method,
      headers: { Authorization: `Bearer ${token}`, ...(body && { "Content-Type": "application/json" }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new PhoneRefused(response.status);
    const text = await response.text();
    return text === "" ? undefined : JSON.parse(text);
  }
}
