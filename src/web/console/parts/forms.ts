// Forms: fields with labels and hints, buttons, and the CSRF token. They work without a script.
import { Html, html } from "../../../platform/http/html.ts";
import type { Visit } from "../visit.ts";
import { type Icon, icon } from "./icons.ts";

/** Where a form is sent; its hidden fields that are not undefined; attributes of its element. */
type Form = { action: string; members?: Record<string, string | undefined>; attributes?: Html };

/** Renders a form of this page. */
export function form(
  visit: Visit,
  of: string | Form,
  body: Html | readonly (Html | false | undefined)[],
): Html {
  const { action, members = {}, attributes }: Form = typeof of === "string" ? { action: of } : of;
  return html`<form method="post" action="${action}"${attributes && html` ${attributes}`}>
<input type="hidden" name="csrf" value="${visit.token}">
${Object.entries(members).map(([name, value]) => value !== undefined && html`<input type="hidden" name="${name}" value="${value}">`)}
${body}
</form>`;
}

/** `main` is the primary action of a page, `danger` one that cannot be undone. */
type ButtonKind = "main" | "second" | "danger" | "plain";

export function button(text: string | Html, kind: ButtonKind = "main", attributes?: Html): Html {
  return html`<button class="button ${kind}"${attributes && html` ${attributes}`}>${text}</button>`;
}

export function linkButton(href: string, text: string, kind: ButtonKind = "main", name?: Icon): Html {
  return html`<a class="button ${kind}" href="${href}">${name && icon(name)}${text}</a>`;
}

/** Renders a button as a form of its own, which has nothing but the token. */
export function formButton(
  visit: Visit,
  action: string,
  text: string,
  { kind = "second", members }: { kind?: ButtonKind; members?: Record<string, string | undefined> } = {},
): Html {
  return form(visit, { action, ...(members && { members }) }, button(text, kind));
}

/** Renders a button of its own form that is as discreet as a link. */
export function plainButton(visit: Visit, action: string, text: string): Html {
  return formButton(visit, action, text, { kind: "plain" });
}

/** A field; without a value, it has what was typed. */
export type Field = {
  hint?: string | Html | undefined;
  value?: string | undefined;
  /** Attributes besides the name and the value: `inputmode`, `autocomplete`, `maxlength`. */
  attributes?: Html;
  /** `silent`: the label does not say so, since it depends on another field. */
  isOptional?: boolean | "silent";
};

/** Renders one line of text; `type` as in HTML. */
export function field(
  visit: Visit,
  name: string,
  label: string,
  { type = "text", ...of }: Field & { type?: string } = {},
): Html {
  // A secret is never sent back.
  const value = of.value ?? (type === "password" ? "" : visit.field(name));
  const input = html`<input type="${type}" id="${name}" name="${name}" value="${value}"${about(visit, name, of)}>`;
  return fieldPart(visit, name, label, of, input);
}

export function textArea(
  visit: Visit,
  name: string,
  label: string,
  { rows = 4, ...of }: Field & { rows?: number } = {},
): Html {
  // HTML drops the first line break of a textarea, so an extra one is added.
  const input = html`<textarea id="${name}" name="${name}" rows="${rows}"${about(visit, name, of)}>\n${of.value ?? visit.field(name)}</textarea>`;
  return fieldPart(visit, name, label, of, input);
}

export type Choice = readonly [value: string, text: string, hint?: string | Html | undefined];

export function select(
  visit: Visit,
  name: string,
  label: string,
  { choices, ...given }: Field & { choices: readonly Choice[] },
): Html {
  // HTML: an empty first option of a required select is no choice, and the browser would not send the form.
  const isOptional = given.isOptional ?? (choices.some(([value]) => value === "") ? "silent" : false);
  const of = { ...given, isOptional };
  const options = choices.map(
    ([value, text]) =>
      html`<option value="${value}"${value === of.value && html` selected`}>${text}</option>`,
  );
  const input = html`<select id="${name}" name="${name}"${about(visit, name, of)}>${options}</select>`;
  return fieldPart(visit, name, label, of, input);
}

type Choosing = Pick<Field, "hint" | "isOptional"> & {
  chosen: readonly string[];
  isMany?: boolean;
  choices: readonly Choice[];
};

/** Renders a choice of one (radio buttons) or of any number (checkboxes). */
export function choices(visit: Visit, name: string, label: string, of: Choosing): Html {
  const { hint, chosen, isMany = false } = of;
  return html`<fieldset class="field" id="${name}"${groupAbout(visit, name)}>
<legend>${label}${optionalPart(visit, of)}</legend>
${wrongPart(visit, name, label)}
${hint !== undefined && html`<p class="hint">${hint}</p>`}
${of.choices.map(
  ([
    value,
    text,
    more,
  ]) => html`<label class="choice"><input type="${isMany ? "checkbox" : "radio"}" name="${name}" value="${value}"${chosen.includes(value) && html` checked`}><span>${text}${more !== undefined && html`<small>${more}</small>`}</span></label>
`,
)}</fieldset>`;
}

/** Renders one checkbox. */
export function check(
  name: string,
  label: string,
  { hint, value }: Pick<Field, "hint" | "value"> = {},
): Html {
  return html`<label class="choice alone"><input type="checkbox" id="${name}" name="${name}" value="yes"${value === "yes" && html` checked`}><span>${label}${hint !== undefined && html`<small>${hint}</small>`}</span></label>`;
}

function fieldPart(visit: Visit, name: string, label: string, of: Field, input: Html): Html {
  const { hint } = of;
  return html`<div class="field">
<label for="${name}">${label}${optionalPart(visit, of)}</label>
${wrongPart(visit, name, label)}
${hint !== undefined && html`<p class="hint" id="${name}-hint">${hint}</p>`}
${input}
</div>`;
}

function optionalPart(visit: Visit, { isOptional }: Pick<Field, "isOptional">): Html | false {
  return isOptional === true && html` <small>${visit.t("(facultatif)", "(optional)")}</small>`;
}

/** Renders the error of a field, directly under its label; the field refers to it. */
export function wrongPart(visit: Visit, name: string, label: string): Html | false {
  const sentence = visit.problem?.beside(visit, name, label);
  if (sentence === undefined) return false;
  return html`<p class="wrong-text" id="${name}-wrong">${icon("note", 18)}<span>${sentence}</span></p>`;
}

/** Returns the attributes by which screen readers find the error of a group of choices. */
export function groupAbout({ problem }: Visit, name: string): Html | undefined {
  return problem?.isAt(name) ? html` aria-invalid="true" aria-describedby="${name}-wrong"` : undefined;
}

/** A field's attributes for screen readers, and its own ones. */
function about({ problem }: Visit, name: string, { hint, attributes, isOptional }: Field): Html {
  const isWrong = problem?.isAt(name);
  const described = [isWrong && `${name}-wrong`, hint !== undefined && `${name}-hint`]
    .filter((id) => typeof id === "string")
    .join(" ");
  return html`${attributes && html` ${attributes}`}${!isOptional && html` required`}${described !== "" && html` aria-describedby="${described}"`}${isWrong && html` aria-invalid="true"`}`;
}

export const NOTHING = new Html("");
