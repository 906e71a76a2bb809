// The texts of the pages: French first, English second.
import type { Refusal } from "../../platform/http/refusals.ts";

export type Lang = "fr" | "en";

/** Returns a French text with its typography: no line breaks before : ; ? ! and inside « ». */
export function setInFrench(text: string): string {
  return text.replace(/ ([:;?!»])/g, "\u00a0$1").replace(/« /g, "«\u00a0");
}

/** Applies French typography to the literal parts only, not to the values. */
function fr(parts: TemplateStringsArray, ...values: unknown[]): string {
  return String.raw({ raw: parts.map(setInFrench) }, ...values);
}

const french = {
  service: fr`Atumpan`,
  tagline: fr`Connecter une application`,
  otherLanguage: "English",
  error: fr`Erreur : `,
  problem: fr`Une erreur à corriger`,
  step: (at: number, of: number) => fr`Étape ${at} sur ${of}`,
  footer: fr`Atumpan ne vous demande jamais de code par téléphone ni par message.`,

  codeTitle: fr`Connecter une application`,
  codeLead: fr`Saisissez le code affiché par l’application.`,
  codeLabel: fr`Code de jumelage`,
  codeHint: fr`10 lettres et chiffres, par exemple K7PM4\u00a0QXWDR`,
  next: fr`Continuer`,

  phoneTitle: fr`Votre identité`,
  phoneLead: fr`Nous vous envoyons un code par SMS pour vérifier votre identité.`,
  phoneLabel: fr`Votre numéro de téléphone`,
  phoneHint: fr`Le numéro de votre compte Atumpan, par exemple 07 00 00 00 00. Hors de Côte d’Ivoire, commencez par + et l’indicatif.`,
  phoneButton: fr`Recevoir un code`,

  otpTitle: fr`Saisissez le code reçu`,
  otpLead: (phone: string) =>
    fr`Si le ${phone} est associé à un compte, un code de 6 chiffres vient de lui être envoyé par SMS.`,
  otpLabel: fr`Code reçu par SMS`,
  otpHint: (minutes: number) => fr`6 chiffres. Code valable ${minutes} minutes.`,
  otpButton: fr`Vérifier`,
  otpAgain: fr`Renvoyer un code`,
  otherPhone: fr`Changer de numéro`,

  companyTitle: fr`Pour quelle entreprise ?`,
  companyLead: fr`Cette entreprise paiera les SMS de l’application.`,
  companyLabel: fr`Entreprise`,

  notOwnerTitle: fr`Réservé aux propriétaires`,
  notOwner: (companies: readonly string[]) =>
    fr`Votre rôle ne permet pas de connecter une application à ${companies.join(", ")} : seul un propriétaire (owner) de l’entreprise peut approuver ou refuser.`,
  notOwnerWay: fr`Demandez à un propriétaire d’ouvrir ce lien ou de modifier votre rôle. Le code reste en attente.`,

  reviewTitle: (app: string) => fr`${app} demande à envoyer des SMS en votre nom`,
  meaning: (app: string, company: string) =>
    fr`Si vous approuvez, ${app} enverra des SMS au nom de ${company}, payés avec vos crédits.`,
  revocable: fr`Vous pouvez révoquer cet accès à tout moment.`,
  caution: fr`N’approuvez que si vous avez vous-même demandé ce code dans l’application. Si quelqu’un vous l’a envoyé, refusez.`,
  account: fr`Entreprise`,
  change: fr`Changer`,
  changeCompany: fr`Changer d’entreprise`,
  codeOf: fr`Code`,
  expires: fr`Expiration`,
  inMinutes: (minutes: number) => (minutes > 1 ? fr`dans ${minutes} minutes` : fr`dans moins d’une minute`),
  senderLabel: fr`Nom d’expéditeur des SMS`,
  senderNone: fr`Aucun pour le moment`,
  senderNoneHint: fr`L’application ne pourra pas encore envoyer de SMS.`,
  senderMissing: fr`Vous n’avez pas encore de nom d’expéditeur accepté. Vous pouvez approuver : l’application pourra envoyer des SMS dès que vous lui en attribuerez un.`,
  approve: fr`Approuver`,
  refuse: fr`Refuser`,
  signedInAs: (phone: string) => fr`Connecté avec le ${phone}.`,

  approvedTitle: fr`Accès approuvé`,
  approved: (app: string, company: string) => fr`${app} peut désormais envoyer des SMS au nom de ${company}.`,
  approvedWithoutSender: (app: string, company: string) =>
    fr`${app} est connectée à ${company}. Elle pourra envoyer des SMS dès que vous lui attribuerez un nom d’expéditeur.`,
  deniedTitle: fr`Accès refusé`,
  denied: (app: string) => fr`${app} n’a reçu aucun accès. Ce code n’est plus valable.`,
  back: fr`Vous pouvez fermer cette page et revenir à l’application.`,
  closed: fr`Par sécurité, vous avez été déconnecté de cette page.`,
  staysSignedIn: fr`Vous restez connecté à la console.`,

  staleTitle: fr`Cette page a expiré`,
  stale: fr`Pour votre sécurité, une page ouverte depuis plus de 15 minutes ou provenant d’un autre site n’est plus acceptée. Les cookies doivent être autorisés.`,
  again: fr`Recommencer`,

  claimTitle: (app: string) => fr`Secrets de ${app}`,
  claimLead: fr`Votre application est approuvée. Ses secrets ne sont affichés qu’une seule fois.`,
  claimReady: fr`Affichez-les quand vous êtes prêt à les enregistrer, à l’abri des regards. Le lien ne fonctionnera plus ensuite.`,
  claimButton: fr`Afficher les secrets`,
  claimedLead: fr`Copiez-les maintenant et conservez-les en lieu sûr : ils ne seront plus affichés.`,
  claimedWhy: fr`Toute personne qui les détient peut agir au nom de votre application. Ne les envoyez ni par e-mail ni par message.`,
  apiSecretHint: fr`Pour vos appels à Atumpan, depuis votre serveur uniquement.`,
  webhookSecretHint: fr`Pour vérifier que les webhooks reçus viennent bien de nous.`,
  noWebhookSecret: fr`Aucun secret de webhook : l’application n’a pas d’adresse de webhook.`,
  claimGoneTitle: fr`Ce lien n’est plus valable`,
  claimGone: fr`Il a déjà servi, il date de plus de 7 jours ou il a été mal recopié. Si vous ne l’avez pas ouvert vous-même, prévenez-nous : quelqu’un d’autre a peut-être vos secrets.`,

  brokenTitle: fr`Requête non valable`,
  broken: fr`La requête n’a pas pu être lue. Revenez en arrière et recommencez.`,
  insecureTitle: fr`Connexion non sécurisée`,
  insecure: fr`Cette page n’est accessible qu’en HTTPS.`,
  downTitle: fr`Le service ne répond pas`,
  down: fr`Réessayez dans un instant : rien n’est perdu.`,
  crashedTitle: fr`Une erreur s’est produite`,
  crashed: (errorId: string) =>
    fr`L’erreur vient de notre service. Si elle persiste, communiquez-nous ce numéro : ${errorId}`,
  busy: (time: string) => fr`Trop de tentatives. Réessayez dans ${time}.`,

  codeMalformed: fr`Un code comporte 10 lettres et chiffres, sans I, L, O, 0 ni 1.`,
  codeInvalid: fr`Ce code n’est pas valable : il est inexact, il a déjà servi ou il date de plus de 10 minutes. Demandez-en un autre à l’application.`,
  phoneInvalid: fr`Ce numéro de téléphone n’est pas valable.`,
  phoneBusy: (time: string) =>
    fr`Trop de codes demandés. Attendez ${time} avant d’en demander un autre. Le dernier reçu reste valable 5 minutes.`,
  otpWrong: fr`Ce code est inexact ou n’est plus valable : il expire après 5 minutes ou 5 tentatives. Vérifiez-le ou demandez-en un autre.`,
  conflict: fr`Ce compte de l’application est déjà connecté à une autre entreprise. Révoquez d’abord l’autre connexion.`,
  senderGone: fr`Ce nom d’expéditeur n’est plus disponible. Choisissez-en un autre.`,
  seconds: (n: number) => (n > 1 ? fr`${n} secondes` : fr`1 seconde`),
  minutes: (n: number) => (n > 1 ? fr`${n} minutes` : fr`1 minute`),
  hours: (n: number) => (n > 1 ? fr`${n} heures` : fr`1 heure`),
};

export type Words = typeof french;

const english: Words = {
  service: "Atumpan",
  tagline: "Connect an application",
  otherLanguage: "Français",
  error: "Error: ",
  problem: "There is a problem",
  step: (at, of) => `Step ${at} of ${of}`,
  footer: "Atumpan never asks you for a code by phone or by message.",

  codeTitle: "Connect an application",
  codeLead: "Enter the code shown by the application.",
  codeLabel: "Pairing code",
  codeHint: "10 letters and digits, for example K7PM4\u00a0QXWDR",
  next: "Continue",

  phoneTitle: "Your identity",
  phoneLead: "We send you a code by SMS to verify your identity.",
  phoneLabel: "Your phone number",
  phoneHint:
    "The number of your Atumpan account, for example 07 00 00 00 00. Outside Côte d’Ivoire, start with + and the country code.",
  phoneButton: "Get a code",

  otpTitle: "Enter the code you received",
  otpLead: (phone) => `If ${phone} belongs to an account, a 6-digit code has just been sent to it by SMS.`,
  otpLabel: "Code received by SMS",
  otpHint: (minutes) => `6 digits. Valid for ${minutes} minutes.`,
  otpButton: "Verify",
  otpAgain: "Send another code",
  otherPhone: "Use another number",

  companyTitle: "For which company?",
  companyLead: "This company will pay for the application’s SMS.",
  companyLabel: "Company",

  notOwnerTitle: "For owners only",
  notOwner: (companies) =>
    `Your role does not allow you to connect an application to ${companies.join(", ")}: only an owner of the company can approve or refuse.`,
  notOwnerWay: "Ask an owner to open this link or to change your role. The code is still pending.",

  reviewTitle: (app) => `${app} asks to send SMS on your behalf`,
  meaning: (app, company) =>
    `If you approve, ${app} will send SMS on behalf of ${company}, paid with your credits.`,
  revocable: "You can revoke this access at any time.",
  caution:
    "Approve only if you requested this code yourself in the application. If someone sent it to you, refuse.",
  account: "Company",
  change: "Change",
  changeCompany: "Switch company",
  codeOf: "Code",
  expires: "Expires",
  inMinutes: (minutes) => (minutes > 1 ? `in ${minutes} minutes` : "in less than a minute"),
  senderLabel: "SMS sender name",
  senderNone: "None for now",
  senderNoneHint: "The application will not be able to send SMS yet.",
  senderMissing:
    "You have no accepted sender name yet. You can approve: the application can send SMS as soon as you assign it one.",
  approve: "Approve",
  refuse: "Refuse",
  signedInAs: (phone) => `Signed in with ${phone}.`,

  approvedTitle: "Access approved",
  approved: (app, company) => `${app} can now send SMS on behalf of ${company}.`,
  approvedWithoutSender: (app, company) =>
    `${app} is connected to ${company}. It can send SMS as soon as you assign it a sender name.`,
  deniedTitle: "Access refused",
  denied: (app) => `${app} was not given access. This code is no longer valid.`,
  back: "You can close this page and return to the application.",
  closed: "For your security, you have been signed out of this page.",
  staysSignedIn: "You are still signed in to the console.",

  staleTitle: "This page has expired",
  stale:
    "For your security, a page that was opened more than 15 minutes ago or that comes from another site is no longer accepted. Cookies must be allowed.",
  again: "Start again",

  claimTitle: (app) => `Secrets of ${app}`,
  claimLead: "Your application is approved. Its secrets are shown only once.",
  claimReady:
    "Show them when you are ready to store them, with nobody watching. The link will not work afterward.",
  claimButton: "Show secrets",
  claimedLead: "Copy them now and keep them in a safe place: they will not be shown again.",
  claimedWhy:
    "Anyone who has them can act on behalf of your application. Do not send them by email or message.",
  apiSecretHint: "For your calls to Atumpan, from your server only.",
  webhookSecretHint: "To verify that our webhooks really come from us.",
  noWebhookSecret: "No webhook secret: the application has no webhook address.",
  claimGoneTitle: "This link is no longer valid",
  claimGone:
    "It was already used, it is more than 7 days old, or it was copied incorrectly. If you did not open it yourself, tell us: someone else may have your secrets.",

  brokenTitle: "Invalid request",
  broken: "The request could not be read. Go back and try again.",
  insecureTitle: "Insecure connection",
  insecure: "This page is available only over HTTPS.",
  downTitle: "The service is not responding",
  down: "Try again in a moment: nothing is lost.",
  crashedTitle: "Something went wrong",
  crashed: (errorId) => `The error is on our side. If it persists, give us this number: ${errorId}`,
  busy: (time) => `Too many attempts. Try again in ${time}.`,

  codeMalformed: "A code has 10 letters and digits, without I, L, O, 0 or 1.",
  codeInvalid:
    "This code is not valid: it is incorrect, already used or more than 10 minutes old. Request another one in the application.",
  phoneInvalid: "This phone number is not valid.",
  phoneBusy: (time) =>
    `Too many codes requested. Wait ${time} before requesting another. The last one received stays valid for 5 minutes.`,
  otpWrong:
    "This code is incorrect or no longer valid: it expires after 5 minutes or 5 attempts. Check it or request another one.",
  conflict:
    "This account of the application is already connected to another company. Revoke the other connection first.",
  senderGone: "This sender name is no longer available. Choose another one.",
  seconds: (n) => (n > 1 ? `${n} seconds` : "1 second"),
  minutes: (n) => (n > 1 ? `${n} minutes` : "1 minute"),
  hours: (n) => (n > 1 ? `${n} hours` : "1 hour"),
};

export const words: Record<Lang, Words> = { fr: french, en: english };

/** How long to wait, in the unit that people would use. */
function waitOf(t: Words, { retryAfterSeconds = 60 }: Refusal): string {
  if (retryAfterSeconds < 60) return t.seconds(retryAfterSeconds);
  if (retryAfterSeconds < 3_600) return t.minutes(Math.ceil(retryAfterSeconds / 60));
  return t.hours(Math.ceil(retryAfterSeconds / 3_600));
}

/** A problem as a sentence, and the field of the page that has it. */
export type Problem = { sentence: string; field?: string };

/** Returns a refusal as a sentence; undefined for refusals that a visitor cannot cause. */
export function problemOf(t: Words, refusal: Refusal, field: string): Problem | undefined {
  switch (refusal.code) {
    case "invalid-phone-number":
      return { field, sentence: t.phoneInvalid };
    case "too-many-requests":
      return { sentence: field === "phone" ? t.phoneBusy(waitOf(t, refusal)) : t.busy(waitOf(t, refusal)) };
    case "wrong-otp":
      return { field, sentence: t.otpWrong };
    case "pairing-code-invalid":
      return { field, sentence: t.codeInvalid };
    case "connection-conflict":
      return { sentence: t.conflict };
    case "sender-not-found":
    case "sender-not-accepted":
      return { field, sentence: t.senderGone };
    default:
      return undefined;
  }
}
