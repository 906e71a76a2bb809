// Sign-in of administrators: a phone, a code by SMS, a second factor; or, on the first day, the installation's key.
import { nowMs } from "../../../platform/clock.ts";
import { html } from "../../../platform/http/html.ts";
import { type Body, Refused } from "../apiclient.ts";
import { againNotice, phoneField, signOutOf, waitForCode } from "../company/signin.ts";
import { languageLink } from "../layout.ts";
import { areaOf, entriesPart } from "../menu.ts";
import { signedInPart } from "../parts/adminroles.ts";
import { button, field, form, linkButton, plainButton } from "../parts/forms.ts";
import { actions, copyable, remark, section } from "../parts/parts.ts";
import { qrCode } from "../parts/qr.ts";
import { Problem, sentenceOf } from "../parts/sentences.ts";
import { isOfAdministration, ownPath } from "../paths.ts";
import type { Screens } from "../screens.ts";
import type { SignedIn, Waiting } from "../session.ts";
import { Redirect, type View, type Visit } from "../visit.ts";

const ANYBODY = { area: "public" } as const;

export function addAdminSignIn(screens: Screens): void {
  screens.pageAndForm("/admin/sign-in", signIn, takePhone, ANYBODY);
  screens.pageAndForm("/admin/sign-in/code", code, takeCode, ANYBODY);
  screens.form("/admin/sign-in/again", sendAgain, ANYBODY);
  screens.pageAndForm("/admin/sign-in/enrol", enrol, takeFactor, ANYBODY);
  screens.pageAndForm("/admin/sign-in/key", signInByKey, takeKey, ANYBODY);
  screens.form("/admin/sign-out", (visit) => signOutOf(visit, "/admin/sign-in"), ANYBODY);
  screens.page("/admin/menu", menu);
}

/** The page after the sign-in: the one that was requested, if it is a page of the administration. */
function nextOf(visit: Visit): string {
  const next = ownPath(visit.field("next"));
  return isOfAdministration(next) && !next.startsWith("/admin/sign-in") ? next : "/admin";
}

function signIn(visit: Visit): View {
  visit.saveSession({});
  const next = nextOf(visit);
  return {
    title: visit.t("Administration", "Administration"),
    body: html`<p class="lead">${visit.t(
      "Connectez-vous avec un code reçu par SMS, puis avec le code de votre application d’authentification.",
      "Sign in with a code sent by SMS, then with the code from your authenticator app.",
    )}</p>
${form(visit, { action: "/admin/sign-in", members: { next } }, [phoneField(visit, visit.session.administrator?.phone), button(visit.t("Recevoir un code", "Get a code"))])}
<p><a href="/admin/sign-in/key?${new URLSearchParams({ next })}">${visit.t("Se connecter avec la clé d’installation (adminKey)", "Sign in with the installation key (adminKey)")}</a></p>
<p><small><a href="/sign-in">${visit.t("Vous êtes une entreprise ? Accéder à la connexion des entreprises", "Are you a company? Go to company sign-in")}</a></small></p>`,
  };
}

async function takePhone(visit: Visit): Promise<View | Redirect> {
  const phone = visit.field("phone");
  const begun = await visit.attempt(visit.callUnauthenticated("/v1/admin/session/begin", { phone }));
  if (begun instanceof Problem) return signIn(visit.with(begun));
  return waitForCode(visit, { as: "administrator", token: begun.data.token, phone, next: nextOf(visit) });
}

/** Starts again with the same phone. If the API refuses, the earlier code stays valid. */
async function sendAgain(visit: Visit): Promise<View | Redirect> {
  const waiting = waitingOf(visit);
  if (!waiting) return new Redirect("/admin/sign-in");
  const { phone } = waiting;
  const begun = await visit.attempt(visit.callUnauthenticated("/v1/admin/session/begin", { phone }));
  if (begun instanceof Problem) return code(visit.wrong(begun.sentence));
  return waitForCode(visit, { ...waiting, token: begun.data.token }, true);
}

function waitingOf({ session }: Visit): Waiting | undefined {
  return session.waiting?.as === "administrator" ? session.waiting : undefined;
}

function code(visit: Visit): View | Redirect {
  const waiting = waitingOf(visit);
  if (!waiting) return new Redirect("/admin/sign-in");
  return {
    title: visit.t("Saisissez les deux codes", "Enter both codes"),
    back: { href: "/admin/sign-in", text: visit.t("Changer de numéro", "Change number") },
    body: html`${againNotice(visit)}
<p class="lead">${visit.t(
      `Si le ${waiting.phone} est le numéro d’un administrateur, un code vient d’y être envoyé par SMS.`,
      `If ${waiting.phone} belongs to an administrator, a code has just been sent to it by SMS.`,
    )}</p>
${form(visit, "/admin/sign-in/code", [
  field(visit, "otp", visit.t("Code reçu par SMS", "Code from the SMS"), {
    hint: visit.t("6 chiffres, valables 5 minutes.", "6 digits, valid for 5 minutes."),
    attributes: html`class="otp" inputmode="numeric" autocomplete="one-time-code" maxlength="12"`,
  }),
  field(
    visit,
    "totp",
    visit.t("Code de l’application d’authentification", "Code from the authenticator app"),
    {
      value: "",
      hint: visit.t(
        "6 chiffres. Laissez vide à la première connexion : vous configurerez l’application à la page suivante.",
        "6 digits. Leave empty the first time you sign in: you set up the app on the next page.",
      ),
      isOptional: "silent",
      attributes: html`class="otp" inputmode="numeric" autocomplete="off" maxlength="12"`,
    },
  ),
  html`<details${visit.problem?.isAt("recoveryCode") && html` open`}><summary>${visit.t("Téléphone perdu ? Utiliser un code de secours", "Lost your phone? Use a recovery code")}</summary>${field(
    visit,
    "recoveryCode",
    visit.t("Code de secours", "Recovery code"),
    {
      value: "",
      hint: visit.t("Chaque code sert une seule fois.", "Each code works only once."),
      isOptional: "silent",
      attributes: html`autocomplete="off" autocapitalize="characters" maxlength="64"`,
    },
  )}</details>`,
  button(visit.t("Se connecter", "Sign in")),
])}
${plainButton(visit, "/admin/sign-in/again", visit.t("Renvoyer le code", "Send another code"))}`,
  };
}

async function takeCode(visit: Visit): Promise<View | Redirect> {
  const waiting = waitingOf(visit);
  if (!waiting) return new Redirect("/admin/sign-in");
  const [totp, recoveryCode] = [visit.field("totp").trim(), visit.field("recoveryCode").trim()];
  const signed = await visit.attempt(
    visit.callUnauthenticated("/v1/admin/session/confirm", {
      token: waiting.token,
      otp: visit.field("otp"),
      ...(recoveryCode ? { recoveryCode } : totp && { totp }),
    }),
  );
  if (signed instanceof Problem) return code(visit.with(clearer(visit, signed)));
  const { adminKey, role, name, enrolment } = signed.data;
  if (adminKey === null) {
    visit.saveSession({ waiting: { ...waiting, ...(enrolment && { enrolment }) } });
    return new Redirect("/admin/sign-in/enrol");
  }
  visit.renew({ administrator: { as: "person", key: adminKey, role, name, phone: waiting.phone } });
  return new Redirect(waiting.next);
}

/** Never reveals which of the two codes is wrong, only that the second one is missing. */
function clearer(visit: Visit, problem: Problem): Problem {
  if (problem.field === "totp")
    return new Problem(
      visit.t(
        "Le code reçu par SMS est correct. Ajoutez le code de votre application ou un code de secours.",
        "The SMS code is correct. Add the code from your app, or a recovery code.",
      ),
      "totp",
    );
  return problem;
}

function enrol(visit: Visit): View | Redirect {
  const enrolment = waitingOf(visit)?.enrolment;
  if (!enrolment) return new Redirect("/admin/sign-in");
  return {
    title: visit.t("Votre second facteur", "Your second factor"),
    body: html`<p class="lead">${visit.t(
      "Une application d’authentification sur votre téléphone protège l’administration, même si quelqu’un lit vos SMS.",
      "An authenticator app on your phone protects the administration, even if someone reads your SMS.",
    )}</p>
${section(visit.t("1. Ajoutez Atumpan à l’application", "1. Add Atumpan to the app"), [
  html`<p>${visit.t(
    "Scannez ce QR code avec Aegis, Google Authenticator, Microsoft Authenticator ou une autre application :",
    "Scan this QR code with Aegis, Google Authenticator, Microsoft Authenticator or another app:",
  )}</p>`,
  qrCode(enrolment.url, visit.t("QR code pour votre application", "QR code for your app")),
  html`<p>${visit.t("Sur ce même téléphone, ", "On this same phone, ")}<a href="${enrolment.url}">${visit.t("ouvrez l’application", "open the app")}</a>${visit.t(", ou saisissez ce secret :", ", or enter this secret:")}</p>`,
  // Four groups of four per line, so that a phone shows them whole.
  copyable(
    enrolment.secret.replace(/.{16}(?=.)/g, "$&\n").replace(/.{4}(?=.)/g, "$& "),
    visit.t("Secret", "Secret"),
  ),
])}
${section(visit.t("2. Saisissez le code affiché", "2. Enter the code it shows"), [
  form(visit, "/admin/sign-in/enrol", [
    field(visit, "totp", visit.t("Code de l’application", "Code from the app"), {
      value: "",
      hint: visit.t("6 chiffres, renouvelés toutes les 30 secondes.", "6 digits, renewed every 30 seconds."),
      attributes: html`class="otp" inputmode="numeric" autocomplete="off" maxlength="12"`,
    }),
    button(visit.t("Terminer", "Finish")),
  ]),
])}`,
  };
}

async function takeFactor(visit: Visit): Promise<View | Redirect> {
  const waiting = waitingOf(visit);
  if (!waiting?.enrolment) return new Redirect("/admin/sign-in");
  const enrolled = await visit.attempt(
    visit.callUnauthenticated("/v1/admin/session/enrol", { token: waiting.token, totp: visit.field("totp") }),
  );
  if (enrolled instanceof Problem) return enrol(visit.with(enrolled));
  const { adminKey, role, name, recoveryCodes } = enrolled.data;
  visit.renew({ administrator: { as: "person", key: adminKey, role, name, phone: waiting.phone } });
  return {
    title: visit.t("Vos codes de secours", "Your recovery codes"),
    body: html`${remark(visit, "wait", [
      "Ces codes sont affichés une seule fois. Notez-les ou imprimez cette page. Si vous perdez votre téléphone, chaque code vous permet de vous connecter une fois.",
      "These codes are shown only once. Write them down or print this page. If you lose your phone, each code lets you sign in once.",
    ])}
${copyable(recoveryCodes.join("\n"), visit.t("Codes de secours", "Recovery codes"))}
${actions([linkButton(waiting.next, visit.t("J’ai enregistré les codes", "I have saved the codes"))])}`,
  };
}

function signInByKey(visit: Visit): View {
  visit.saveSession({});
  return {
    title: visit.t("Clé d’installation", "Installation key"),
    back: { href: "/admin/sign-in", text: visit.t("Connexion par téléphone", "Sign-in by phone") },
    body: html`<p class="lead">${visit.t(
      "Cette clé donne accès à tout. Utilisez-la le premier jour pour créer un administrateur, puis mettez-la en lieu sûr.",
      "This key gives full access. Use it on the first day to create an administrator, then store it in a safe place.",
    )}</p>
${form(visit, { action: "/admin/sign-in/key", members: { next: nextOf(visit) } }, [
  field(visit, "adminKey", visit.t("Clé (adminKey)", "Key (adminKey)"), {
    value: "",
    hint: visit.t(
      "Elle se trouve dans ADMIN_KEY ou dans le fichier secrets.json du dossier des données.",
      "It is in ADMIN_KEY, or in the secrets.json file of the data folder.",
    ),
    attributes: html`autocomplete="off" maxlength="200"`,
    type: "password",
  }),
  button(visit.t("Ouvrir l’administration", "Open administration")),
])}`,
  };
}

async function takeKey(visit: Visit): Promise<View | Redirect> {
  const key = visit.field("adminKey").trim();
  const administrator = await ownerOf(visit, key);
  if (administrator instanceof Problem) return signInByKey(visit.with(administrator));
  visit.renew({ administrator });
  return new Redirect(nextOf(visit));
}

/** The owner of an administrator's key: the installation, a machine, or the person of a session. */
async function ownerOf(visit: Visit, key: string): Promise<SignedIn | Problem> {
  const body = { adminKey: key } as Body<"/v1/admin/session/read">;
  try {
    const { data } = await visit.callUnauthenticated("/v1/admin/session/read", body);
    const { id, name, role, sessionId } = data;
    if (sessionId !== null) return { as: "person", key, role, name };
    const now = nowMs();
    return { as: id !== null ? "machine" : "installation", key, role, name, since: now, usedAt: now };
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    const isWrong = error.code === "not-authenticated" && error.retryAfterSeconds === undefined;
    const wrong = visit.t("Cette clé est incorrecte.", "This key is incorrect.");
    return new Problem(isWrong ? wrong : sentenceOf(visit, error), "adminKey");
  }
}

function menu(visit: Visit): View {
  return {
    title: visit.t("Menu", "Menu"),
    narrow: true,
    body: html`${entriesPart(areaOf(visit, "administration").entries)}
${signedInPart(visit)}
${actions([
  languageLink(visit),
  html`<a href="/admin/administrators#sessions">${visit.t("Mes sessions", "My sessions")}</a>`,
  visit.session.person && html`<a href="/">${visit.t("Mon entreprise", "My company")}</a>`,
  plainButton(visit, "/admin/sign-out", visit.t("Se déconnecter", "Sign out")),
])}`,
  };
}
