// The URLs of signing in as an administrator, and of what changes how one signs in.
import { Type } from "typebox";
import {
  Administrator,
  AdministratorChanges,
  administratorChange,
  adminWho,
  raising,
} from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import type { Answer } from "../kernel/envelope.ts";
import { anybody, route } from "../kernel/routes.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import * as sessions from "./sessions.ts";
import { DisabledAdministrator, Enrolled, SignedIn, SignInBegun } from "./shapes.ts";

const Token = Type.String({ minLength: 1, maxLength: 64 });
const Code = Type.String({ minLength: 1, maxLength: 64 });

export const begin = route({
  summary:
    "Sends a code to sign in with by SMS, if the phone is an administrator's; the answer is the same if not",
  body: Type.Object({ phone: Phone }),
  caller: anybody,
  answers: SignInBegun,
  run: (app, _caller, { phone }, { ip }) => sessions.beginSignIn(app, { phone, ip }),
});

export const confirm = route({
  summary: "Signs in by the code of the SMS and a second factor, or offers one to enrol",
  body: Type.Object({
    token: Token,
    otp: Code,
    totp: Type.Optional(Code),
    recoveryCode: Type.Optional(Code),
  }),
  caller: anybody,
  answers: SignedIn,
  run: (app, _caller, body, { ip, door }) => sessions.confirmSignIn(app, { ...body, ip, door }),
});

export const enrol = route({
  summary: "Enrols the second factor that was offered, by a password of it, and signs in",
  body: Type.Object({ token: Token, totp: Code }),
  caller: anybody,
  answers: Enrolled,
  run: (app, _caller, body, { ip, door }) => sessions.enrolFactor(app, { ...body, ip, door }),
});

export const updateUser = route({
  summary: "Changes what is given of an administrator; the old phone is told of a new one",
  body: Type.Object({ id: Id, ...AdministratorChanges.properties }),
  caller: adminWho("govern"),
  answers: Administrator,
  run: (app, caller, { id, ...change }) =>
    raising(app, caller, administratorChange(id), (tx) => sessions.changeAdministrator(app, tx, id, change)),
});

export const disableUser = route({
  summary: "Disables an administrator: its sessions and sign-ins end at once",
  body: Type.Object({ id: Id, revokeKeys: Type.Optional(Type.Boolean()) }),
  caller: adminWho("govern"),
  answers: DisabledAdministrator,
  run(app, caller, { id, ...given }) {
    const noting = { ...administratorChange(id), after: ({ data }: Answer<DisabledAdministrator>) => data };
    return changing(app, caller, noting, (tx) => sessions.shutOut(tx, id, given));
  },
});

export const resetSecondFactor = route({
  summary: "Takes the second factor from an administrator, who is told; its sessions end at once",
  body: Type.Object({ id: Id }),
  caller: adminWho("govern"),
  answers: Administrator,
  run(app, caller, { id }) {
    const noting = { on: { kind: "second-factor", id }, after: () => null };
    return raising(app, caller, noting, (tx) => sessions.resetSecondFactor(app, tx, id));
  },
});
