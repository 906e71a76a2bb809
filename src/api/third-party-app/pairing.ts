// The URLs of /v1/third-party-app/pairing.
import { Type } from "typebox";
import { applicationCaller } from "../../commerce/apps/callers.ts";
import * as notings from "../../commerce/apps/notings.ts";
import * as pairing from "../../commerce/apps/pairing.ts";
import {
  applicationMeanings,
  Denied,
  ExternalAccountId,
  Paired,
  Pairing,
  PairingDetails,
  PairingStatus,
} from "../../commerce/apps/shapes.ts";
import { announceEvents } from "../../events/webhooks/webhooks.ts";
import { companyMay } from "../../identity/accounts/callers.ts";
import { changing } from "../../identity/audit/audit.ts";
import { answerBeside } from "../../platform/http/envelope.ts";
import { idOf } from "../../platform/http/idschemas.ts";
import { member } from "../../platform/http/meanings.ts";
import { route } from "../../platform/http/routes.ts";
import { SenderName } from "../../platform/http/schemas.ts";

const atTop = Type.Pick(Pairing, ["pairingCode", "expiresAt", "qrContent"]).properties;

export const beginPairing = route("/v1/third-party-app/pairing/initiate", {
  title: { fr: "Commencer un jumelage", en: "Start a pairing" },
  says: {
    fr: "Commence un jumelage et renvoie le code qu’une personne doit approuver. Les trois champs figurent aussi au premier niveau de la réponse.",
    en: "Starts a pairing and returns the code that a person has to approve. The three members are also at the top level of the response.",
  },
  body: Type.Object({ externalAccountId: member(ExternalAccountId, applicationMeanings.externalAccountId) }),
  caller: applicationCaller,
  answers: Pairing,
  refuses: ["app-not-active"],
  example: { externalAccountId: "client-43" },
  audit: { fr: "a demandé une connexion", en: "requested a connection" },
  beside: atTop,
  async run(app, caller, { externalAccountId }) {
    const begun = await changing(app, caller, notings.pairingBegun(externalAccountId), (tx) =>
      pairing.beginPairing(tx, app, caller, externalAccountId),
    );
    const { pairingCode, expiresAt, qrContent } = begun;
    return answerBeside(begun, { pairingCode, expiresAt, qrContent });
  },
});

const PairingCode = Type.String({ minLength: 1, maxLength: 64 });

export const pairingDetails = route("/v1/third-party-app/pairing/details", {
  title: { fr: "Lire une demande de jumelage", en: "Read a pairing request" },
  says: {
    fr: "Renvoie l’application qui demande le jumelage et les expéditeurs proposés.",
    en: "Returns the application that requests the pairing and the senders to choose from.",
  },
  body: Type.Object({ pairingCode: member(PairingCode, applicationMeanings.pairingCode) }),
  reads: true,
  caller: companyMay("manage"),
  answers: PairingDetails,
  refuses: ["pairing-code-invalid"],
  example: { pairingCode: "<pairingCode>" },
  run: (app, caller, { pairingCode }) =>
    app.database.transaction((tx) => pairing.readPairing(tx, app, caller, pairingCode)),
});

export const confirmPairing = route("/v1/third-party-app/pairing/confirm", {
  title: { fr: "Approuver un jumelage", en: "Approve a pairing" },
  says: {
    fr: "Approuve un jumelage. Sans expéditeur donné, le seul expéditeur accepté est choisi.",
    en: "Approves a pairing. Without a sender, the only accepted one is assigned.",
  },
  body: Type.Object({
    pairingCode: member(PairingCode, applicationMeanings.pairingCode),
    senderId: Type.Optional(SenderName),
  }),
  caller: companyMay("manage"),
  answers: Paired,
  refuses: [
    "pairing-code-invalid",
    "connection-conflict",
    "conflict",
    "sender-not-found",
    "sender-not-accepted",
  ],
  example: { pairingCode: "<pairingCode>" },
  audit: { fr: "a approuvé une connexion", en: "approved a connection" },
  async run(app, caller, { pairingCode, senderId }) {
    const paired = await changing(app, caller, notings.pairingAnswered, (tx) =>
      pairing.confirmByKey(tx, app, caller, pairingCode, senderId),
    );
    announceEvents(app);
    return paired;
  },
});

export const denyPairing = route("/v1/third-party-app/pairing/deny", {
  title: { fr: "Refuser un jumelage", en: "Deny a pairing" },
  says: { fr: "Refuse un jumelage.", en: "Denies a pairing." },
  body: Type.Object({ pairingCode: member(PairingCode, applicationMeanings.pairingCode) }),
  caller: companyMay("manage"),
  answers: Denied,
  refuses: ["pairing-code-invalid"],
  example: { pairingCode: "<pairingCode>" },
  audit: { fr: "a refusé une connexion", en: "denied a connection" },
  run: (app, caller, { pairingCode }) =>
    changing(app, caller, notings.pairingAnswered, (tx) => pairing.denyPairing(tx, app, caller, pairingCode)),
});

export const pairingStatus = route("/v1/third-party-app/pairing/status", {
  title: { fr: "Lire le statut d’un jumelage", en: "Read the status of a pairing" },
  says: {
    fr: "Renvoie le statut d’un jumelage et, une fois approuvé, le jeton de la connexion.",
    en: "Returns the status of a pairing and, once approved, the token of the connection.",
  },
  body: Type.Object({
    externalAccountId: member(idOf("externalAccount"), applicationMeanings.externalAccountId),
  }),
  reads: true,
  caller: applicationCaller,
  answers: PairingStatus,
  refuses: ["not-found", "app-not-active", "connection-revoked"],
  example: { externalAccountId: "client-43" },
  audit: { fr: "a lu le jeton d’une connexion", en: "read a connection’s token" },
  async run(app, caller, { externalAccountId }) {
    await pairing.takePoll(app, caller, externalAccountId);
    const status = await pairing.readPairingStatus(app.database, app, caller, externalAccountId);
    await notings.noteTokenShown(app, caller, externalAccountId, status);
    return status;
  },
});
