// What a change of the audit log made different: a line for each member, as it was and as it is.
import type { LogEntry } from "./admindeeds.ts";
import type { Visit } from "./visit.ts";

type Known = Record<string, unknown>;

/** Members that people meet often, as they are called on the pages. Others keep the names of the interface. */
function memberWords(visit: Visit): Record<string, string> {
  return {
    name: visit.t("Nom", "Name"),
    companyName: visit.t("Entreprise", "Company"),
    description: visit.t("Description", "Description"),
    status: visit.t("État", "State"),
    reason: visit.t("Motif", "Reason"),
    suspensionReason: visit.t("Motif", "Reason"),
    suspendedAt: visit.t("Suspendue depuis", "Suspended since"),
    createdAt: visit.t("Le", "On"),
    role: visit.t("Rôle", "Role"),
    phone: visit.t("Téléphone", "Phone"),
    ownerName: visit.t("Responsable", "Owner"),
    ownerPhone: visit.t("Téléphone du responsable", "Phone of the owner"),
    ownerEmail: visit.t("E-mail du responsable", "Email of the owner"),
    country: visit.t("Pays", "Country"),
    language: visit.t("Langue", "Language"),
    credit: visit.t("Crédits", "Credits"),
    bonusCredit: visit.t("Crédits en plus", "Credits on top"),
    balance: visit.t("Solde", "Balance"),
    amount: visit.t("Prix", "Price"),
    currency: visit.t("Monnaie", "Currency"),
    senderLimit: visit.t("Expéditeurs permis", "Senders allowed"),
    quotas: visit.t("Quotas", "Quotas"),
    partner: visit.t("Revendeur", "Reseller"),
    enabled: visit.t("En service", "In service"),
    host: visit.t("Machine", "Host"),
    prefixes: visit.t("Préfixes", "Prefixes"),
    tps: visit.t("Débit convenu", "Agreed rate"),
    window: visit.t("Fenêtre", "Window"),
    networks: visit.t("Adresses permises", "Addresses allowed"),
    disabledAt: visit.t("Désactivé depuis", "Disabled since"),
    secondFactor: visit.t("Second facteur", "Second factor"),
    text: visit.t("Texte", "Text"),
    contactCount: visit.t("Destinataires", "Recipients"),
    creditUsed: visit.t("Crédits", "Credits"),
    shown: visit.t("Messages lus", "Messages read"),
    to: visit.t("À", "To"),
  };
}

const DETAILS_AT_MOST = 12;
const TEXT_AT_MOST = 120;

/** The members that the change made different, as lines. */
export function detailsOf(visit: Visit, { before, after }: LogEntry): string[] {
  const [was, is] = [before as Known | null, after as Known | null];
  const names = Object.keys(is ?? was ?? {}).filter((name) => !/^(id|hash)$|Id$/.test(name));
  const words = memberWords(visit);
  return names.slice(0, DETAILS_AT_MOST).map((member) => {
    const [old, now] = [was?.[member], is?.[member]];
    const name = Object.hasOwn(words, member) ? words[member] : member;
    if (was === null || old === undefined) return `${name} : ${shown(visit, now)}`;
    if (is === null) return `${name} : ${shown(visit, old)}`;
    return `${name} : ${shown(visit, old)} → ${shown(visit, now)}`;
  });
}

function shown(visit: Visit, value: unknown): string {
  if (value === null || value === undefined || value === "") return "–";
  if (typeof value === "boolean") return value ? visit.t("oui", "yes") : visit.t("non", "no");
  if (typeof value === "number") return visit.formats.number(value);
  if (typeof value === "string" && /^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(value))
    return visit.formats.moment(value);
  const text = typeof value === "string" ? value : JSON.stringify(value);
  return text.length <= TEXT_AT_MOST ? text : `${text.slice(0, TEXT_AT_MOST)}…`;
}
