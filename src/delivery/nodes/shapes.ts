// The shape of a process in responses.
import { type Static, Type } from "typebox";
import { member } from "../../platform/http/meanings.ts";
import { orNull, shape, Timestamp } from "../../platform/http/responseschemas.ts";

/** A process of the service. `binds`: those that it owns now. */
export const Node = shape("Node", {
  id: Type.String({ examples: ["atumpan 66f0c0ffee00000000000002"] }),
  host: member(Type.String({ examples: ["sms-1"] }), { fr: "Nom de la machine", en: "Machine name" }),
  pid: member(Type.Integer({ examples: [4242] }), {
    fr: "Numéro du processus sur sa machine (PID)",
    en: "Process number on its machine (PID)",
  }),
  version: member(Type.String({ examples: ["0.1.0"] }), {
    fr: "Version du programme",
    en: "Program version",
  }),
  roles: member(Type.Array(Type.String({ examples: ["gateway"] })), {
    fr: "Rôles du processus",
    en: "Roles of the process",
    sample: ["gateway"],
  }),
  startedAt: member(Timestamp, {
    fr: "Date de démarrage (UTC)",
    en: "Start time (UTC)",
    sample: "2026-11-25T02:00:00.000Z",
  }),
  seenAt: member(Timestamp, {
    fr: "Date du dernier signe de vie, envoyé toutes les 3 s",
    en: "Time of the last heartbeat, sent every 3 s",
    sample: "2026-11-25T02:00:00.000Z",
  }),
  isAlive: member(Type.Boolean({ examples: [true] }), {
    fr: "Indique si le processus a donné un signe de vie dans les 10 dernières secondes",
    en: "Whether the process sent a heartbeat within the last 10 s",
  }),
  lastTurnAt: member(orNull(Timestamp), {
    fr: "Date du dernier enregistrement fait par une de ses liaisons, ou null s’il n’y en a pas eu",
    en: "Time when one of its binds last committed its work, or null if never",
    sample: null,
  }),
  aheadMs: member(orNull(Type.Integer()), {
    fr: "Avance de l’horloge de sa machine sur celle de la base de données, en millisecondes",
    en: "Clock offset of its machine relative to the database, in milliseconds",
    sample: 3,
  }),
  binds: member(
    Type.Array(
      Type.Object({
        operatorId: Type.String(),
        operator: Type.String({ examples: ["Opérateur 07"] }),
        bind: Type.Integer({ examples: [0] }),
        state: member(
          Type.Enum(["CONNECTING", "BOUND", "REFUSED", "DISCONNECTED"], { examples: ["BOUND"] }),
          { fr: "État de la liaison", en: "State of the session" },
        ),
      }),
    ),
    { fr: "Sessions avec l’opérateur", en: "Sessions with the operator" },
  ),
});
export type Node = Static<typeof Node>;
