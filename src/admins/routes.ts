// The URLs of administrators: people, keys of machines, and sessions.
import { Type } from "typebox";
import { changing } from "../audit/audit.ts";
import { amongIds, inOrder, listRoute } from "../kernel/lists.ts";
import { route } from "../kernel/routes.ts";
import { Id } from "../kernel/schemas.ts";
import * as admins from "./admins.ts";
import { adminWho, raising } from "./callers.ts";
import * as keys from "./keys.ts";
import * as sessions from "./sessions.ts";
import {
  ActingAdministrator,
  Administrator,
  AdministratorKey,
  AdministratorSession,
  EndedSession,
  NewAdministratorKey,
} from "./shapes.ts";

const OneId = Type.Object({ id: Id });

export const createUser = route({
  summary: "Makes an administrator, who then signs in with a phone and enrols a second factor",
  body: admins.AdministratorInput,
  caller: adminWho("govern"),
  answers: Administrator,
  run(app, caller, body) {
    const noting = { on: ({ id }: Administrator) => ({ kind: "administrator", id }) };
    return raising(app, caller, noting, (tx) => admins.createAdministrator(tx, app, body));
  },
});

export const listUsers = listRoute({
  summary: "Lists the administrators",
  body: { ...inOrder("desc"), ...amongIds },
  caller: adminWho("govern"),
  rows: Administrator,
  list: (app, _caller, wanted) => admins.listAdministrators(app.database, wanted),
});

export const readUser = route({
  summary: "Reads an administrator",
  body: OneId,
  reads: true,
  caller: adminWho("govern"),
  answers: Administrator,
  run: (app, _caller, { id }) => admins.readAdministrator(app.database, id),
});

export const enableUser = route({
  summary: "Enables an administrator who was disabled, and invites one anew who has no second factor",
  body: OneId,
  caller: adminWho("govern"),
  answers: Administrator,
  run: (app, caller, { id }) =>
    raising(app, caller, admins.administratorChange(id), (tx) => admins.enableAdministrator(tx, app, id)),
});

export const readSession = route({
  summary: "Who administers with this key: a person, a machine or the installation, and in which role",
  body: Type.Object({}),
  reads: true,
  caller: adminWho("read"),
  answers: ActingAdministrator,
  async run(_app, { by, role, sessionId }) {
    return { id: by.id, name: by.name!, role, sessionId };
  },
});

export const listSessions = listRoute({
  summary: "Lists one's own sessions; for an owner, those of everybody",
  body: inOrder("desc"),
  caller: adminWho("read"),
  rows: AdministratorSession,
  list: (app, caller, page) => sessions.listSessions(app, caller, page),
});

export const endSession = route({
  summary: "Ends a session, one's own or for an owner anybody's: its key is dead at once",
  body: OneId,
  caller: adminWho("read"),
  answers: EndedSession,
  run: (app, caller, { id }) =>
    changing(app, caller, { on: { kind: "session", id } }, (tx) => sessions.endAdminSession(tx, caller, id)),
});

export const createKey = route({
  summary: "Makes a key for a machine, shown only here",
  body: keys.MachineKeyInput,
  caller: adminWho("govern"),
  answers: NewAdministratorKey,
  run(app, caller, body) {
    const noting = { on: ({ id }: NewAdministratorKey) => ({ kind: "administrator-key", id }) };
    return raising(app, caller, noting, (tx) => keys.createMachineKey(tx, app, caller, body));
  },
});

export const listKeys = listRoute({
  summary: "Lists the keys of machines, with their last use",
  body: { ...inOrder("desc"), ...amongIds },
  caller: adminWho("govern"),
  rows: AdministratorKey,
  list: (app, _caller, wanted) => keys.listMachineKeys(app.database, wanted),
});

export const readKey = route({
  summary: "Reads a key of a machine, with its last use",
  body: OneId,
  reads: true,
  caller: adminWho("govern"),
  answers: AdministratorKey,
  run: (app, _caller, { id }) => keys.readMachineKey(app.database, id),
});

export const revokeKey = route({
  summary: "Revokes a key of a machine: it is dead at once",
  body: OneId,
  caller: adminWho("govern"),
  answers: AdministratorKey,
  run: (app, caller, { id }) =>
    changing(app, caller, { on: { kind: "administrator-key", id } }, (tx) => keys.revokeMachineKey(tx, id)),
});
