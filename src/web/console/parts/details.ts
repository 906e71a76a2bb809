// The details of an audit entry: a line for each member that changed, before and after.
import { type Html, html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { adminRoleWord } from "./adminroles.ts";
import { ROLES } from "./roles.ts";

type Known = Record<string, unknown>;

/** The names of frequent members on the pages. Others keep the names of the API. */
function memberWords(visit: Visit): Record<string, string> {
  return {
    name: visit.t("Nom", "Name"),
    companyName: visit.t("Entreprise", "Company"),
    description: visit.t("Description", "Description"),
    status: visit.t("Statut", "Status"),
    reason: visit.t("Motif", "Reason"),
    suspensionReason: visit.t("Motif", "Reason"),
    suspendedAt: visit.t("Suspendue depuis", "Suspended since"),
    role: visit.t("Rôle", "Role"),
    phone: visit.t("Téléphone", "Phone"),
    ownerName: visit.t("Propriétaire", "Owner"),
    ownerPhone: visit.t("Téléphone du propriétaire", "Owner’s phone"),
    ownerEmail: visit.t("E-mail du propriétaire", "Owner’s email"),
    country: visit.t("Pays", "Country"),
    language: visit.t("Langue", "Language"),
    credit: visit.t("Crédits", "Credits"),
    bonusCredit: visit.t("Crédits bonus", "Bonus credits"),
    balance: visit.t("Solde", "Balance"),
    amount: visit.t("Prix", "Price"),
    currency: visit.t("Devise", "Currency"),
    senderLimit: visit.t("Limite d’expéditeurs", "Sender limit"),
    quotas: visit.t("Quotas", "Quotas"),
    partner: visit.t("Revendeur", "Reseller"),
    enabled: visit.t("Activé", "Enabled"),
    host: visit.t("Hôte", "Host"),
    prefixes: visit.t("Préfixes", "Prefixes"),
    tps: visit.t("Débit convenu", "Agreed rate"),
    window: visit.t("Fenêtre", "Window"),
    networks: visit.t("Adresses IP autorisées", "Allowed IP addresses"),
    secondFactor: visit.t("Second facteur", "Second factor"),
    text: visit.t("Texte", "Text"),
    contactCount: visit.t("Destinataires", "Recipients"),
    creditUsed: visit.t("Crédits", "Credits"),
    to: visit.t("À", "To"),
    from: visit.t("De", "From"),
    contacts: visit.t("Contacts", "Contacts"),
    deleted: visit.t("Supprimés", "Deleted"),
    lowBalance: visit.t("Alerte de solde bas", "Low-balance alert"),
    approvalThreshold: visit.t("Seuil d’approbation", "Approval threshold"),
    approvalOfKeys: visit.t("Approbation des envois par clé", "Approval of sends by key"),
    scheduledDate: visit.t("Date d’envoi", "Send time"),
    blockedCount: visit.t("Exclus", "Excluded"),
    expiresAt: visit.t("Expiration", "Expiration"),
    scopes: visit.t("Droits de la clé", "Key permissions"),
    webhookUrl: visit.t("URL des webhooks", "Webhook URL"),
    slug: visit.t("Nom technique", "Technical name"),
    rejectionReason: visit.t("Motif", "Reason"),
    price: visit.t("Prix", "Price"),
    credits: visit.t("Crédits", "Credits"),
    dailyCreditCap: visit.t("Crédits par jour", "Credits per day"),
    customerBalance: visit.t("Solde du client", "Customer balance"),
    partnerBalance: visit.t("Votre solde", "Your balance"),
    revokedAt: visit.t("Révoquée le", "Revoked on"),
    revokedKeys: visit.t("Clés révoquées", "Revoked keys"),
    archivedAt: visit.t("Archivée le", "Archived on"),
    emptyAt: visit.t("Vidée le", "Emptied on"),
    imported: visit.t("Importés", "Imported"),
    refused: visit.t("Refusés", "Refused"),
    removed: visit.t("Retirés", "Removed"),
    email: visit.t("E-mail", "Email"),
    firstName: visit.t("Prénom", "First name"),
    lastName: visit.t("Nom de famille", "Last name"),
  };
}

const DETAILS_AT_MOST = 12;
const TEXT_AT_MOST = 120;

/** An entry of either log. */
export type AuditEntry = { action: string; before: unknown; after: unknown };

/** Members that people do not need, or that the sentence and the time of the entry already show. */
const HIDDEN_MEMBERS =
  /^(id|ids|hash|_count|status|approval|type|shown|createdAt|updatedAt|disabledAt|nextAttemptAt)$|Ids?$/;

function detailsOf(visit: Visit, { action, before, after }: AuditEntry): string[] {
  const [was, is] = [before as Known | null, after as Known | null];
  const names = [...new Set([...Object.keys(was ?? {}), ...Object.keys(is ?? {})])].filter(
    (name) => !HIDDEN_MEMBERS.test(name) && !(isEmpty(was?.[name]) && isEmpty(is?.[name])),
  );
  const words = memberWords(visit);
  return names.slice(0, DETAILS_AT_MOST).map((member) => {
    const [old, now] = [was?.[member], is?.[member]];
    const name = Object.hasOwn(words, member) ? words[member] : member;
    const values = [old, now]
      .filter((value) => value !== undefined)
      .map((value) => (member === "role" ? roleName(visit, action, String(value)) : shown(visit, value)));
    return visit.t(`${name} : ${values.join(" → ")}`, `${name}: ${values.join(" → ")}`);
  });
}

/** Renders the changed members of an entry; false if there are none. */
export function detailsPart(visit: Visit, entry: AuditEntry): Html | false {
  const lines = detailsOf(visit, entry);
  return (
    lines.length > 0 &&
    html`<details><summary>${visit.t("Détails", "Details")}</summary><ul>${lines.map((line) => html`<li><small>${line}</small></li>`)}</ul></details>`
  );
}

function roleName(visit: Visit, action: string, role: string): string {
  if (!action.startsWith("admin/") && Object.hasOwn(ROLES, role))
    return visit.t(...ROLES[role as keyof typeof ROLES].name);
  return adminRoleWord(visit, role);
}

function isEmpty(value: unknown): boolean {
  return (
    value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0)
  );
}

function shown(visit: Visit, value: unknown): string {
  if (isEmpty(value)) return "–";
  if (Array.isArray(value))
    return value.some((one) => typeof one === "object")
      ? visit.formats.number(value.length)
      : cut(value.join(", "));
  if (typeof value === "boolean") return value ? visit.t("oui", "yes") : visit.t("non", "no");
  if (typeof value === "number") return visit.formats.number(value);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return visit.formats.moment(value);
  return cut(typeof value === "string" ? value : JSON.stringify(value));
}

function cut(text: string): string {
  return text.length <= TEXT_AT_MOST ? text : `${text.slice(0, TEXT_AT_MOST)}…`;
}
