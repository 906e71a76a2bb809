// Validation errors: what is wrong with a body by its schema, as a sentence, its rule and its limit.
import type { TObject } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { type Fields, fieldOf } from "./body.ts";
import { type Detail, detailOf, type ValidationError } from "./fielderrors.ts";
import { Refusal, type Sentence } from "./refusals.ts";

/** Returns a function that fills in a schema's defaults and refuses an invalid body, with up to eight errors. */
export function checker(schema: TObject): (body: Fields) => void {
  const defaults = Object.entries(schema.properties).filter(([, member]) => "default" in member);
  // The schema is compiled at its first use, so that routes cost nothing at start or in tests that do not call them.
  let validator: Validator | undefined;
  return (body) => {
    for (const [key, member] of defaults) body[key] ??= (member as { default?: unknown }).default;
    validator ??= Compile(schema);
    if (!validator.Check(body)) {
      throw new Refusal("invalid-request", { details: detailsOf(schema, validator.Errors(body)) });
    }
  };
}

type SchemaError = ReturnType<Validator["Errors"]>[number];

/** True if the error is that the value does not have the type of one branch of a union. */
function isOfOtherBranch({ keyword, schemaPath }: SchemaError): boolean {
  return keyword === "type" && /\/anyOf\/\d+$/.test(schemaPath);
}

/** Keywords that only report an error further down, which is listed itself. */
const OF_PARTS = new Set(["anyOf", "additionalProperties"]);

/**
 * Returns the errors and their fields. If a value has the type of one branch of a union, the details are its errors in
 * that branch. If it has the type of none, they name the allowed types.
 */
function detailsOf(schema: TObject, all: SchemaError[]): Detail[] {
  const errors = all.filter(({ keyword }) => !OF_PARTS.has(keyword));
  const meant = errors.filter((error) => !isOfOtherBranch(error));
  const isMeant = (path: string) => meant.some((error) => `${error.instancePath}/`.startsWith(`${path}/`));
  const unmeant = Map.groupBy(errors.filter(isOfOtherBranch), (error) => error.instancePath);
  const details = meant.flatMap((error) => detailsOfError(schema, error));
  for (const [path, branches] of unmeant) {
    if (!isMeant(path)) details.push(detailOf(fieldOf(path), mustBe(branches.flatMap(typesOf))));
  }
  return details;
}

function detailsOfError(schema: TObject, error: SchemaError): Detail[] {
  const { instancePath } = error;
  if (error.keyword === "required") {
    return error.params.requiredProperties.map((name) =>
      detailOf(fieldOf(`${instancePath}/${name}`), REQUIRED),
    );
  }
  return [detailOf(fieldOf(instancePath), validationErrorOf(schema, error))];
}

/** The error of a missing member. */
export const REQUIRED: ValidationError = {
  rule: "required",
  message: { fr: "est obligatoire", en: "is required" },
};
/** The error of an empty text or list that must not be empty. */
export const EMPTY: ValidationError = {
  rule: "not-empty",
  message: { fr: "ne doit pas être vide", en: "must not be empty" },
};
const MISFIT: Sentence = { fr: "n’est pas valide", en: "is not valid" };

function validationErrorOf(schema: TObject, error: SchemaError): Sentence | ValidationError {
  switch (error.keyword) {
    case "type":
      return mustBe(typesOf(error));
    case "enum":
      return { rule: "choice", message: oneOf(error.params.allowedValues) };
    case "minLength":
      return error.params.limit === 1 ? EMPTY : tooShort(error.params.limit);
    case "maxLength":
      return tooLong(error.params.limit);
    case "minItems":
      return error.params.limit === 1 ? EMPTY : atLeast(error.params.limit, "éléments", "items");
    case "maxItems":
      return atMost(error.params.limit, "éléments", "items");
    case "maxProperties":
      return atMost(error.params.limit, "membres", "members");
    case "minimum":
      return tooSmall(Number(error.params.limit));
    case "maximum":
      return tooLarge(Number(error.params.limit));
    case "format":
      return FORMATS[error.params.format] ?? MISFIT;
    case "pattern":
      return (
        patternErrorAt(schema, error.schemaPath) ?? {
          fr: `doit correspondre à ${error.params.pattern}`,
          en: `must match ${error.params.pattern}`,
        }
      );
    default:
      return MISFIT;
  }
}

function oneOf(allowed: readonly unknown[]): Sentence {
  const values = allowed.join(", ");
  return { fr: `doit être l’une de ces valeurs : ${values}`, en: `must be one of ${values}` };
}

function tooShort(limit: number): ValidationError {
  return { rule: "min-length", limit, message: atLeast(limit, "caractères", "characters") };
}

/** The error of a text with more than `limit` characters. */
export function tooLong(limit: number): ValidationError {
  return { rule: "max-length", limit, message: atMost(limit, "caractères", "characters") };
}

function tooSmall(limit: number): ValidationError {
  return {
    rule: "minimum",
    limit,
    message: { fr: `doit être supérieur ou égal à ${limit}`, en: `must be at least ${limit}` },
  };
}

function tooLarge(limit: number): ValidationError {
  return {
    rule: "maximum",
    limit,
    message: { fr: `doit être inférieur ou égal à ${limit}`, en: `must be at most ${limit}` },
  };
}

const FORMATS: Readonly<Record<string, ValidationError>> = {
  email: {
    rule: "email",
    message: { fr: "doit être une adresse e-mail", en: "must be an email address" },
  },
};

const TYPES: Readonly<Record<string, Sentence>> = {
  string: { fr: "une chaîne de caractères", en: "a string" },
  integer: { fr: "un nombre entier", en: "an integer" },
  number: { fr: "un nombre", en: "a number" },
  boolean: { fr: "true ou false", en: "true or false" },
  array: { fr: "un tableau", en: "an array" },
  object: { fr: "un objet", en: "an object" },
};

function typesOf(error: SchemaError): string[] {
  return error.keyword === "type" ? [error.params.type].flat() : [];
}

/** Names the types that a value may have. It omits null, because null means absent. */
function mustBe(types: readonly string[]): ValidationError {
  const known = types.flatMap((type) => TYPES[type] ?? []);
  const message = {
    fr: `doit être ${known.map(({ fr }) => fr).join(" ou ")}`,
    en: `must be ${known.map(({ en }) => en).join(" or ")}`,
  };
  const isNumber = known.length === 1 && types.some((type) => type === "integer" || type === "number");
  return isNumber ? { rule: "number", message } : { message };
}

function atLeast(count: number, fr: string, en: string): Sentence {
  return { fr: `doit avoir au moins ${count} ${fr}`, en: `must have at least ${count} ${en}` };
}

function atMost(count: number, fr: string, en: string): Sentence {
  return { fr: `doit avoir au plus ${count} ${fr}`, en: `must have at most ${count} ${en}` };
}

/** Returns the error of the pattern, from `x-pattern` of the schema at this JSON pointer. */
function patternErrorAt(schema: TObject, pointer: string): Sentence | ValidationError | undefined {
  let at: unknown = schema;
  for (const key of pointer.replace(/^#?\//, "").split("/")) at = (at as Fields | undefined)?.[key];
  return (at as { "x-pattern"?: Sentence | ValidationError } | undefined)?.["x-pattern"];
}
