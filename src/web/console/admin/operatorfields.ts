// The fields of an operator: the text that a person types, and the value that the API takes.
import { type Html, html } from "../../../platform/http/html.ts";
import { button, check, field, linkButton, select, textArea } from "../parts/forms.ts";
import { actions } from "../parts/parts.ts";
import { SECRET_FIELD } from "../screens.ts";
import type { Visit } from "../visit.ts";
import type { OperatorShown, Secret, Setting } from "./operatorsettings.ts";

const SECRETS: ReadonlySet<string> = new Set<Secret>(["password", "tlsKey"]);

function isSecret(name: string): name is Secret {
  return SECRETS.has(name);
}

/** Says that a typed secret is gone after an error; undefined for a field that is no secret or was empty. */
export function secretAgain(visit: Visit, name: string): string | undefined {
  const isTyped = visit.problem !== undefined && visit.field(name) !== "";
  if (!isTyped || !(isSecret(name) || name.startsWith(SECRET_FIELD))) return undefined;
  return visit.t(
    "Saisissez de nouveau cette valeur secrète : elle n’est pas conservée après une erreur.",
    "Enter this secret value again: it is not kept after an error.",
  );
}

function shownText({ name, kind }: Setting, operator: OperatorShown): string {
  if (isSecret(name)) return "";
  const value: unknown = operator[name];
  if (name === "overflowAfterS" && value === null) return "0";
  if (value === null) return "";
  if (kind === "yes") return value === true ? "yes" : "";
  if (kind === "pem") return (value as string).trim();
  if (kind === "list") return (value as string[]).join(" ");
  if (kind === "tonNpi") return Object.values(value as { ton: number; npi: number }).join("/");
  return String(value);
}

/** Renders a field. Empty fields of a new operator take their defaults, which the API knows. */
export function settingField(visit: Visit, setting: Setting, operator: OperatorShown | undefined): Html {
  const { name, label, hint, kind, isRequired, first = "" } = setting;
  const known = operator ? shownText(setting, operator) : first;
  const value = visit.has("name") ? visit.field(name) : known;
  const isOptional = isRequired || (name === "password" && !operator) ? undefined : ("silent" as const);
  const said = [secretAgain(visit, name), hint].filter((one) => one !== undefined).join(" ");
  const of = { hint: said === "" ? undefined : said, value, ...(isOptional && { isOptional }) };
  if (kind === "yes") return html`<div>${check(name, label, of)}</div>`;
  if (Array.isArray(kind)) {
    const standard = ["", visit.t("par défaut", "default")] as const;
    const choices = operator ? kind : [standard, ...kind.filter(([one]) => one !== "")];
    return select(visit, name, label, { ...of, choices });
  }
  if (kind === "pem")
    return textArea(visit, name, label, {
      ...of,
      attributes: html`maxlength="65536" autocomplete="off" spellcheck="false"`,
    });
  const isNumber = kind === "number";
  const attributes = isNumber
    ? html`class="short" inputmode="numeric" maxlength="10"`
    : html`maxlength="10000" autocomplete="${name === "password" ? "new-password" : "off"}" spellcheck="false"`;
  return field(visit, name, label, { ...of, attributes, type: name === "password" ? "password" : "text" });
}

/** Returns the request body: all fields of a new operator, only the changed fields of an existing one. */
export function bodyOf(
  visit: Visit,
  settings: readonly Setting[],
  operator?: OperatorShown,
): Record<string, unknown> {
  const body: Record<string, unknown> = {};
  for (const setting of settings) {
    // Browsers end lines with CR LF.
    const typed = visit.field(setting.name).trim().replaceAll("\r\n", "\n");
    if (operator ? typed === shownText(setting, operator) : typed === "" && setting.kind !== "yes") continue;
    body[setting.name] = typedValue(setting, typed);
  }
  return body;
}

function typedValue({ name, kind }: Setting, typed: string): unknown {
  if (kind === "yes") return typed === "yes";
  if (name === "tps") return Number(typed);
  // An empty text restores the default.
  if (typed === "") return kind === "list" ? [] : "";
  if (name === "overflowAfterS") return typed === "0" ? null : Number(typed);
  if (kind === "number") return Number(typed);
  if (kind === "list") return typed.split(/[\s,;]+/).filter((item) => item !== "");
  if (kind === "tonNpi") {
    const [ton, npi] = typed.split("/").map(Number);
    return { ton, npi };
  }
  return typed;
}

/** Renders the buttons under the form that changes an operator. */
export function changeActions(visit: Visit, { id }: OperatorShown): Html {
  return actions([
    button(visit.t("Enregistrer", "Save")),
    linkButton(
      `/admin/operators/${id}/delete`,
      visit.t("Supprimer l’opérateur", "Delete operator"),
      "danger",
    ),
  ]);
}
