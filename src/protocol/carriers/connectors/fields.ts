// Fields that several built-in connectors have.
import type { ConnectorField } from "../connector.ts";

/** The address of a carrier's API: preset where the carrier has one for everybody. */
export function apiAddress(usual: string): ConnectorField {
  return {
    name: "baseUrl",
    title: { fr: "Adresse de l’API", en: "API address" },
    help: {
      fr: "À changer seulement si votre compte a une autre adresse, ou pour un essai avec un simulateur.",
      en: "Change it only if your account has another address, or to test with a simulator.",
    },
    format: "url",
    default: usual,
  };
}

/** The address of a server that the administrator runs. */
export function serverAddress(example: string): ConnectorField {
  return {
    name: "baseUrl",
    title: { fr: "Adresse du serveur", en: "Server address" },
    help: { fr: `Par exemple ${example}`, en: `For example ${example}` },
    format: "url",
  };
}
