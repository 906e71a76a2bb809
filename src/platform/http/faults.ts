// Validation errors: turns what is wrong with a body by its schema into sentences for people.
import type { TObject } from "typebox";
import { Compile, type Validator } from "typebox/compile";
import { type Fields, fieldOf } from "./body.ts";
import { type Detail, Refusal, type Sentence } from "./refusals.ts";

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

type SchemaFault = ReturnType<Validator["Errors"]>[number];

/** True if the error is that the value does not have the type of one branch of a union. */
function isOfOtherBranch({ keyword, schemaPath }: SchemaFault): boolean {
  return keyword === "type" && /\/anyOf\/\d+$/.test(schemaPath);
}

/** Keywords that only report an error further down, which is listed itself. */
const OF_PARTS = new Set(["anyOf", "additionalProperties"]);

/**
 * Returns the errors and their fields. If a value has the type of one branch of a union, the details are its errors in
 * that branch. If it has the type of none, they name the allowed types.
 */
function detailsOf(schema: TObject, all: SchemaFault[]): Detail[] {
  const faults = all.filter(({ keyword }) => !OF_PARTS.has(keyword));
  const meant = faults.filter((fault) => !isOfOtherBranch(fault));
  const isMeant = (path: string) => meant.some((fault) => `${fault.instancePath}/`.startsWith(`${path}/`));
  const unmeant = Map.groupBy(faults.filter(isOfOtherBranch), (fault) => fault.instancePath);
  const details = meant.flatMap((fault) => detailsOfFault(schema, fault));
  for (const [path, branches] of unmeant) {
    if (!isMeant(path)) details.push({ field: fieldOf(path), message: mustBe(branches.flatMap(typesOf)) });
  }
  return details;
}

function detailsOfFault(schema: TObject, fault: SchemaFault): Detail[] {
  const { instancePath } = fault;
  if (fault.keyword === "required") {
    return fault.params.requiredProperties.map((name) => ({
      field: fieldOf(`${instancePath}/${name}`),
      message: REQUIRED,
    }));
  }
  return [{ field: fieldOf(instancePath), message: sentenceOf(schema, fault) }];
}

/** The message for a missing member. */
export const REQUIRED: Sentence = { fr: "est obligatoire", en: "is required" };
/** The message for an empty text or list that must not be empty. */
export const EMPTY: Sentence = { fr: "ne doit pas être vide", en: "must not be empty" };
const MISFIT: Sentence = { fr: "n’est pas valide", en: "is not valid" };

function sentenceOf(schema: TObject, fault: SchemaFault): Sentence {
  switch (fault.keyword) {
    case "type":
      return mustBe(typesOf(fault));
    case "enum": {
      const values = fault.params.allowedValues.join(", ");
      return { fr: `doit être l’une de ces valeurs : ${values}`, en: `must be one of ${values}` };
    }
    case "minLength":
      return fault.params.limit === 1 ? EMPTY : atLeast(fault.params.limit, "caractères", "characters");
    case "maxLength":
      return atMost(fault.params.limit, "caractères", "characters");
    case "minItems":
      return fault.params.limit === 1 ? EMPTY : atLeast(fault.params.limit, "éléments", "items");
    case "maxItems":
      return atMost(fault.params.limit, "éléments", "items");
    case "maxProperties":
      return atMost(fault.params.limit, "membres", "members");
    case "minimum":
      return {
        fr: `doit être supérieur ou égal à ${fault.params.limit}`,
        en: `must be at least ${fault.params.limit}`,
      };
    case "maximum":
      return {
        fr: `doit être inférieur ou égal à ${fault.params.limit}`,
        en: `must be at most ${fault.params.limit}`,
      };
    case "format":
      return FORMATS[fault.params.format] ?? MISFIT;
    case "pattern":
      return (
        patternSentenceAt(schema, fault.schemaPath) ?? {
          fr: `doit correspondre à ${fault.params.pattern}`,
          en: `must match ${fault.params.pattern}`,
        }
      );
    default:
      return MISFIT;
  }
}

const FORMATS: Readonly<Record<string, Sentence>> = {
  email: { fr: "doit être une adresse e-mail", en: "must be an email address" },
};

const TYPES: Readonly<Record<string, Sentence>> = {
  string: { fr: "une chaîne de caractères", en: "a string" },
  integer: { fr: "un nombre entier", en: "an integer" },
  number: { fr: "un nombre", en: "a number" },
  boolean: { fr: "true ou false", en: "true or false" },
  array: { fr: "un tableau", en: "an array" },
  object: { fr: "un objet", en: "an object" },
};

function typesOf(fault: SchemaFault): string[] {
  return fault.keyword === "type" ? [fault.params.type].flat() : [];
}

/** Names the types that a value may have. It omits null, because null means absent. */
function mustBe(types: readonly string[]): Sentence {
  const known = types.flatMap((type) => TYPES[type] ?? []);
  return {
    fr: `doit être ${known.map(({ fr }) => fr).join(" ou ")}`,
    en: `must be ${known.map(({ en }) => en).join(" or ")}`,
  };
}

function atLeast(count: number, fr: string, en: string): Sentence {
  return { fr: `doit avoir au moins ${count} ${fr}`, en: `must have at least ${count} ${en}` };
}

function atMost(count: number, fr: string, en: string): Sentence {
  return { fr: `doit avoir au plus ${count} ${fr}`, en: `must have at most ${count} ${en}` };
}

/** Returns the sentence about the pattern, from `x-pattern` of the schema at this JSON pointer. */
function patternSentenceAt(schema: TObject, pointer: string): Sentence | undefined {
  let at: unknown = schema;
  for (const key of pointer.replace(/^#?\//, "").split("/")) at = (at as Fields | undefined)?.[key];
  return (at as { "x-pattern"?: Sentence } | undefined)?.["x-pattern"];
}
