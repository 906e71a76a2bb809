// What the entries of the audit log say, as sentences: "Awa Koné a accepté l’expéditeur BOUTIQUE".
import type { Language } from "../kernel/refusals.ts";
import { companyNames, namesOf } from "./admin.ts";
import { type Data, Refused } from "./ask.ts";
import type { Visit } from "./visit.ts";

export type LogEntry = Data<"/v1/admin/audit/list">[number];

/** `name` is the action in a list of actions, `done` what somebody did, before the name of the thing. */
type Deed = { name: string; done: string };

const deed = (frName: string, frDone: string, enName: string, enDone: string): Record<Language, Deed> => ({
  fr: { name: frName, done: frDone },
  en: { name: enName, done: enDone },
});

/** The actions that people look for. Others are shown by their address in the interface. */
export const DEEDS: Readonly<Record<string, Record<Language, Deed>>> = {
  "admin/session/confirm": deed(
    "Connexion d’un administrateur",
    "s’est connecté à l’administration",
    "Sign-in of an administrator",
    "signed in to the administration",
  ),
  "admin/session/enrol": deed(
    "Choix d’un second facteur",
    "a choisi son second facteur",
    "Enrolment of a second factor",
    "enrolled a second factor",
  ),
  "admin/session/{id}/end": deed(
    "Fin d’une session",
    "a mis fin à une session d’administrateur",
    "End of a session",
    "ended a session of an administrator",
  ),
  "admin/user/create": deed(
    "Nouvel administrateur",
    "a créé l’administrateur",
    "New administrator",
    "made the administrator",
  ),
  "admin/user/{id}/update": deed(
    "Changement d’un administrateur",
    "a modifié l’administrateur",
    "Change of an administrator",
    "changed the administrator",
  ),
  "admin/user/{id}/disable": deed(
    "Administrateur désactivé",
    "a désactivé l’administrateur",
    "Administrator disabled",
    "disabled the administrator",
  ),
  "admin/user/{id}/enable": deed(
    "Administrateur réactivé",
    "a réactivé l’administrateur",
    "Administrator enabled",
    "enabled the administrator",
  ),
  "admin/user/{id}/second-factor/reset": deed(
    "Second facteur retiré",
    "a retiré le second facteur d’un administrateur",
    "Second factor reset",
    "reset the second factor of an administrator",
  ),
  "admin/key/create": deed(
    "Nouvelle clé de machine",
    "a créé la clé de machine",
    "New key of a machine",
    "made the machine key",
  ),
  "admin/key/{id}/revoke": deed(
    "Clé de machine révoquée",
    "a révoqué la clé de machine",
    "Key of a machine revoked",
    "revoked the machine key",
  ),
  "admin/company/create": deed(
    "Nouvelle entreprise",
    "a créé l’entreprise",
    "New company",
    "made the company",
  ),
  "admin/company/{id}/update": deed(
    "Changement d’une entreprise",
    "a modifié l’entreprise",
    "Change of a company",
    "changed the company",
  ),
  "admin/company/{id}/suspend": deed(
    "Entreprise suspendue",
    "a suspendu l’entreprise",
    "Company suspended",
    "suspended the company",
  ),
  "admin/company/{id}/resume": deed(
    "Entreprise rétablie",
    "a rétabli l’entreprise",
    "Company resumed",
    "resumed the company",
  ),
  "admin/company/{id}/key/reset": deed(
    "Clé d’entreprise remplacée",
    "a donné une nouvelle clé à l’entreprise",
    "Key of a company reset",
    "gave the company a new key",
  ),
  "admin/credit/grant": deed("Crédits accordés", "a crédité", "Credits granted", "granted credits to"),
  "admin/partner/enable": deed(
    "Nouveau revendeur",
    "a fait revendeur l’entreprise",
    "New reseller",
    "made a reseller of the company",
  ),
  "admin/partner/{id}/disable": deed(
    "Fin d’un revendeur",
    "a mis fin au rôle de revendeur de l’entreprise",
    "End of a reseller",
    "ended the reseller role of the company",
  ),
  "admin/sender/create": deed("Expéditeur donné", "a donné l’expéditeur", "Sender given", "gave the sender"),
  "admin/sender/{id}/submit": deed(
    "Expéditeur soumis",
    "a soumis l’expéditeur",
    "Sender submitted",
    "submitted the sender",
  ),
  "admin/sender/{id}/accept": deed(
    "Expéditeur accepté",
    "a accepté l’expéditeur",
    "Sender accepted",
    "accepted the sender",
  ),
  "admin/sender/{id}/refuse": deed(
    "Expéditeur refusé",
    "a refusé l’expéditeur",
    "Sender refused",
    "refused the sender",
  ),
  "admin/third-party-app/{id}/approve": deed(
    "Application acceptée",
    "a accepté l’application",
    "Application approved",
    "approved the application",
  ),
  "admin/third-party-app/{id}/reject": deed(
    "Application refusée",
    "a refusé l’application",
    "Application rejected",
    "rejected the application",
  ),
  "admin/third-party-app/{id}/deactivate": deed(
    "Application désactivée",
    "a désactivé l’application",
    "Application deactivated",
    "deactivated the application",
  ),
  "admin/third-party-app/{id}/reactivate": deed(
    "Application réactivée",
    "a réactivé l’application",
    "Application reactivated",
    "reactivated the application",
  ),
  "admin/campaign/{id}/release": deed(
    "Campagne libérée",
    "a laissé partir une campagne",
    "Campaign released",
    "let a campaign go",
  ),
  "admin/campaign/{id}/cancel": deed(
    "Campagne annulée par l’administration",
    "a annulé une campagne",
    "Campaign cancelled by the administration",
    "cancelled a campaign",
  ),
  "admin/otp/allow": deed(
    "Codes permis de nouveau",
    "a laissé repartir les codes d’un compte",
    "Codes allowed again",
    "let the codes of an account go again",
  ),
  "admin/operator/create": deed(
    "Nouvel opérateur",
    "a ajouté l’opérateur",
    "New operator",
    "added the operator",
  ),
  "admin/operator/{id}/update": deed(
    "Changement d’un opérateur",
    "a modifié l’opérateur",
    "Change of an operator",
    "changed the operator",
  ),
  "admin/operator/{id}/delete": deed(
    "Opérateur retiré",
    "a retiré l’opérateur",
    "Operator deleted",
    "deleted the operator",
  ),
  "admin/operator/{id}/test": deed(
    "Essai d’un opérateur",
    "a essayé un opérateur",
    "Test of an operator",
    "tested an operator",
  ),
  "admin/ported/import": deed(
    "Numéros portés importés",
    "a importé des numéros portés",
    "Ported numbers imported",
    "imported ported numbers",
  ),
  "admin/ported/clear": deed(
    "Numéros portés oubliés",
    "a oublié tous les numéros portés",
    "Ported numbers forgotten",
    "forgot all ported numbers",
  ),
  "admin/simulator/inbox": deed(
    "Lecture d’un téléphone simulé",
    "a lu les téléphones simulés",
    "Read of a simulated handset",
    "read the simulated handsets",
  ),
  "admin/simulator/reply": deed(
    "Réponse d’un téléphone simulé",
    "a répondu depuis un téléphone simulé",
    "Answer of a simulated handset",
    "answered from a simulated handset",
  ),
  "admin/offer/create": deed(
    "Nouvelle offre",
    "a mis en vente l’offre",
    "New offer",
    "put on sale the offer",
  ),
  "admin/offer/{id}/archive": deed(
    "Offre archivée",
    "a archivé l’offre",
    "Offer archived",
    "archived the offer",
  ),
  "admin/person/erase": deed(
    "Personne effacée",
    "a demandé d’effacer une personne",
    "Person erased",
    "asked to erase a person",
  ),
  "session/confirm": deed("Connexion d’une personne", "s’est connecté", "Sign-in of a person", "signed in"),
  "session/{id}/end": deed(
    "Fin d’une session d’entreprise",
    "a fermé une session",
    "End of a company’s session",
    "ended a session",
  ),
  "signup/confirm": deed("Inscription", "a inscrit son entreprise", "Sign-up", "signed a company up"),
  "sender/create": deed(
    "Demande d’un expéditeur",
    "a demandé l’expéditeur",
    "Request for a sender",
    "asked for the sender",
  ),
  "campaign/create": deed("Nouvelle campagne", "a créé la campagne", "New campaign", "made the campaign"),
  "campaign/{id}/cancel": deed(
    "Campagne annulée",
    "a annulé une campagne",
    "Campaign cancelled",
    "cancelled a campaign",
  ),
  "third-party-app/submit": deed(
    "Demande d’une application",
    "a proposé l’application",
    "Request for an application",
    "submitted the application",
  ),
  "contact/create": deed("Nouveaux contacts", "a ajouté des contacts", "New contacts", "added contacts"),
  "company/key/create": deed(
    "Nouvelle clé d’entreprise",
    "a créé la clé",
    "New key of a company",
    "made the key",
  ),
  "company/member/create": deed("Nouveau membre", "a ajouté le membre", "New member", "added the member"),
  "topup/begin": deed("Recharge commencée", "a commencé une recharge", "Top-up begun", "began a top-up"),
  "company/close": deed(
    "Fermeture d’une entreprise",
    "a fermé l’entreprise",
    "Close of a company",
    "closed the company",
  ),
};

/** Who did it. The key of the installation has the name of its setting. */
export function whoOf(visit: Visit, { actor }: LogEntry): string {
  if (actor.name === "ADMIN_KEY") return visit.t("La clé d’installation", "The key of the installation");
  if (actor.name !== null) return actor.name;
  const kinds = {
    administrator: visit.t("Un administrateur", "An administrator"),
    user: visit.t("Un membre", "A member"),
    reseller: visit.t("Un revendeur", "A reseller"),
    application: visit.t("Une application", "An application"),
    visitor: visit.t("Un visiteur", "A visitor"),
  };
  return kinds[actor.kind];
}

/** The lists that have the names of the things in the log, by their kinds there. */
function listOfKind(visit: Visit, kind: string): Parameters<typeof namesOf>[0] | undefined {
  switch (kind) {
    case "sender":
      return (wanted) => visit.askAsAdministrator("/v1/admin/sender/list", wanted);
    case "application":
      return (wanted) => visit.askAsAdministrator("/v1/admin/third-party-app/list", wanted);
    case "operator":
      return (wanted) => visit.askAsAdministrator("/v1/admin/operator/list", wanted);
    case "administrator":
    case "second-factor":
      return (wanted) => visit.askAsAdministrator("/v1/admin/user/list", wanted);
    case "administrator-key":
      return (wanted) => visit.askAsAdministrator("/v1/admin/key/list", wanted);
    case "topup-offer":
      return (wanted) => visit.askAsAdministrator("/v1/admin/offer/list", wanted);
    default:
      return undefined;
  }
}

/**
 * The names of the companies and things of these entries, by their ids. An entry has only the members that a change made
 * different, and a name is seldom one of them.
 */
export async function namesIn(
  visit: Visit,
  entries: readonly LogEntry[],
): Promise<ReadonlyMap<string, string>> {
  const kinds = [...new Set(entries.map(({ on }) => on.kind))];
  const asked = kinds.map(async (kind) => {
    const list = listOfKind(visit, kind);
    const ids = entries.filter(({ on }) => on.kind === kind).map(({ on }) => on.id);
    try {
      return list ? await namesOf(list, ids) : [];
    } catch (error) {
      // A role that may read the log may not read every list.
      if (error instanceof Refused && error.code === "not-authorized") return [];
      throw error;
    }
  });
  const companies = companyNames(
    visit,
    entries.map(({ companyId }) => companyId),
  );
  const found = await Promise.all([companies, ...asked]);
  return new Map(found.flatMap((names) => [...names]));
}

type Known = Record<string, unknown>;

/** What was done, with the name of the thing where the entry has it. */
export function deedOf(visit: Visit, entry: LogEntry, names: ReadonlyMap<string, string>): string {
  const known = { ...(entry.before as Known | null), ...(entry.after as Known | null) };
  const name = [known.name, names.get(entry.on.id ?? "")].find((one) => typeof one === "string");
  const words = DEEDS[entry.action]?.[visit.language];
  if (!words) return `: ${entry.action}`;
  const credit = entry.action === "admin/credit/grant" && typeof known.credit === "number" && known.credit;
  const amount = credit
    ? visit.formats.count(credit, visit.t("crédit", "credit"), visit.t("crédits", "credits"))
    : "";
  const which = typeof name === "string" ? ` ${name}` : "";
  if (credit) return visit.t(`a accordé ${amount}`, `granted ${amount}`);
  return `${words.done}${which}`;
}
