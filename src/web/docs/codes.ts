// The meaning and remedy of each error code, in French and English. A code without an entry does not compile.
import type { Code, Sentence } from "../../platform/http/refusals.ts";

/** `action` is what the caller should do next. Names of fields and paths are in backticks. */
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
    fr: "Un champ manque ou n’est pas valide ; details indique lequel et pourquoi.",
    en: "A field is missing or not valid; details says which and why.",
    action: {
      fr: "Lisez `details` : chaque entrée indique le champ et la valeur attendue. Corrigez la requête avant de la renvoyer.",
      en: "Read `details`: each entry names the field and the expected value. Correct the request before you send it again.",
    },
  },
  "request-too-large": {
    fr: "Le corps dépasse 64 Kio, ou 5 Mio pour les opérations qui acceptent des milliers de contacts.",
    en: "The body exceeds 64 KiB, or 5 MiB for operations that accept thousands of contacts.",
    action: {
      fr: "Divisez la requête en plusieurs, ou importez un fichier.",
      en: "Split the request into several, or import a file.",
    },
  },
  "invalid-phone-number": {
    fr: "Un numéro de téléphone n’est pas valide : il faut 8 à 15 chiffres, avec l’indicatif du pays.",
    en: "A phone number is not valid: it must have 8 to 15 digits, with the country code.",
    action: {
      fr: "Corrigez le numéro indiqué dans `details` : l’indicatif du pays, puis le numéro.",
      en: "Correct the number named in `details`: the country code, then the number.",
    },
  },
  "invalid-schedule": {
    fr: "La date n’existe pas, n’a pas de fuseau horaire, est passée, est trop lointaine ou ne tombe pas sur un quart d’heure.",
    en: "The date does not exist, has no time zone, is in the past, is too far ahead, or is not on a quarter of an hour.",
    action: {
      fr: "Indiquez une date future, avec son fuseau horaire, aux minutes 00, 15, 30 ou 45.",
      en: "Give a future time, with its time zone, at minute 00, 15, 30 or 45.",
    },
  },
  "message-too-long": {
    fr: "Le texte personnalisé dépasse 10 segments.",
    en: "The personalized text exceeds 10 segments.",
    action: {
      fr: "Raccourcissez le texte ; le compteur du guide « Tarif et segments » affiche sa longueur.",
      en: "Shorten the text; the counter in the guide “Pricing and segments” shows its length.",
    },
  },
  "too-many-contacts": {
    fr: "La requête contient plus de 10 000 contacts ou identifiants.",
    en: "The request contains more than 10,000 contacts or ids.",
    action: {
      fr: "Divisez la liste, ou ajoutez les contacts à un groupe et envoyez à ce groupe.",
      en: "Split the list, or add the contacts to a group and send to the group.",
    },
  },
  "no-recipient": {
    fr: "Il ne reste aucun destinataire.",
    en: "No recipients are left.",
    action: {
      fr: "Lisez `details` : tous les numéros sont désinscrits, non valides ou sans opérateur. Il est inutile de renvoyer la requête.",
      en: "Read `details`: all numbers have opted out, are not valid or have no operator. Sending the request again does not help.",
    },
  },
  "insufficient-credits": {
    fr: "Le solde est insuffisant ; rien n’est envoyé ni débité.",
    en: "The balance is too low; nothing is sent or charged.",
    action: {
      fr: "Rechargez, puis renvoyez la même requête. `credit/balance` indique le solde.",
      en: "Top up, then send the same request again. `credit/balance` returns the balance.",
    },
  },
  "sender-limit-reached": {
    fr: "L’entreprise a atteint son nombre maximal d’expéditeurs.",
    en: "The company has reached its maximum number of senders.",
    action: {
      fr: "Demandez une limite plus élevée, ou utilisez un expéditeur existant.",
      en: "Request a higher limit, or use an existing sender.",
    },
  },
  "sender-name-taken": {
    fr: "L’entreprise a déjà un expéditeur portant ce nom.",
    en: "The company already has a sender with this name.",
    action: {
      fr: "Utilisez l’expéditeur existant, indiqué par `sender/list`.",
      en: "Use the existing sender, shown by `sender/list`.",
    },
  },
  "sender-not-accepted": {
    fr: "L’expéditeur existe, mais n’est pas encore accepté.",
    en: "The sender exists but has not been accepted yet.",
    action: {
      fr: "Attendez son acceptation ; d’ici là, envoyez sans `senderId`.",
      en: "Wait until it is accepted; until then, send without `senderId`.",
    },
  },
  "sender-not-assigned": {
    fr: "Aucun expéditeur n’est attribué à cette connexion.",
    en: "No sender is assigned to this connection.",
    action: {
      fr: "L’entreprise doit attribuer un expéditeur à la connexion avec `connection/{id}/sender`.",
      en: "The company must assign a sender to the connection with `connection/{id}/sender`.",
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
    fr: "La campagne est déjà terminée ou annulée.",
    en: "The campaign has already ended or been canceled.",
    action: {
      fr: "Aucune action n’est nécessaire. Consultez son statut avec `campaign/{id}`.",
      en: "No action is needed. Read its status with `campaign/{id}`.",
    },
  },
  "wrong-otp": {
    fr: "Le code ne correspond pas.",
    en: "The code does not match.",
    action: {
      fr: "Demandez à la personne de saisir de nouveau le code.",
      en: "Ask the person to enter the code again.",
    },
  },
  "otp-expired": {
    fr: "Le code est correct, mais il a expiré ou a été remplacé par un autre.",
    en: "The code is correct, but it has expired or was replaced by another.",
    action: {
      fr: "Demandez un nouveau code, puis vérifiez-le avec le nouveau `token`.",
      en: "Request a new code, then verify it with the new `token`.",
    },
  },
  "otp-already-used": {
    fr: "Le code a déjà été utilisé.",
    en: "The code was already used.",
    action: {
      fr: "La personne est déjà vérifiée. Pour une autre action, demandez un nouveau code.",
      en: "The person is already verified. For another action, request a new code.",
    },
  },
  "otp-max-attempts": {
    fr: "Le nombre maximal d’essais est dépassé.",
    en: "Too many attempts were made.",
    action: {
      fr: "Demandez un nouveau code. Les essais des dernières 24 heures sont aussi limités.",
      en: "Request a new code. The attempts of the last 24 hours are limited too.",
    },
  },
  "destination-blocked": {
    fr: "Les envois vers cette destination sont bloqués, car ils ressemblent à une fraude.",
    en: "Sends to this destination are blocked because they look like fraud.",
    action: {
      fr: "Vérifiez qui demande ces codes ; il s’agit souvent d’un robot. Si les demandes sont légitimes, écrivez au support.",
      en: "Check who requests these codes; it is often a bot. If the requests are genuine, contact support.",
    },
  },
  "app-slug-taken": {
    fr: "Une autre application utilise déjà cet identifiant court.",
    en: "Another application already uses this slug.",
    action: {
      fr: "Choisissez un autre `slug`.",
      en: "Choose another `slug`.",
    },
  },
  "pairing-code-invalid": {
    fr: "Le code de jumelage est faux, déjà utilisé ou expiré.",
    en: "The pairing code is wrong, used or expired.",
    action: {
      fr: "Démarrez un nouveau jumelage et affichez le nouveau code.",
      en: "Start a new pairing and show the new code.",
    },
  },
  "connection-conflict": {
    fr: "Ce compte externe est déjà connecté à un autre compte.",
    en: "This external account is already connected to another account.",
    action: {
      fr: "Révoquez l’autre connexion, ou utilisez un autre `externalAccountId`.",
      en: "Revoke the other connection, or use another `externalAccountId`.",
    },
  },
  "idempotency-key-reused": {
    fr: "Cette clé d’idempotence a déjà été utilisée pour une autre requête.",
    en: "This idempotency key was already used for another request.",
    action: {
      fr: "Utilisez une nouvelle clé pour chaque nouvelle requête, et la même clé uniquement pour la renvoyer.",
      en: "Use a new key for each new request, and the same key only to send it again.",
    },
  },
  "idempotency-in-progress": {
    fr: "La première requête avec cette clé est encore en cours.",
    en: "The first request with this key is still running.",
    action: {
      fr: "Attendez une seconde, puis renvoyez la requête avec la même clé.",
      en: "Wait a second, then send the request again with the same key.",
    },
  },
  conflict: {
    fr: "L’état actuel ne permet pas cette opération.",
    en: "The current state does not allow this operation.",
    action: {
      fr: "Relisez l’objet : son état a changé. `details` en indique souvent la raison.",
      en: "Read the object again: its state has changed. `details` often gives the reason.",
    },
  },
  "not-authenticated": {
    fr: "Les clés manquent ou sont inconnues ; details indique les clés que l’URL exige.",
    en: "The keys are missing or unknown; details says which keys the URL requires.",
    action: {
      fr: "Vérifiez la clé et `companyId` ; `details` indique les clés que l’URL exige. Ne renvoyez pas la requête en boucle.",
      en: "Check the key and `companyId`; `details` says which keys the URL requires. Do not retry in a loop.",
    },
  },
  "not-authorized": {
    fr: "L’appelant n’a pas ce droit, ou la requête n’a pas été envoyée en HTTPS.",
    en: "The caller does not have this permission, or the request was not sent over HTTPS.",
    action: {
      fr: "Utilisez une clé qui a la portée et le rôle requis, et appelez en HTTPS.",
      en: "Use a key that has the required scope and role, and call over HTTPS.",
    },
  },
  "sign-in-required": {
    fr: "La session est ouverte depuis plus de 15 minutes. Cette requête exige la clé d’une nouvelle connexion, ou une clé qui n’est pas celle d’une session.",
    en: "The session was opened more than 15 minutes ago. This request requires the key of a new sign-in, or a key that is not a session key.",
    action: {
      fr: "Demandez à la personne de se reconnecter, puis renvoyez la requête avec la nouvelle clé.",
      en: "Ask the person to sign in again, then send the request again with the new key.",
    },
  },
  "app-not-active": {
    fr: "L’application n’est pas active.",
    en: "The application is not active.",
    action: {
      fr: "Attendez l’approbation, ou demandez la raison de la désactivation.",
      en: "Wait for approval, or ask why the application was deactivated.",
    },
  },
  "connection-revoked": {
    fr: "L’entreprise a révoqué cette connexion.",
    en: "The company has revoked this connection.",
    action: {
      fr: "Supprimez ce jeton, et proposez à l’entreprise de se reconnecter.",
      en: "Delete this token, and ask the company to connect again.",
    },
  },
  "not-found": {
    fr: "Cette adresse ou cet objet n’existe pas.",
    en: "This path or object does not exist.",
    action: {
      fr: "Vérifiez l’adresse et l’identifiant. L’identifiant appartient peut-être à une autre entreprise.",
      en: "Check the path and the id. The id may belong to another company.",
    },
  },
  "contact-not-found": {
    fr: "Ce contact n’existe pas.",
    en: "The contact does not exist.",
    action: {
      fr: "Supprimez cet identifiant de votre système : le contact a été supprimé.",
      en: "Delete this id from your system: the contact was deleted.",
    },
  },
  "group-not-found": {
    fr: "Ce groupe n’existe pas.",
    en: "The group does not exist.",
    action: {
      fr: "Lisez `group/list` : le groupe a été supprimé, ou il appartient à une autre entreprise.",
      en: "Read `group/list`: the group was deleted, or it belongs to another company.",
    },
  },
  "sender-not-found": {
    fr: "Cet expéditeur n’existe pas.",
    en: "The sender does not exist.",
    action: {
      fr: "Indiquez le nom complet, tel qu’il apparaît dans `sender/list`.",
      en: "Give the full name, as shown by `sender/list`.",
    },
  },
  "campaign-not-found": {
    fr: "Cette campagne n’existe pas.",
    en: "The campaign does not exist.",
    action: {
      fr: "Vérifiez l’identifiant, et la clé avec laquelle la campagne a été créée.",
      en: "Check the id, and the key with which the campaign was created.",
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
      fr: "Lisez `partner/customer/list` : ce client n’est pas l’un des vôtres.",
      en: "Read `partner/customer/list`: this customer is not one of yours.",
    },
  },
  "offer-not-found": {
    fr: "Cette offre n’existe pas.",
    en: "The offer does not exist.",
    action: {
      fr: "Lisez la liste des offres : cette offre est archivée, ou n’est pas l’une des vôtres.",
      en: "Read the list of offers: this offer is archived, or is not one of yours.",
    },
  },
  "purchase-not-found": {
    fr: "Cet achat n’existe pas.",
    en: "The purchase does not exist.",
    action: {
      fr: "Vérifiez l’identifiant reçu dans la réponse à l’achat.",
      en: "Check the id returned by the purchase.",
    },
  },
  "too-many-requests": {
    fr: "Trop de requêtes, ou trop de devis et de campagnes que le solde ne couvre pas ; Retry-After indique combien de secondes attendre.",
    en: "Too many requests, or too many quotes and campaigns that the balance does not cover; Retry-After says how many seconds to wait.",
    action: {
      fr: "Attendez le nombre de secondes de `Retry-After`, puis réessayez. Regroupez vos envois en listes plutôt qu’un par un.",
      en: "Wait the number of seconds in `Retry-After`, then try again. Send in lists, not one by one.",
    },
  },
  "otp-too-many-requests": {
    fr: "Trop de codes ont été demandés pour ce numéro ; Retry-After indique combien de secondes attendre.",
    en: "Too many codes were requested for this number; Retry-After says how many seconds to wait.",
    action: {
      fr: "Attendez le nombre de secondes de `Retry-After`, et affichez un compte à rebours à la personne.",
      en: "Wait the number of seconds in `Retry-After`, and show the person a countdown.",
    },
  },
  "server-error": {
    fr: "Une erreur s’est produite de notre côté ; Atumpan-Error-Id est la référence à nous communiquer.",
    en: "An error occurred on our side; Atumpan-Error-Id is the reference to quote.",
    action: {
      fr: "Renvoyez la requête avec la même clé d’idempotence. Si l’erreur persiste, écrivez-nous en indiquant `Atumpan-Error-Id`.",
      en: "Send the request again with the same idempotency key. If the error persists, contact us with `Atumpan-Error-Id`.",
    },
  },
  "service-unavailable": {
    fr: "Le service est temporairement indisponible ; la même requête aboutira plus tard.",
    en: "The service is temporarily unavailable; the same request will succeed later.",
    action: {
      fr: "Renvoyez la requête avec la même clé d’idempotence, en doublant le délai à chaque tentative.",
      en: "Send the request again with the same idempotency key, and double the delay at each attempt.",
    },
  },
};
