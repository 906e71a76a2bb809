// What each error code means and what to do about it, in French and in English. A code without them does not compile.
import type { Code, Sentence } from "../kernel/refusals.ts";

/** `action` is what the caller does next. Names of members and paths stand between backticks. */
export const codes: Record<Code, Sentence & { action: Sentence }> = {
  "invalid-json": {
    fr: "Le corps n’est pas du JSON en UTF-8.",
    en: "The body is not JSON in UTF-8.",
    action: {
      fr: "Envoyez du JSON en UTF-8, avec `Content-Type: application/json`.",
      en: "Send JSON in UTF-8, with `Content-Type: application/json`.",
    },
  },
  "invalid-request": {
    fr: "Un champ manque ou ne convient pas ; details dit lequel et pourquoi.",
    en: "A field is missing or does not fit; details says which and why.",
    action: {
      fr: "Lisez `details` : chaque entrée nomme le champ et ce qu’il y faut. Corrigez ; ne répétez pas telle quelle.",
      en: "Read `details`: each entry names the field and what it needs. Correct it; do not repeat it as it is.",
    },
  },
  "request-too-large": {
    fr: "Le corps dépasse 64 Kio, ou 5 Mio là où des milliers de contacts peuvent être donnés.",
    en: "The body exceeds 64 KiB, or 5 MiB where thousands of contacts may be given.",
    action: {
      fr: "Coupez l’envoi en plusieurs requêtes, ou importez un fichier.",
      en: "Split it into several requests, or import a file.",
    },
  },
  "invalid-phone-number": {
    fr: "Un numéro n’en est pas un : 8 à 15 chiffres, avec l’indicatif du pays.",
    en: "A phone number is none: 8 to 15 digits, with the country code.",
    action: {
      fr: "Corrigez le numéro que `details` nomme : l’indicatif du pays, puis le numéro.",
      en: "Correct the number that `details` names: the country code, then the number.",
    },
  },
  "invalid-schedule": {
    fr: "La date n’existe pas, n’a pas de fuseau, est passée, trop lointaine, ou n’est pas à un quart d’heure rond.",
    en: "The date does not exist, has no zone, is past, too far ahead, or not on a quarter of an hour.",
    action: {
      fr: "Donnez une heure future, avec fuseau, aux minutes 00, 15, 30 ou 45.",
      en: "Give a time to come, with its zone, at minute 00, 15, 30 or 45.",
    },
  },
  "message-too-long": {
    fr: "Une fois personnalisé, le texte dépasse 10 segments.",
    en: "Once personalised, the text exceeds 10 segments.",
    action: {
      fr: "Raccourcissez le texte ; le compteur du guide « Tarif et segments » dit sa longueur.",
      en: "Shorten the text; the counter of the guide “Tariff and segments” tells its length.",
    },
  },
  "too-many-contacts": {
    fr: "Plus de 10 000 contacts ou identifiants dans une requête.",
    en: "More than 10,000 contacts or ids in one request.",
    action: {
      fr: "Coupez la liste, ou mettez les contacts dans un groupe et envoyez au groupe.",
      en: "Split the list, or put the contacts into a group and send to the group.",
    },
  },
  "no-recipient": {
    fr: "Il ne reste personne à qui envoyer.",
    en: "Nobody is left to send to.",
    action: {
      fr: "Lisez `details` : tous les numéros sont désinscrits, invalides ou sans opérateur. Il n’y a rien à renvoyer.",
      en: "Read `details`: all numbers have opted out, are invalid or have no operator. There is nothing to send again.",
    },
  },
  "insufficient-credits": {
    fr: "Le solde ne suffit pas ; rien n’est envoyé ni débité.",
    en: "The balance is too low; nothing is sent or charged.",
    action: {
      fr: "Rechargez, puis refaites la même requête. `credit/balance` dit le solde.",
      en: "Top up, then repeat the same request. `credit/balance` tells the balance.",
    },
  },
  "sender-limit-reached": {
    fr: "L’entreprise a déjà tous les noms d’expéditeur auxquels elle a droit.",
    en: "The company already has all the sender names that it may have.",
    action: {
      fr: "Demandez une limite plus haute, ou servez-vous d’un nom que vous avez déjà.",
      en: "Ask for a higher limit, or use a name that you already have.",
    },
  },
  "sender-name-taken": {
    fr: "L’entreprise a déjà un expéditeur de ce nom.",
    en: "The company already has a sender of this name.",
    action: {
      fr: "Servez-vous de l’expéditeur que `sender/list` montre.",
      en: "Use the sender that `sender/list` shows.",
    },
  },
  "sender-not-accepted": {
    fr: "L’expéditeur existe, mais n’est pas encore validé.",
    en: "The sender exists but has not been accepted yet.",
    action: {
      fr: "Attendez sa validation ; d’ici là, envoyez sans `senderId`.",
      en: "Wait until it is accepted; until then, send without `senderId`.",
    },
  },
  "sender-not-assigned": {
    fr: "Aucun expéditeur n’est attribué à cette connexion.",
    en: "No sender is assigned to this connection.",
    action: {
      fr: "L’entreprise doit choisir un expéditeur pour la connexion : `connection/{id}/sender`.",
      en: "The company has to choose a sender for the connection: `connection/{id}/sender`.",
    },
  },
  "contact-phone-taken": {
    fr: "Un autre contact a déjà ce numéro.",
    en: "Another contact already has this number.",
    action: {
      fr: "Modifiez l’autre contact, ou supprimez l’un des deux.",
      en: "Change the other contact, or delete one of the two.",
    },
  },
  "campaign-not-cancelable": {
    fr: "La campagne est terminée ou déjà annulée.",
    en: "The campaign has ended or was already canceled.",
    action: {
      fr: "Il n’y a rien à faire : lisez son état par `campaign/{id}`.",
      en: "There is nothing to do: read its state by `campaign/{id}`.",
    },
  },
  "wrong-otp": {
    fr: "Le code ne correspond pas.",
    en: "The code does not match.",
    action: {
      fr: "Laissez la personne saisir le code de nouveau.",
      en: "Let the person type the code again.",
    },
  },
  "otp-expired": {
    fr: "Le code est juste, mais il est venu trop tard, ou un autre l’a remplacé.",
    en: "The code is right but came too late, or another has replaced it.",
    action: {
      fr: "Demandez un nouveau code, et vérifiez avec le nouveau `token`.",
      en: "Ask for a new code, and verify with the new `token`.",
    },
  },
  "otp-already-used": {
    fr: "Le code a déjà servi.",
    en: "The code was already used.",
    action: {
      fr: "La personne est déjà vérifiée ; pour une autre action, demandez un nouveau code.",
      en: "The person is verified already; for another action, ask for a new code.",
    },
  },
  "otp-max-attempts": {
    fr: "Trop d’essais ; demandez un nouveau code.",
    en: "Too many attempts; ask for a new code.",
    action: {
      fr: "Demandez un nouveau code ; les essais du jour sont comptés aussi.",
      en: "Ask for a new code; the tries of the day count too.",
    },
  },
  "destination-blocked": {
    fr: "Les envois vers cette destination sont suspendus : ils ressemblent à une fraude.",
    en: "Sends to this destination are suspended: they look like fraud.",
    action: {
      fr: "Vérifiez qui demande ces codes : un robot, sans doute. Si les demandes sont vraies, écrivez au support.",
      en: "Check who asks for these codes: a robot, most likely. If the requests are genuine, write to support.",
    },
  },
  "app-slug-taken": {
    fr: "Une autre application porte déjà cet identifiant court.",
    en: "Another application already has this slug.",
    action: {
      fr: "Choisissez un autre `slug`.",
      en: "Choose another `slug`.",
    },
  },
  "pairing-code-invalid": {
    fr: "Le code de jumelage est faux, déjà utilisé ou expiré.",
    en: "The pairing code is wrong, used or expired.",
    action: {
      fr: "Commencez un nouveau jumelage et montrez le nouveau code.",
      en: "Begin a new pairing and show the new code.",
    },
  },
  "connection-conflict": {
    fr: "Ce compte externe est déjà relié à un autre compte.",
    en: "This external account is already linked to another account.",
    action: {
      fr: "Mettez fin à l’autre connexion, ou prenez un autre `externalAccountId`.",
      en: "End the other connection, or take another `externalAccountId`.",
    },
  },
  "idempotency-key-reused": {
    fr: "Cette clé d’idempotence a déjà servi pour une autre requête.",
    en: "This idempotency key was already used for another request.",
    action: {
      fr: "Prenez une clé neuve pour chaque nouvelle requête ; la même clé seulement pour la répéter.",
      en: "Take a fresh key for each new request; the same key only to repeat it.",
    },
  },
  "idempotency-in-progress": {
    fr: "La première requête avec cette clé est encore en cours ; recommencez dans un instant.",
    en: "The first request with this key is still running; try again in a moment.",
    action: {
      fr: "Attendez une seconde, puis répétez avec la même clé.",
      en: "Wait a second, then repeat with the same key.",
    },
  },
  conflict: {
    fr: "L’état actuel ne permet pas cette opération.",
    en: "The present state does not allow this operation.",
    action: {
      fr: "Lisez l’objet de nouveau : son état a changé. `details` dit souvent pourquoi.",
      en: "Read the object again: its state has changed. `details` often says why.",
    },
  },
  "not-authenticated": {
    fr: "Les clés manquent ou sont inconnues ; details dit lesquelles l’URL demande.",
    en: "The keys are missing or unknown; details says which ones the URL wants.",
    action: {
      fr: "Vérifiez la clé et `companyId` ; `details` dit quelles clés l’URL demande. Ne répétez pas en boucle.",
      en: "Check the key and `companyId`; `details` says which keys the URL wants. Do not repeat in a loop.",
    },
  },
  "not-authorized": {
    fr: "Cet appelant n’a pas ce droit, ou la requête n’est pas venue en HTTPS.",
    en: "This caller may not do this, or the request did not come over HTTPS.",
    action: {
      fr: "Prenez une clé qui a la portée et le rôle demandés, et appelez en HTTPS.",
      en: "Use a key that has the scope and the role it takes, and call by HTTPS.",
    },
  },
  "sign-in-required": {
    fr: "La session a été ouverte il y a plus de 15 minutes ; la même requête passe avec la clé d’une nouvelle connexion, ou avec une clé qui n’est pas celle d’une session.",
    en: "The session was opened more than 15 minutes ago; the same request passes with the key of a new sign-in, or with a key that is not that of a session.",
    action: {
      fr: "Connectez la personne de nouveau, puis répétez avec la nouvelle clé.",
      en: "Sign the person in again, then repeat with the new key.",
    },
  },
  "app-not-active": {
    fr: "L’application n’est pas active.",
    en: "The application is not active.",
    action: {
      fr: "Attendez l’approbation, ou demandez pourquoi l’application est désactivée.",
      en: "Wait for the approval, or ask why the application is deactivated.",
    },
  },
  "connection-revoked": {
    fr: "L’entreprise a révoqué cette connexion.",
    en: "The company has revoked this connection.",
    action: {
      fr: "Oubliez ce jeton, et proposez à l’entreprise de se relier de nouveau.",
      en: "Forget this token, and offer the company to connect again.",
    },
  },
  "not-found": {
    fr: "Cette adresse ou cet objet n’existe pas.",
    en: "This path or object does not exist.",
    action: {
      fr: "Vérifiez l’adresse et l’identifiant ; il est peut-être celui d’une autre entreprise.",
      en: "Check the address and the id; it may belong to another company.",
    },
  },
  "contact-not-found": {
    fr: "Ce contact n’existe pas.",
    en: "The contact does not exist.",
    action: {
      fr: "Retirez cet identifiant de votre côté : le contact a été supprimé.",
      en: "Drop this id on your side: the contact was deleted.",
    },
  },
  "group-not-found": {
    fr: "Ce groupe n’existe pas.",
    en: "The group does not exist.",
    action: {
      fr: "Lisez `group/list` : le groupe a été supprimé, ou il est d’une autre entreprise.",
      en: "Read `group/list`: the group was deleted, or belongs to another company.",
    },
  },
  "sender-not-found": {
    fr: "Cet expéditeur n’existe pas.",
    en: "The sender does not exist.",
    action: {
      fr: "Donnez le nom entier, tel que `sender/list` l’écrit.",
      en: "Give the full name, as `sender/list` writes it.",
    },
  },
  "campaign-not-found": {
    fr: "Cette campagne n’existe pas.",
    en: "The campaign does not exist.",
    action: {
      fr: "Vérifiez l’identifiant, et la clé avec laquelle la campagne fut créée.",
      en: "Check the id, and the key by which the campaign was made.",
    },
  },
  "app-not-found": {
    fr: "Cette application n’existe pas.",
    en: "The application does not exist.",
    action: {
      fr: "Lisez `third-party-app/my/list`.",
      en: "Read `third-party-app/my/list`.",
    },
  },
  "customer-not-found": {
    fr: "Ce client n’existe pas.",
    en: "The customer does not exist.",
    action: {
      fr: "Lisez `partner/customer/list` : ce client n’est pas le vôtre.",
      en: "Read `partner/customer/list`: this customer is not yours.",
    },
  },
  "offer-not-found": {
    fr: "Cette offre n’existe pas.",
    en: "The offer does not exist.",
    action: {
      fr: "Lisez la liste des offres : celle-ci est archivée, ou n’est pas la vôtre.",
      en: "Read the list of offers: this one is archived, or not yours.",
    },
  },
  "purchase-not-found": {
    fr: "Cet achat n’existe pas.",
    en: "The purchase does not exist.",
    action: {
      fr: "Vérifiez l’identifiant que l’achat a répondu.",
      en: "Check the id that the purchase answered.",
    },
  },
  "too-many-requests": {
    fr: "Trop de requêtes, ou trop de devis et de campagnes que le solde ne couvre pas ; Retry-After dit combien de secondes attendre.",
    en: "Too many requests, or too many quotes and campaigns that the balance does not cover; Retry-After says how many seconds to wait.",
    action: {
      fr: "Attendez les secondes de `Retry-After`, puis répétez. Envoyez par listes plutôt qu’un par un.",
      en: "Wait for the seconds in `Retry-After`, then repeat. Send by lists and not one by one.",
    },
  },
  "otp-too-many-requests": {
    fr: "Trop de codes demandés pour ce numéro ; Retry-After dit combien de secondes attendre.",
    en: "Too many codes were asked for this number; Retry-After says how many seconds to wait.",
    action: {
      fr: "Attendez les secondes de `Retry-After` ; dites-le à la personne, avec un compte à rebours.",
      en: "Wait for the seconds in `Retry-After`; tell the person, with a countdown.",
    },
  },
  "server-error": {
    fr: "Une erreur de notre côté ; Atumpan-Error-Id est la référence à nous donner.",
    en: "A fault of ours; Atumpan-Error-Id is the reference to quote.",
    action: {
      fr: "Répétez avec la même clé d’idempotence. Si cela continue, écrivez-nous avec `Atumpan-Error-Id`.",
      en: "Repeat with the same idempotency key. If it goes on, write to us with `Atumpan-Error-Id`.",
    },
  },
  "service-unavailable": {
    fr: "Le service ne peut pas répondre maintenant ; la même requête passera plus tard.",
    en: "The service cannot answer now; the same request will pass later.",
    action: {
      fr: "Répétez avec la même clé d’idempotence, en doublant l’attente à chaque fois.",
      en: "Repeat with the same idempotency key, and double the wait each time.",
    },
  },
};
