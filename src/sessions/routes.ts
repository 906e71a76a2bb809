// The URLs of signing in as an administrator, and of what changes how one signs in; and those of signing in as a person of
// a company, and of signing up.
import { Type } from "typebox";
import { listMemberSessions, OwnPhone, type SignInFrom, sessionCaller } from "../accounts/accounts.ts";
import {
  Administrator,
  AdministratorChanges,
  administratorChange,
  adminWho,
  raising,
} from "../admins/admins.ts";
import { changing } from "../audit/audit.ts";
import type { Answer } from "../kernel/envelope.ts";
import { inOrder, listRoute } from "../kernel/lists.ts";
import { anybody, type Request, route } from "../kernel/routes.ts";
import { Id, Phone } from "../kernel/schemas.ts";
import { askerAt } from "../otp/otp.ts";
import * as members from "./members.ts";
import * as sessions from "./sessions.ts";
import {
  DisabledAdministrator,
  EndedMemberSession,
  Enrolled,
  MemberSession,
  MemberSignedIn,
  SignedIn,
  SignInBegun,
  WhoAmI,
} from "./shapes.ts";
import * as signups from "./signups.ts";

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

const Proof = Type.Object({
  token: Type.String({ minLength: 1, maxLength: 64 }),
  otp: Type.String({ minLength: 1, maxLength: 64 }),
});

const BROWSER_CHARACTERS = 120;

/** From where a request comes; of the browser only what people can read. */
function fromOf({ ip, headers }: Request): SignInFrom {
  const browser = (headers["user-agent"] ?? "").replace(/[^\x20-\x7e]/g, "").slice(0, BROWSER_CHARACTERS);
  return { address: ip, browser };
}

export const beginMember = route({
  summary: "Sends a code to sign in with by SMS, if the phone is a member's; the answer is the same if not",
  body: Type.Object({ phone: OwnPhone, language: Type.Optional(Type.Enum(["fr", "en"])) }),
  caller: anybody,
  answers: SignInBegun,
  run: (app, _caller, body, { ip, knownBrowser }) =>
    members.beginMemberSignIn(app, { ...body, asker: askerAt(app, "account", ip, knownBrowser) }),
});

export const confirmMember = route({
  summary:
    "Signs in by the code of the SMS; sessionKey is an apiKey for each of the companies, and shown only here",
  body: Proof,
  caller: anybody,
  answers: MemberSignedIn,
  run: (app, _caller, body, request) =>
    members.confirmMemberSignIn(app, {
      ...body,
      ...{ from: fromOf(request), door: request.door },
      asker: askerAt(app, "account", request.ip, request.knownBrowser),
    }),
});

export const readMember = route({
  summary: "Who is signed in, and the companies that the person acts for",
  body: Type.Object({}),
  reads: true,
  caller: sessionCaller,
  answers: WhoAmI,
  run: (app, caller) => members.whoIs(app, caller),
});

export const listMember = listRoute({
  summary: "Lists the live sessions of the person who is signed in",
  body: inOrder("desc"),
  caller: sessionCaller,
  rows: MemberSession,
  list: (app, caller, page) => listMemberSessions(app.database, caller, page),
});

export const endMember = route({
  summary: "Ends a session of the person, the current one to sign out: its key is dead at once",
  body: Type.Object({ id: Id }),
  caller: sessionCaller,
  answers: EndedMemberSession,
  run: (app, caller, { id }) => members.endOwnSession(app, caller, id),
});

export const beginCompany = route({
  summary: "Sends a code by SMS to whoever wants to make a company",
  body: signups.SignUpInput,
  caller: anybody,
  answers: SignInBegun,
  run: (app, _caller, body, { ip }) =>
    signups.beginSignUp(app, { ...body, asker: askerAt(app, "sign-up", ip) }),
});

export const confirmCompany = route({
  summary: "Makes the company by the code of the SMS, and signs its owner in",
  body: Proof,
  caller: anybody,
  answers: MemberSignedIn,
  run: (app, _caller, body, request) =>
    signups.confirmSignUp(app, {
      ...body,
      ...{ from: fromOf(request), door: request.door, asker: askerAt(app, "sign-up", request.ip) },
    }),
});
