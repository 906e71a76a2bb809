// The URLs of /v1/company.
import { Type } from "typebox";
import { Usage } from "../commerce/apps/shapes.ts";
import { readUsage } from "../commerce/apps/usage.ts";
import { closeCompany, reopenCompany } from "../compliance/privacy/closing.ts";
import { beginExport, readExport as findExport } from "../compliance/privacy/exports.ts";
import { Closing, Export } from "../compliance/privacy/shapes.ts";
import { listRequests } from "../events/requests/requests.ts";
import { OUTCOMES, RequestEntry, requestMeanings } from "../events/requests/shapes.ts";
import { ApprovalChange, readApprovalRule, updateApprovalRule } from "../identity/accounts/approval.ts";
import { companyMay } from "../identity/accounts/callers.ts";
import { ApprovalRule } from "../identity/accounts/shapes.ts";
import { audited, thingMade } from "../identity/audit/audit.ts";
import { listAudit, shownToCompany } from "../identity/audit/lists.ts";
import { AuditEntry, auditFilter } from "../identity/audit/shapes.ts";
import { OwnChanges, readOwnCompany, updateOwnCompany } from "../ledger/credits/settings.ts";
import { OwnCompany } from "../ledger/credits/shapes.ts";
import type { Tx } from "../platform/database/transaction.ts";
import { oneId } from "../platform/http/idschemas.ts";
import { inOrder, listRoute } from "../platform/http/lists.ts";
import { member } from "../platform/http/meanings.ts";
import { daysOfPeriod, timesOfPeriod } from "../platform/http/periods.ts";
import { route } from "../platform/http/routes.ts";

export const readOwn = route("/v1/company/read", {
  title: { fr: "Lire l’entreprise", en: "Read the company" },
  says: {
    fr: "Renvoie l’entreprise : nom, langue, fuseau horaire, limites et solde.",
    en: "Returns the company: name, language, time zone, limits and balance.",
  },
  body: Type.Object({}),
  reads: true,
  caller: companyMay("read"),
  answers: OwnCompany,
  run: (app, { companyId }) => readOwnCompany(app.database.of(companyId), app, companyId),
});

function chosenIn({ name, language, lowBalance }: OwnCompany) {
  return { name, language, lowBalance };
}

export const updateOwn = route("/v1/company/update", {
  title: { fr: "Modifier l’entreprise", en: "Update the company" },
  says: {
    fr: "Modifie le nom de l’entreprise, sa langue, ou le solde au-dessous duquel son propriétaire est averti.",
    en: "Updates the company’s name, its language, or the balance below which its owner is notified.",
  },
  body: OwnChanges,
  caller: companyMay("manage"),
  answers: OwnCompany,
  example: { lowBalance: 500 },
  audit: { fr: "a modifié les réglages de l’entreprise", en: "updated the company settings" },
  run(app, caller, change) {
    const { companyId } = caller;
    const seen = async (tx: Tx) => chosenIn(await readOwnCompany(tx, app, companyId));
    const audit = { on: { kind: "company", id: companyId }, before: seen, after: chosenIn };
    return audited(app, caller, audit, async (tx) => {
      await updateOwnCompany(tx, companyId, change);
      return readOwnCompany(tx, app, companyId);
    });
  },
});

export const list = listRoute("/v1/company/request/list", {
  title: { fr: "Lister les requêtes de l’entreprise", en: "List the company’s requests" },
  says: {
    fr: "Liste les requêtes de l’entreprise et de ses applications depuis 14 jours, de la plus récente à la plus ancienne. Les requêtes réussies sont comptées par heure.",
    en: "Lists the requests of the company and its applications in the last 14 days, newest first. Successful requests are counted by the hour.",
  },
  body: {
    outcome: member(Type.Optional(Type.Enum([...OUTCOMES])), requestMeanings.outcome),
    path: member(Type.Optional(Type.String({ maxLength: 200 })), requestMeanings.path),
    from: timesOfPeriod.from,
  },
  caller: companyMay("read"),
  whenClosed: true,
  rows: RequestEntry,
  list: (app, caller, wanted) => listRequests(app.database.of(caller.companyId), caller.companyId, wanted),
});

export const usage = route("/v1/company/usage", {
  title: { fr: "Lire l’utilisation des quotas", en: "Read quota usage" },
  says: {
    fr: "Renvoie l’utilisation de chaque quota, et les messages envoyés par jour, opérateur et type.",
    en: "Returns the usage of each quota, and the messages sent by day, operator and kind.",
  },
  body: Type.Object({ ...daysOfPeriod }),
  reads: true,
  caller: companyMay("read"),
  whenClosed: true,
  answers: Usage,
  example: {},
  run: (app, caller, wanted) => readUsage(app, caller, wanted),
});

export const updateApproval = route("/v1/company/approval/update", {
  title: { fr: "Régler l’approbation des campagnes", en: "Set the approval of campaigns" },
  says: {
    fr: "Définit les campagnes qu’une deuxième personne doit approuver, et renvoie la règle. Sans approval, approvalThreshold ni approvalOfKeys, rien ne change.",
    en: "Sets which campaigns a second person has to approve, and returns the rule. Without approval, approvalThreshold and approvalOfKeys nothing changes.",
  },
  body: ApprovalChange,
  caller: companyMay("manage"),
  answers: ApprovalRule,
  refuses: ["conflict"],
  example: { approval: "none", approvalThreshold: 100 },
  audit: { fr: "a modifié la règle d’approbation", en: "updated the approval rule" },
  run(app, caller, { approval, approvalThreshold, approvalOfKeys }) {
    const { companyId } = caller;
    // The body contains the credentials too, which are not audited.
    const change = {
      ...(approval !== undefined && { approval }),
      ...(approvalThreshold !== undefined && { approvalThreshold }),
      ...(approvalOfKeys !== undefined && { approvalOfKeys }),
    };
    if (Object.keys(change).length === 0) return readApprovalRule(app.database.of(companyId), companyId);
    const before = (tx: Tx) => readApprovalRule(tx, companyId);
    return audited(app, caller, { on: { kind: "company", id: companyId }, before }, (tx) =>
      updateApprovalRule(tx, caller, change),
    );
  },
});

export const listOwnAudit = listRoute("/v1/company/audit/list", {
  title: { fr: "Lire le journal d’audit de l’entreprise", en: "Read the company’s audit log" },
  says: {
    fr: "Liste les actions de l’entreprise et celles des administrateurs qui la concernent, de la plus récente à la plus ancienne.",
    en: "Lists the actions of the company and those of administrators that concern it, newest first.",
  },
  body: { ...auditFilter, ...inOrder("desc") },
  caller: companyMay("manage"),
  rows: AuditEntry,
  async list(app, { companyId }, wanted) {
    const listed = await listAudit(app.database.of(companyId), { ...wanted, companyId });
    return { ...listed, rows: listed.rows.map(shownToCompany) };
  },
});

export const exportCompany = route("/v1/company/export", {
  title: { fr: "Exporter les données de l’entreprise", en: "Export the company’s data" },
  says: {
    fr: "Démarre l’export des données de l’entreprise en CSV et en JSON.",
    en: "Starts an export of the company’s data, as CSV and JSON.",
  },
  body: Type.Object({}),
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Export,
  audit: { fr: "a demandé un export des données", en: "requested a data export" },
  run: (app, caller) =>
    audited(app, caller, { on: thingMade("export") }, (tx) => beginExport(app, tx, caller)),
});

export const readExport = route("/v1/company/export/{id}", {
  title: { fr: "Suivre un export de données", en: "Read the progress of a data export" },
  says: {
    fr: "Renvoie l’avancement d’un export de données et son lien de téléchargement.",
    en: "Returns the progress of a data export and its download link.",
  },
  body: oneId("companyExport"),
  reads: true,
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Export,
  refuses: ["not-found"],
  run: (app, caller, { id }) => findExport(app, caller, id),
});

/** A reseller's customers are closed and reopened with it. */
const companyOf = ({ companyId }: { companyId: string }) =>
  ({ on: { kind: "company", id: companyId }, spansAccounts: true }) as const;

export const close = route("/v1/company/close", {
  title: { fr: "Fermer l’entreprise", en: "Close the company" },
  says: {
    fr: "Ferme l’entreprise. Ses envois s’arrêtent et ses données sont effacées après 30 jours, sauf si elle est rouverte avant.",
    en: "Closes the company. It stops sending, and its data are erased after 30 days unless it is reopened before.",
  },
  body: Type.Object({
    confirm: member(Type.String({ minLength: 1, maxLength: 200 }), {
      fr: "Identifiant de l’entreprise à fermer, répété pour confirmation",
      en: "ID of the company to close, repeated for confirmation",
    }),
  }),
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Closing,
  refuses: ["conflict"],
  example: { confirm: "<companyToClose>" },
  audit: { fr: "a fermé l’entreprise", en: "closed the company" },
  run: (app, caller, { confirm }) =>
    audited(app, caller, companyOf(caller), (tx) => closeCompany(app, tx, caller, confirm)),
});

export const reopen = route("/v1/company/reopen", {
  title: { fr: "Rouvrir l’entreprise", en: "Reopen the company" },
  says: {
    fr: "Rouvre une entreprise fermée. L’envoi de ses messages en file d’attente reprend.",
    en: "Reopens a closed company. Its queued messages are sent again.",
  },
  body: Type.Object({}),
  caller: companyMay("manage"),
  whenClosed: true,
  answers: Closing,
  refuses: ["conflict"],
  audit: { fr: "a rouvert l’entreprise", en: "reopened the company" },
  run: (app, caller) => audited(app, caller, companyOf(caller), (tx) => reopenCompany(app, tx, caller)),
});
