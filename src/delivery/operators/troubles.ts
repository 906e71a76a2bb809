// Why a carrier over HTTP refuses our account, in a sentence for administrators: what to do about it.
import type { Sentence } from "../../platform/http/refusals.ts";
import type { ACCOUNT_TROUBLES } from "../../protocol/carriers/connector.ts";

export const troubleSentences: Readonly<Record<(typeof ACCOUNT_TROUBLES)[number], Sentence>> = {
  "bad-credentials": {
    fr: "Le fournisseur refuse les identifiants : vérifiez-les dans les réglages.",
    en: "The provider rejects the credentials: check them in the settings.",
  },
  "no-units": {
    fr: "Le compte chez le fournisseur n’a plus d’unités : achetez un forfait ou rechargez-le.",
    en: "The account at the provider has no units left: buy a bundle or top it up.",
  },
  "contract-ended": {
    fr: "Le contrat avec le fournisseur a expiré : renouvelez-le chez lui.",
    en: "The contract with the provider has expired: renew it there.",
  },
  "country-not-allowed": {
    fr: "Le contrat avec le fournisseur ne comprend pas ce pays : faites-le ouvrir ou retirez ses préfixes.",
    en: "The contract with the provider does not include this country: have it opened, or remove its prefixes.",
  },
  "account-refused": {
    fr: "Le fournisseur refuse ce compte : demandez-lui pourquoi.",
    en: "The provider refuses this account: ask it why.",
  },
  misconfigured: {
    fr: "Le fournisseur ne reconnaît pas notre requête : vérifiez l’adresse et les réglages du connecteur.",
    en: "The provider does not recognize our request: check the address and the settings of the connector.",
  },
};
