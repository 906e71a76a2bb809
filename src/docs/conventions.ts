// Rules that hold for every operation. They stand once on the page and once in the OpenAPI document.

/** In reading order. Names of members stand between backticks. */
export const conventions: readonly { fr: string; en: string }[] = [
  {
    fr: "Chaque opération est un `POST` dont le corps JSON porte les clés de l’appelant. Chaque réponse est HTTP 200 : `{ success, data, error }` ; l’en-tête `Atumpan-Outcome` nomme la classe du résultat. Les listes ajoutent `totalCount`, `count`, `page`, `totalPage` et `nextCursor` : redonnez-le comme `after` pour lire la suite, et aucune ligne ne manque ni ne revient pendant que d’autres s’ajoutent. Avec `after`, `page` vaut 1.",
    en: "Every operation is a `POST` whose JSON body carries the caller’s keys. Every answer is HTTP 200 with `{ success, data, error }`; the header `Atumpan-Outcome` names the class of the outcome. Lists add `totalCount`, `count`, `page`, `totalPage` and `nextCursor`: give it back as `after` to read on, and no row is missed or repeated while others are added. With `after`, `page` is 1.",
  },
  {
    fr: "Un refus peut porter `details`, une liste de `{ field, message }` : `field` est le chemin du champ (`contacts[3].phone`), `body` pour le corps entier, ou le nom d’un en-tête ; `message` est dans la langue de l’entreprise ; si elle n’en a pas choisi, ou si personne n’est reconnu, dans celle de l’en-tête `Accept-Language`, sinon en français. Avec `not-authenticated`, `details` dit quelles clés l’URL demande.",
    en: "A refusal may carry `details`, a list of `{ field, message }`: `field` is the path of the field (`contacts[3].phone`), `body` for the body as a whole, or the name of a header; `message` is in the company’s language; if it has chosen none, or nobody is known, in that of the header `Accept-Language`, else in French. With `not-authenticated`, `details` says which keys the URL wants.",
  },
  {
    fr: "Un champ inconnu est ignoré et signalé : la réponse, ou un refus de classe `invalid-request`, porte alors `warnings`, une liste de `{ field, message }`, 20 au plus, avec le nom connu le plus proche.",
    en: "An unknown field is ignored and reported: the answer, or a refusal of the class `invalid-request`, then carries `warnings`, a list of `{ field, message }`, 20 at most, with the nearest known name.",
  },
  {
    fr: '`null` dans un champ facultatif vaut absent. `""` aussi, sauf dans une modification (`update`, `connection/{id}/sender`), où il vide le champ, et dans une liste, où il est refusé. Les espaces autour d’un `senderId` ne comptent pas.',
    en: '`null` in an optional field means absent. So does `""`, but in a change (`update`, `connection/{id}/sender`) it empties the field, and in a list it is refused. Spaces around a `senderId` do not count.',
  },
  {
    fr: "Un membre d’une entreprise a un rôle. `reader` lit ; `editor` gère aussi contacts, groupes et désinscriptions, et chiffre des campagnes ; `approver` envoie aussi campagnes et mots de passe ; `owner` gère aussi membres, clés, applications, connexions, expéditeurs et revente. Une clé limitée à des portées (`read`, `contacts`, `send`, `otp`) ne peut rien de plus que le rôle de son membre. Chaque opération dit la portée et le rôle qu’elle demande ; sinon `not-authorized`, et `details` dit ce qui manque.",
    en: "A member of a company has a role. A `reader` reads; an `editor` also keeps contacts, groups and opt-outs, and quotes campaigns; an `approver` also sends campaigns and one-time passwords; an `owner` also manages members, keys, applications, connections, senders and reselling. A key that is limited to scopes (`read`, `contacts`, `send`, `otp`) can do no more than the role of its member. Each operation says which scope and role it takes; else `not-authorized`, and `details` says what is missing.",
  },
  {
    fr: "La `sessionKey` d’une personne connectée sert d’`apiKey`. Ce qui dure plus que sa session (clés, membres, secrets, liaisons, fermeture) demande qu’elle ait moins de 15 minutes ; sinon `sign-in-required` : connectez la personne de nouveau par `session/begin` et `session/confirm`, puis refaites la même requête avec la nouvelle clé. Il en va de même de l’`adminKey` d’une session d’administrateur.",
    en: "The `sessionKey` of a person who has signed in is an `apiKey`. What lasts longer than the session (keys, members, secrets, connections, closing) takes one that is younger than 15 minutes; else `sign-in-required`: sign the person in again by `session/begin` and `session/confirm`, then repeat the request with the new key. The same holds for the `adminKey` of an administrator’s session.",
  },
  {
    fr: "Toute réponse porte l’en-tête `Atumpan-Request-Id` : un identifiant à nous, ou celui que votre requête donne dans le même en-tête (1 à 64 caractères parmi `A-Z a-z 0-9 . _ : -` ; tout autre est ignoré). Gardez-le avec votre facture ou votre commande : il mène à la requête, à ce qu’elle a changé ou envoyé, et jusqu’à l’accusé de l’opérateur. Le premier envoi d’une requête porte notre identifiant de celle-ci, les webhooks de ses messages portent l’en-tête (l’identifiant de la campagne, si elle part plus tard), le journal d’audit et celui des requêtes l’ont comme `requestId`. N’y mettez ni téléphone, ni nom, ni clé : il figure dans les journaux. Ce n’est pas une clé d’idempotence : la même requête répétée agit de nouveau.",
    en: "Every answer has the header `Atumpan-Request-Id`: an id of ours, or the one that your request gives in the same header (1 to 64 characters of `A-Z a-z 0-9 . _ : -`; any other is ignored). Keep it with your invoice or order: it leads to the request, to what it changed or sent, and as far as the operator’s receipt. The first send of a request has our id of it, the webhooks of its messages have the header (the campaign’s id, where it goes out later), the audit log and the request log have it as `requestId`. Put no phone, name or key in it: it stands in logs. It is no idempotency key: the same request repeated acts again.",
  },
  {
    fr: "Toute opération qui change quelque chose accepte l’en-tête `Idempotency-Key` (1 à 255 caractères parmi `A-Z a-z 0-9 . _ : -`), gardé 72 heures pour la clé d’accès et le chemin : la même requête répétée reçoit la première réponse et n’a pas d’autre effet. Sans clé d’accès, il vaut pour le réseau de l’appelant. Une requête refusée n’est pas gardée. Les opérations qui lisent l’ignorent.",
    en: "Every operation that changes something takes the header `Idempotency-Key` (1 to 255 characters of `A-Z a-z 0-9 . _ : -`), kept for 72 hours for the credential and the path: the same request repeated gets the first answer and has no other effect. Without a credential, it belongs to the network of the caller. A refused request is not kept. Operations that read ignore it.",
  },
];
