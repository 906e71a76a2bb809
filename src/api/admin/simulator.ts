// The URLs of /v1/admin/simulator.
import { type Static, Type } from "typebox";
import { NotTaken } from "../../delivery/simulator/operator.ts";
import { noteReading } from "../../delivery/simulator/readings.ts";
import { InboxMessage, Reply } from "../../delivery/simulator/shapes.ts";
import { runningSimulator } from "../../delivery/simulator/simulator.ts";
import { adminWho } from "../../identity/admins/callers.ts";
import { note } from "../../identity/audit/audit.ts";
import { member } from "../../platform/http/meanings.ts";
import { BODY, Refusal } from "../../platform/http/refusals.ts";
import { route } from "../../platform/http/routes.ts";
import { Phone, patterned } from "../../platform/http/schemas.ts";
import { maskPhone, requirePhone } from "../../protocol/sms/phone.ts";

const INBOX_AT_MOST = 100_000;

const InboxBody = Type.Object({
  phone: Type.Optional(Phone),
  limit: Type.Integer({ minimum: 1, maximum: INBOX_AT_MOST, default: 100 }),
});

export const inbox = route("/v1/admin/simulator/inbox", {
  title: { fr: "Lire les messages des téléphones simulés", en: "Read the inbox of simulated phones" },
  says: {
    fr: "Liste les messages reçus par les téléphones simulés, du plus récent au plus ancien.",
    en: "Lists the messages that simulated phones received, newest first.",
  },
  body: InboxBody,
  reads: true,
  caller: adminWho("govern"),
  answers: Type.Array(InboxMessage),
  refuses: ["not-found", "invalid-phone-number"],
  audit: {
    fr: "a lu les messages des téléphones simulés",
    en: "read the messages of the simulated handsets",
  },
  async run(app, caller, { phone, limit }: Static<typeof InboxBody>) {
    const to = phone === undefined ? undefined : requirePhone(phone, "phone");
    const messages = await runningSimulator(app).inbox({ phone: to, limit });
    await noteReading(app, caller, to, messages.length);
    return messages;
  },
});

const ADDRESS = {
  fr: "doit contenir uniquement des lettres latines ou grecques, des chiffres et des signes de GSM-7",
  en: "must contain only Latin or Greek letters, digits and GSM-7 signs",
};

const NOT_TAKEN = {
  fr: "aucune liaison avec l’opérateur simulé n’a accepté le message ; réessayez lorsque son état est BOUND",
  en: "no bind with the simulated operator accepted the message; try again once its state is BOUND",
};

export const reply = route("/v1/admin/simulator/reply", {
  title: { fr: "Répondre depuis un téléphone simulé", en: "Reply from a simulated phone" },
  says: {
    fr: "Envoie un message d’un téléphone simulé à un expéditeur ou à un numéro court.",
    en: "Sends a message from a simulated phone to a sender or a short code.",
  },
  body: Type.Object({
    from: member(Phone, {
      fr: "Numéro du téléphone qui écrit",
      en: "Number of the phone that sends the message",
    }),
    // A destination_addr of SMPP 3.4, section 5.2.9, that can be typed on a keyboard.
    to: member(patterned("^[ -~\u00a1-\u00ffΓΔΘΛΞΠΣΦΨΩ]*$", ADDRESS, { minLength: 1, maxLength: 20 }), {
      fr: "Nom d’expéditeur ou numéro court auquel le téléphone écrit",
      en: "Sender name or short code that the phone writes to",
    }),
    text: member(Type.String({ minLength: 1, maxLength: 1_000 }), {
      fr: "Texte écrit par le téléphone",
      en: "Text that the phone sends",
    }),
  }),
  actsOutside: true,
  caller: adminWho("govern"),
  answers: Reply,
  refuses: ["not-found", "invalid-phone-number"],
  example: { from: "2250102030405", to: "ATUMPAN", text: "Merci" },
  audit: { fr: "a répondu depuis un téléphone simulé", en: "replied from a simulated handset" },
  async run(app, caller, { from, to, text }) {
    const handset = requirePhone(from, "from");
    await runningSimulator(app)
      .reply({ from: handset, to, text })
      .catch((error: Error) => {
        throw error instanceof NotTaken
          ? new Refusal("service-unavailable", { details: [{ field: BODY, message: NOT_TAKEN }] })
          : error;
      });
    const on = { kind: "handset", id: maskPhone(handset) };
    await note(app, { acter: caller, on, before: null, after: { to } });
    return { delivered: true };
  },
});
