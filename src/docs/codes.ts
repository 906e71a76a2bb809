// The meaning of each error code, in French and in English. A code without its two sentences does not compile.
import type { Code } from "../kernel/refusals.ts";

export const codes: Record<Code, { fr: string; en: string }> = {
  "invalid-json": {
    fr: "Le corps n’est pas du JSON en UTF-8.",
    en: "The body is not JSON in UTF-8.",
  },
  "invalid-request": {
    fr: "Un champ manque ou ne convient pas ; details dit lequel et pourquoi.",
    en: "A field is missing or does not fit; details says which and why.",
  },
  "request-too-large": {
    fr: "Le corps dépasse 64 Kio, ou 5 Mio là où des milliers de contacts peuvent être donnés.",
    en: "The body exceeds 64 KiB, or 5 MiB where thousands of contacts may be given.",
  },
  "invalid-phone-number": {
    fr: "Un numéro n’en est pas un : 8 à 15 chiffres, avec l’indicatif du pays.",
    en: "A phone number is none: 8 to 15 digits, with the country code.",
  },
  "invalid-schedule": {
    fr: "La date n’existe pas, n’a pas de fuseau, est passée, trop lointaine, ou n’est pas à un quart d’heure rond.",
    en: "The date does not exist, has no zone, is past, too far ahead, or not on a quarter of an hour.",
  },
  "message-too-long": {
    fr: "Une fois personnalisé, le texte dépasse 10 segments.",
    en: "Once personalised, the text exceeds 10 segments.",
  },
  "too-many-contacts": {
    fr: "Plus de 10 000 contacts ou identifiants dans une requête.",
    en: "More than 10,000 contacts or ids in one request.",
  },
  "no-recipient": {
    fr: "Il ne reste personne à qui envoyer.",
    en: "Nobody is left to send to.",
  },
  "insufficient-credits": {
    fr: "Le solde ne suffit pas ; rien n’est envoyé ni débité.",
    en: "The balance is too low; nothing is sent or charged.",
  },
  "sender-limit-reached": {
    fr: "L’entreprise a déjà tous les noms d’expéditeur auxquels elle a droit.",
    en: "The company already has all the sender names that it may have.",
  },
  "sender-name-taken": {
    fr: "L’entreprise a déjà un expéditeur de ce nom.",
    en: "The company already has a sender of this name.",
  },
  "sender-not-accepted": {
    fr: "L’expéditeur existe, mais n’est pas encore validé.",
    en: "The sender exists but has not been accepted yet.",
  },
  "sender-not-assigned": {
    fr: "Aucun expéditeur n’est attribué à cette connexion.",
    en: "No sender is assigned to this connection.",
  },
  "contact-phone-taken": {
    fr: "Un autre contact a déjà ce numéro.",
    en: "Another contact already has this number.",
  },
  "campaign-not-cancelable": {
    fr: "La campagne est terminée ou déjà annulée.",
    en: "The campaign has ended or was already canceled.",
  },
  "wrong-otp": {
    fr: "Le code ne correspond pas.",
    en: "The code does not match.",
  },
  "otp-expired": {
    fr: "Le code est juste, mais il est venu trop tard, ou un autre l’a remplacé.",
    en: "The code is right but came too late, or another has replaced it.",
  },
  "otp-already-used": {
    fr: "Le code a déjà servi.",
    en: "The code was already used.",
  },
  "otp-max-attempts": {
    fr: "Trop d’essais ; demandez un nouveau code.",
    en: "Too many attempts; ask for a new code.",
  },
  "destination-blocked": {
    fr: "Les envois vers cette destination sont suspendus : ils ressemblent à une fraude.",
    en: "Sends to this destination are suspended: they look like fraud.",
  },
  "app-slug-taken": {
    fr: "Une autre application porte déjà cet identifiant court.",
    en: "Another application already has this slug.",
  },
  "pairing-code-invalid": {
    fr: "Le code d’appairage est faux, déjà utilisé ou expiré.",
    en: "The pairing code is wrong, used or expired.",
  },
  "connection-conflict": {
    fr: "Ce compte externe est déjà relié à un autre compte.",
    en: "This external account is already linked to another account.",
  },
  "idempotency-key-reused": {
    fr: "Cette clé d’idempotence a déjà servi pour une autre requête.",
    en: "This idempotency key was already used for another request.",
  },
  "idempotency-in-progress": {
    fr: "La première requête avec cette clé est encore en cours ; recommencez dans un instant.",
    en: "The first request with this key is still running; try again in a moment.",
  },
  conflict: {
    fr: "L’état actuel ne permet pas cette opération.",
    en: "The present state does not allow this operation.",
  },
  "not-authenticated": {
    fr: "Les clés manquent ou sont inconnues ; details dit lesquelles l’URL demande.",
    en: "The keys are missing or unknown; details says which ones the URL wants.",
  },
  "not-authorized": {
    fr: "Cet appelant n’a pas ce droit, ou la requête n’est pas venue en HTTPS.",
    en: "This caller may not do this, or the request did not come over HTTPS.",
  },
  "sign-in-required": {
    fr: "La session a été ouverte il y a plus de 15 minutes ; la même requête passe avec la clé d’une nouvelle connexion, ou avec une clé qui n’est pas celle d’une session.",
    en: "The session was opened more than 15 minutes ago; the same request passes with the key of a new sign-in, or with a key that is not that of a session.",
  },
  "app-not-active": {
    fr: "L’application n’est pas active.",
    en: "The application is not active.",
  },
  "connection-revoked": {
    fr: "L’entreprise a révoqué cette connexion.",
    en: "The company has revoked this connection.",
  },
  "not-found": {
    fr: "Cette adresse ou cet objet n’existe pas.",
    en: "This path or object does not exist.",
  },
  "contact-not-found": {
    fr: "Ce contact n’existe pas.",
    en: "The contact does not exist.",
  },
  "group-not-found": {
    fr: "Ce groupe n’existe pas.",
    en: "The group does not exist.",
  },
  "sender-not-found": {
    fr: "Cet expéditeur n’existe pas.",
    en: "The sender does not exist.",
  },
  "campaign-not-found": {
    fr: "Cette campagne n’existe pas.",
    en: "The campaign does not exist.",
  },
  "app-not-found": {
    fr: "Cette application n’existe pas.",
    en: "The application does not exist.",
  },
  "customer-not-found": {
    fr: "Ce client n’existe pas.",
    en: "The customer does not exist.",
  },
  "offer-not-found": {
    fr: "Cette offre n’existe pas.",
    en: "The offer does not exist.",
  },
  "purchase-not-found": {
    fr: "Cet achat n’existe pas.",
    en: "The purchase does not exist.",
  },
  "too-many-requests": {
    fr: "Trop de requêtes, ou trop de devis et de campagnes que le solde ne couvre pas ; Retry-After dit combien de secondes attendre.",
    en: "Too many requests, or too many quotes and campaigns that the balance does not cover; Retry-After says how many seconds to wait.",
  },
  "otp-too-many-requests": {
    fr: "Trop de codes demandés pour ce numéro ; Retry-After dit combien de secondes attendre.",
    en: "Too many codes were asked for this number; Retry-After says how many seconds to wait.",
  },
  "server-error": {
    fr: "Une erreur de notre côté ; Atumpan-Error-Id est la référence à nous donner.",
    en: "A fault of ours; Atumpan-Error-Id is the reference to quote.",
  },
  "service-unavailable": {
    fr: "Le service ne peut pas répondre maintenant ; la même requête passera plus tard.",
    en: "The service cannot answer now; the same request will pass later.",
  },
};
