// What the pages say: French first, English second.
import type { Refusal } from "../kernel/refusals.ts";

export type Lang = "fr" | "en";

/** A French text as it is set: no line breaks before : ; ? ! and inside « ». */
export function setInFrench(text: string): string {
  return text.replace(/ ([:;?!»])/g, "\u00a0$1").replace(/« /g, "«\u00a0");
}

/** Sets what is written here, and touches no value. */
function fr(parts: TemplateStringsArray, ...values: unknown[]): string {
  return String.raw({ raw: parts.map(setInFrench) }, ...values);
}

const french = {
  service: fr`Atumpan`,
  tagline: fr`Relier une application`,
  otherLanguage: "English",
  error: fr`Erreur : `,
  problem: fr`Un point à corriger`,
  step: (at: number, of: number) => fr`Étape ${at} sur ${of}`,
  footer: fr`Atumpan ne vous demandera jamais un code par téléphone ni par message.`,

  codeTitle: fr`Relier une application`,
  codeLead: fr`Saisissez le code que l’application vous montre.`,
  codeLabel: fr`Code de jumelage`,
  codeHint: fr`10 lettres et chiffres, par exemple K7PM4\u00a0QXWDR`,
  next: fr`Continuer`,

  phoneTitle: fr`Qui êtes-vous ?`,
  phoneLead: fr`Nous vous envoyons un code par SMS pour vérifier que c’est bien vous.`,
  phoneLabel: fr`Votre numéro de téléphone`,
  phoneHint: fr`Celui de votre compte Atumpan, par exemple 07 00 00 00 00. Hors de Côte d’Ivoire, commencez par + et l’indicatif.`,
  phoneButton: fr`Recevoir un code`,

  otpTitle: fr`Saisissez le code reçu`,
  otpLead: (phone: string) =>
    fr`Si le ${phone} est celui d’un compte, un code de 6 chiffres vient de lui être envoyé par SMS.`,
  otpLabel: fr`Code reçu par SMS`,
  otpHint: (minutes: number) => fr`6 chiffres. Il reste valable ${minutes} minutes.`,
  otpButton: fr`Vérifier`,
  otpAgain: fr`Renvoyer un code`,
  otherPhone: fr`Changer de numéro`,

  companyTitle: fr`Pour quelle entreprise ?`,
  companyLead: fr`C’est elle qui paiera les SMS de l’application.`,
  companyLabel: fr`Entreprise`,

  notOwnerTitle: fr`Réservé aux propriétaires`,
  notOwner: (companies: readonly string[]) =>
    fr`Votre rôle ne permet pas de relier une application à ${companies.join(", ")} : seul un propriétaire (owner) de l’entreprise peut approuver ou refuser.`,
  notOwnerWay: fr`Demandez à un propriétaire d’ouvrir ce lien, ou de changer votre rôle. Le code attend encore.`,

  reviewTitle: (app: string) => fr`${app} demande à envoyer des SMS pour vous`,
  meaning: (app: string, company: string) =>
    fr`Si vous approuvez, ${app} enverra des SMS au nom de ${company}, et ce sont vos crédits qui les paieront.`,
  revocable: fr`Vous pourrez y mettre fin à tout moment.`,
  caution: fr`N’approuvez que si vous avez vous-même demandé ce code dans l’application. Si quelqu’un vous l’a envoyé, refusez.`,
  account: fr`Entreprise`,
  change: fr`Changer`,
  changeCompany: fr`Changer d’entreprise`,
  codeOf: fr`Code`,
  expires: fr`Expire`,
  inMinutes: (minutes: number) => (minutes > 1 ? fr`dans ${minutes} minutes` : fr`dans moins d’une minute`),
  senderLabel: fr`Nom d’expéditeur des SMS`,
  senderNone: fr`Aucun pour l’instant`,
  senderNoneHint: fr`L’application ne pourra pas encore envoyer.`,
  senderMissing: fr`Vous n’avez pas encore de nom d’expéditeur accepté. Vous pouvez approuver : l’application enverra dès que vous lui en aurez attribué un.`,
  approve: fr`Approuver`,
  refuse: fr`Refuser`,
  signedInAs: (phone: string) => fr`Connecté avec le ${phone}.`,

  approvedTitle: fr`C’est approuvé`,
  approved: (app: string, company: string) => fr`${app} peut désormais envoyer des SMS au nom de ${company}.`,
  approvedWithoutSender: (app: string, company: string) =>
    fr`${app} est reliée à ${company}. Elle pourra envoyer des SMS dès que vous lui aurez attribué un nom d’expéditeur.`,
  deniedTitle: fr`C’est refusé`,
  denied: (app: string) => fr`${app} n’a reçu aucun accès, et ce code ne sert plus.`,
  back: fr`Vous pouvez fermer cette page et revenir à l’application.`,
  closed: fr`Par sécurité, vous avez été déconnecté de cette page.`,
  staysSignedIn: fr`Vous restez connecté à la console.`,

  staleTitle: fr`Cette page a expiré`,
  stale: fr`Pour votre sécurité, une page ouverte depuis plus de 15 minutes, ou venue d’un autre site, n’est plus acceptée. Les cookies doivent être autorisés.`,
  again: fr`Recommencer`,

  claimTitle: (app: string) => fr`Les secrets de ${app}`,
  claimLead: fr`Votre application est approuvée. Cette page montre ses secrets une seule fois.`,
  claimReady: fr`Ouvrez-les quand vous êtes prêt à les enregistrer, à l’abri des regards. Le lien ne servira plus ensuite.`,
  claimButton: fr`Afficher les secrets`,
  claimedLead: fr`Copiez-les maintenant et gardez-les en lieu sûr : ils ne seront plus affichés.`,
  claimedWhy: fr`Qui les possède agit au nom de votre application. Ne les envoyez ni par mail ni par message.`,
  apiSecretHint: fr`Pour vos appels à Atumpan, depuis votre serveur seulement.`,
  webhookSecretHint: fr`Pour vérifier que nos webhooks viennent bien de nous.`,
  noWebhookSecret: fr`Sans adresse de webhook, il n’y a pas de secret de webhook.`,
  claimGoneTitle: fr`Ce lien ne sert plus`,
  claimGone: fr`Il a déjà servi, il a plus de 7 jours, ou il a été mal recopié. Si ce n’est pas vous qui l’avez ouvert, prévenez-nous : quelqu’un d’autre a peut-être vos secrets.`,

  brokenTitle: fr`Cette demande n’est pas valable`,
  broken: fr`La page n’a pas compris ce qui lui a été envoyé. Revenez en arrière et recommencez.`,
  insecureTitle: fr`Connexion non sécurisée`,
  insecure: fr`Cette page ne s’ouvre qu’en HTTPS.`,
  downTitle: fr`Le service ne répond pas`,
  down: fr`Réessayez dans un instant : rien n’est perdu.`,
  crashedTitle: fr`Une erreur s’est produite`,
  crashed: (errorId: string) =>
    fr`Elle est de notre fait. Si elle persiste, donnez-nous ce numéro : ${errorId}`,
  busy: (time: string) => fr`Trop d’essais. Réessayez dans ${time}.`,

  codeMalformed: fr`Un code a 10 lettres et chiffres, sans I, L, O, 0 ni 1.`,
  codeInvalid: fr`Ce code n’est pas valable : il est inexact, il a déjà servi, ou il a plus de 10 minutes. Demandez-en un autre à l’application.`,
  phoneInvalid: fr`Ce n’est pas un numéro de téléphone.`,
  phoneBusy: (time: string) =>
    fr`Trop de codes demandés. Attendez ${time} avant d’en demander un autre ; le dernier reçu reste valable 5 minutes.`,
  otpWrong: fr`Ce code est inexact ou n’est plus valable : il expire après 5 minutes ou 5 essais. Vérifiez-le, ou demandez-en un autre.`,
  conflict: fr`Ce compte de l’application est déjà relié à une autre entreprise. Mettez d’abord fin à l’autre connexion.`,
  senderGone: fr`Ce nom d’expéditeur n’est plus utilisable. Choisissez-en un autre.`,
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
  problem: "Something to correct",
  step: (at, of) => `Step ${at} of ${of}`,
  footer: "Atumpan will never ask you for a code by phone or by message.",

  codeTitle: "Connect an application",
  codeLead: "Enter the code that the application shows you.",
  codeLabel: "Pairing code",
  codeHint: "10 letters and digits, for example K7PM4\u00a0QXWDR",
  next: "Continue",

  phoneTitle: "Who are you?",
  phoneLead: "We send you a code by SMS to check that it is really you.",
  phoneLabel: "Your phone number",
  phoneHint:
    "The one of your Atumpan account, for example 07 00 00 00 00. Outside Côte d’Ivoire, begin with + and the country code.",
  phoneButton: "Send me a code",

  otpTitle: "Enter the code you received",
  otpLead: (phone) => `If ${phone} belongs to an account, a 6-digit code has just been sent to it by SMS.`,
  otpLabel: "Code received by SMS",
  otpHint: (minutes) => `6 digits. It is valid for ${minutes} minutes.`,
  otpButton: "Verify",
  otpAgain: "Send another code",
  otherPhone: "Use another number",

  companyTitle: "For which company?",
  companyLead: "It will pay for the application’s SMS.",
  companyLabel: "Company",

  notOwnerTitle: "For owners only",
  notOwner: (companies) =>
    `Your role does not allow you to connect an application to ${companies.join(", ")}: only an owner of the company can approve or refuse.`,
  notOwnerWay: "Ask an owner to open this link, or to change your role. The code still waits.",

  reviewTitle: (app) => `${app} asks to send SMS for you`,
  meaning: (app, company) =>
    `If you approve, ${app} will send SMS on behalf of ${company}, and your credits will pay for them.`,
  revocable: "You can end this at any time.",
  caution:
    "Approve only if you asked for this code yourself, in the application. If somebody sent it to you, refuse.",
  account: "Company",
  change: "Change",
  changeCompany: "Change company",
  codeOf: "Code",
  expires: "Expires",
  inMinutes: (minutes) => (minutes > 1 ? `in ${minutes} minutes` : "in less than a minute"),
  senderLabel: "Sender name of the SMS",
  senderNone: "None for now",
  senderNoneHint: "The application will not be able to send yet.",
  senderMissing:
    "You have no accepted sender name yet. You can approve: the application will send as soon as you assign one to it.",
  approve: "Approve",
  refuse: "Refuse",
  signedInAs: (phone) => `Signed in with ${phone}.`,

  approvedTitle: "Approved",
  approved: (app, company) => `${app} can now send SMS on behalf of ${company}.`,
  approvedWithoutSender: (app, company) =>
    `${app} is connected to ${company}. It can send SMS as soon as you assign a sender name to it.`,
  deniedTitle: "Refused",
  denied: (app) => `${app} was given no access, and this code is used up.`,
  back: "You can close this page and return to the application.",
  closed: "For your safety, you have been signed out of this page.",
  staysSignedIn: "You are still signed in to the console.",

  staleTitle: "This page has expired",
  stale:
    "For your safety, a page that was opened more than 15 minutes ago, or that comes from another site, is not accepted. Cookies must be allowed.",
  again: "Start again",

  claimTitle: (app) => `The secrets of ${app}`,
  claimLead: "Your application is approved. This page shows its secrets only once.",
  claimReady:
    "Open them when you are ready to store them, with nobody watching. The link is of no use afterwards.",
  claimButton: "Show the secrets",
  claimedLead: "Copy them now and keep them in a safe place: they will not be shown again.",
  claimedWhy: "Whoever has them acts on behalf of your application. Do not send them by mail or message.",
  apiSecretHint: "For your calls to Atumpan, from your server only.",
  webhookSecretHint: "To verify that our webhooks really come from us.",
  noWebhookSecret: "Without a webhook address there is no webhook secret.",
  claimGoneTitle: "This link is no longer valid",
  claimGone:
    "It was used already, it is more than 7 days old, or it was copied wrongly. If it was not you who opened it, tell us: somebody else may have your secrets.",

  brokenTitle: "This request is not valid",
  broken: "The page did not understand what was sent to it. Go back and try again.",
  insecureTitle: "Insecure connection",
  insecure: "This page opens over HTTPS only.",
  downTitle: "The service does not answer",
  down: "Try again in a moment: nothing is lost.",
  crashedTitle: "Something went wrong",
  crashed: (errorId) => `It is our fault. If it goes on, give us this number: ${errorId}`,
  busy: (time) => `Too many tries. Try again in ${time}.`,

  codeMalformed: "A code has 10 letters and digits, without I, L, O, 0 and 1.",
  codeInvalid:
    "This code is not valid: it is wrong, was used already, or is more than 10 minutes old. Ask the application for another one.",
  phoneInvalid: "This is not a phone number.",
  phoneBusy: (time) =>
    `Too many codes were asked for. Wait ${time} before asking for another; the last one received stays valid for 5 minutes.`,
  otpWrong:
    "This code is wrong or no longer valid: it expires after 5 minutes or 5 tries. Check it, or ask for another one.",
  conflict:
    "This account of the application is already connected to another company. End the other connection first.",
  senderGone: "This sender name cannot be used any more. Choose another one.",
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

/** A refusal as a sentence; undefined for refusals that a visitor cannot cause. */
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
