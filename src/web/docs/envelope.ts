// The parts of the OpenAPI document that all responses share: the envelope, its headers, an operation's error codes.
import { WARNINGS_AT_MOST } from "../../platform/http/envelope.ts";
import { type Code, type Outcome, outcomes } from "../../platform/http/refusals.ts";
import { codes } from "./codes.ts";
import { answerOf, commonRefusals, type Operation, refusalExampleOf } from "./operations.ts";
import { inBoth, type Json, mapValues, membersOf, publish, ref, withDescription } from "./publishing.ts";

const allCodes = Object.keys(outcomes) as Code[];
const allOutcomes: Outcome[] = ["success", ...new Set<Outcome>(Object.values(outcomes))];

/** Returns the response of an operation: a success or a refusal, which a typed client distinguishes by `success`. */
export function answerMedia(operation: Operation): Json {
  const examples = {
    success: { summary: "Succès / Success", value: answerOf(operation) },
    refusal: { summary: "Refus / Refusal", value: refusalExampleOf(operation) },
  };
  return { schema: { oneOf: [successSchema(operation), refusalSchema(operation.refusals)] }, examples };
}

function successSchema({ data, beside }: Operation): Json {
  return {
    type: "object",
    required: ["success", "data", "error", ...Object.keys(beside)],
    properties: {
      success: { type: "boolean", const: true },
      data: publish(data),
      error: { type: "null" },
      warnings: WARNINGS,
      ...membersOf(beside),
    },
  };
}

/** A refusal with one of the common codes or the operation's own, so that a typed client can distinguish them. */
function refusalSchema(own: readonly Code[]): Json {
  const common = ref("schemas", "CommonErrorCode");
  const special = own.filter((code) => !commonRefusals.includes(code));
  const error = special.length > 0 ? { anyOf: [common, { type: "string", enum: special }] } : common;
  return {
    allOf: [ref("schemas", "Refusal"), { type: "object", required: ["error"], properties: { error } }],
  };
}

const WARNINGS = withDescription(
  { type: "array", maxItems: WARNINGS_AT_MOST, items: ref("schemas", "Warning") },
  {
    fr: "Avertissements : champs inconnus et effets peut-être non voulus. Absent s’il n’y en a pas",
    en: "Warnings: unknown fields and effects that may be unintended. Absent if there are none",
  },
);

/** The schemas of the envelope, by name. */
export const envelopeSchemas: Json = {
  Refusal: {
    type: "object",
    required: ["success", "data", "error"],
    properties: {
      success: { type: "boolean", const: false },
      data: { type: "null" },
      error: ref("schemas", "ErrorCode"),
      details: { type: "array", items: ref("schemas", "Detail") },
      warnings: WARNINGS,
    },
  },
  Detail: {
    type: "object",
    description: "Erreur et champ concerné / Error and the field concerned",
    required: ["field", "message"],
    properties: {
      field: { type: "string", examples: ["contacts[0].phone"] },
      message: { type: "string", examples: ["est obligatoire"] },
    },
  },
  Warning: {
    type: "object",
    description:
      "Effet de la requête qui n’est peut-être pas voulu / Effect of the request that may be unintended",
    required: ["field", "message"],
    properties: {
      field: { type: "string", examples: ["sender"] },
      message: { type: "string", examples: ["`sender` est inconnu ; vouliez-vous dire `senderId` ?"] },
    },
  },
  ErrorCode: {
    description: "Code d’erreur, par classe de résultat / Error code, by outcome class",
    oneOf: allCodes.map((code) => ({
      const: code,
      title: outcomes[code],
      description: inBoth(codes[code]),
    })),
  },
  CommonErrorCode: {
    type: "string",
    description: "Codes d’erreur communs à toutes les opérations / Error codes common to all operations",
    enum: commonRefusals,
  },
  Outcome: { type: "string", enum: allOutcomes },
};

/** The headers of every response, by name. */
export const headers: Record<string, Json> = {
  "Atumpan-Outcome": {
    description: "Classe du résultat / Outcome class",
    required: true,
    schema: ref("schemas", "Outcome"),
  },
  "Atumpan-Request-Id": {
    description:
      "Identifiant de la requête : le vôtre s’il a été donné, sinon le nôtre. Le nôtre est aussi l’identifiant de son premier envoi / Request ID: yours if given, otherwise ours. Ours is also the ID of its first send",
    required: true,
    schema: { type: "string", examples: ["01a21bcba9da33d70fc2c0d8"] },
  },
  "Retry-After": {
    description:
      "Secondes à attendre après too-many-requests, et parfois après service-unavailable / Seconds to wait after too-many-requests, and sometimes after service-unavailable",
    schema: { type: "integer", minimum: 1 },
  },
  "Atumpan-Error-Id": {
    description: "Référence d’une erreur server-error / Reference of a server-error",
    schema: { type: "string" },
  },
};

/** The headers of a response, as references. */
export const headersOfAnswers: Json = mapValues(headers, (_, name) => ref("headers", name));
