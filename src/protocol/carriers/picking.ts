// Pointers, sources and conditions: how a text is found in what a carrier wrote, and what is compared with it.
import type { Condition, Source } from "./connector.ts";
import { type CarrierReading, headerOf } from "./reading.ts";

/** Finds a text in a reading; `item` is the part of its JSON to which pointers refer. */
export type PickText = (reading: CarrierReading, item: unknown) => string | undefined;
/** Whether a condition holds. */
export type Test = (reading: CarrierReading, item: unknown) => boolean;

const ANY = "*";

/** Returns the steps of a JSON pointer (RFC 6901); undefined if it is none, or has more than one `*`. */
export function stepsOf(pointer: string): readonly string[] | undefined {
  if (pointer === "") return [];
  if (!pointer.startsWith("/") || /~(?![01])/.test(pointer)) return undefined;
  const steps = pointer.slice(1).split("/");
  if (steps.filter((step) => step === ANY).length > 1) return undefined;
  return steps.map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** Compiles a pointer that `stepsOf` accepts. The value is undefined where it leads nowhere. */
export function compilePointer(pointer: string): (value: unknown) => unknown {
  const steps = stepsOf(pointer) ?? [];
  return (value) => follow(value, steps, 0);
}

function follow(value: unknown, steps: readonly string[], from: number): unknown {
  let at = value;
  for (let index = from; index < steps.length; index++) {
    const step = steps[index] ?? "";
    if (typeof at !== "object" || at === null) return undefined;
    if (step === ANY) return followAny(Object.values(at), steps, index + 1);
    if (!Object.hasOwn(at, step)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[step];
  }
  return at;
}

function followAny(members: readonly unknown[], steps: readonly string[], from: number): unknown {
  for (const member of members) {
    const found = follow(member, steps, from);
    if (found !== undefined) return found;
  }
  return undefined;
}

function asText(value: unknown): string | undefined {
  if (typeof value === "string") return value;
  return typeof value === "number" || typeof value === "boolean" ? String(value) : undefined;
}

/** Compiles a source. An empty text counts as none, so that the next pointer is tried. */
export function compileSource(source: Source): PickText {
  const found = compileSubject(source);
  const { after, before, segment } = source;
  if (after === undefined && before === undefined && segment === undefined) return found;
  return (reading, item) => {
    let text = found(reading, item);
    if (text !== undefined && after !== undefined) text = cutAfter(text, after);
    if (text !== undefined && before !== undefined) text = cutBefore(text, before);
    if (text !== undefined && segment === "last") text = lastSegment(text);
    return text || undefined;
  };
}

function compileSubject({ json, header, query, text }: Source): PickText {
  if (json !== undefined) {
    const pointers = (typeof json === "string" ? [json] : json).map(compilePointer);
    return (_reading, item) => {
      for (const pointer of pointers) {
        const found = asText(pointer(item));
        if (found) return found;
      }
      return undefined;
    };
  }
  if (header !== undefined) {
    const name = header.toLowerCase();
    return (reading) => headerOf(reading.headers, name) || undefined;
  }
  if (query !== undefined) return (reading) => reading.query.get(query) || undefined;
  return text ? (reading) => reading.text || undefined : () => undefined;
}

function cutAfter(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  return at < 0 ? undefined : text.slice(at + mark.length);
}

function cutBefore(text: string, mark: string): string | undefined {
  const at = text.indexOf(mark);
  return at < 0 ? undefined : text.slice(0, at);
}

/** The last segment of a path or URL, decoded; Orange gives the id of a message as the end of its `resourceURL`. */
function lastSegment(text: string): string {
  const [path = ""] = text.split(/[?#]/, 1);
  // Loops and no expression: /\/+$/ takes quadratic time for a text of slashes.
  let end = path.length;
  while (end > 0 && path[end - 1] === "/") end--;
  const segment = path.slice(path.lastIndexOf("/", end - 1) + 1, end);
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

/** Compiles conditions, all of which must hold. If the body is not readable, no condition on its JSON holds. */
export function compileConditions(conditions: readonly Condition[] = []): Test {
  const tests = conditions.map(compileCondition);
  return (reading, item) => {
    for (const test of tests) if (!test(reading, item)) return false;
    return true;
  };
}

function compileCondition(condition: Condition): Test {
  const { status, json } = condition;
  if (status !== undefined) {
    const ranges = status.map((one) => (typeof one === "number" ? ([one, one] as const) : one));
    return ({ status: actual = 0 }) => ranges.some(([from, to]) => actual >= from && actual <= to);
  }
  const compare = compileComparison(condition);
  if (json === undefined) {
    const subject = compileSubject(condition);
    return (reading, item) => compare(subject(reading, item));
  }
  const pointer = compilePointer(json);
  return (_reading, item) => item !== undefined && compare(pointer(item));
}

/** Compares without case. All comparisons of one condition must hold. */
function compileComparison({ is, startsWith, contains, present }: Condition): (value: unknown) => boolean {
  const lower = (words: readonly string[] | undefined) => words?.map((word) => word.toLowerCase());
  const [equal, starts, parts] = [lower(is), lower(startsWith), lower(contains)];
  return (value) => {
    if (present !== undefined && (value !== undefined && value !== null && value !== "") !== present)
      return false;
    if (!equal && !starts && !parts) return true;
    const text = asText(value)?.trim().toLowerCase();
    if (text === undefined) return false;
    if (equal && !equal.includes(text)) return false;
    if (starts && !starts.some((start) => text.startsWith(start))) return false;
    return !parts || parts.some((part) => text.includes(part));
  };
}
