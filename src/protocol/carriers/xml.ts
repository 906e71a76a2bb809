// Reads XML as a JSON-like value: elements are members, repeated elements arrays, attributes members such as `@id`.
import { Parser } from "saxen";

const DEPTH_AT_MOST = 32;
/** 10,000 receipts with 20 elements and attributes each. */
const PARTS_AT_MOST = 200_000;
const ATTRIBUTES_AT_MOST = 100;

type Value = string | Element | Value[];
interface Element {
  [name: string]: Value;
}
type Open = { name: string; members: Map<string, Value[]>; text: string };

/**
 * Returns the value of a document, under the name of its root; undefined if it is broken, deeper than 32, or has a
 * DOCTYPE, in which entities could be defined. Prefixes of names are dropped.
 */
export function readXml(xml: string): Value | undefined {
  const root: Open = { name: "", members: new Map(), text: "" };
  const opened: Open[] = [root];
  let count = 0;
  let isRead = true;
  const top = () => opened.at(-1) ?? root;
  const parser = new Parser();
  const stop = () => {
    isRead = false;
    parser.stop();
  };
  parser
    .on("openTag", (name, attributes) => {
      const given = Object.entries(attributes());
      count += 1 + given.length;
      if (opened.length > DEPTH_AT_MOST || count > PARTS_AT_MOST || given.length > ATTRIBUTES_AT_MOST)
        return stop();
      const members = new Map<string, Value[]>();
      for (const [key, value] of given) members.set(`@${bare(key)}`, [decodeEntities(value)]);
      opened.push({ name: bare(name), members, text: "" });
    })
    .on("closeTag", () => {
      const closed = opened.pop() ?? root;
      add(top().members, closed.name, elementValue(closed));
    })
    .on("text", (text) => {
      top().text += decodeEntities(text);
    })
    .on("cdata", (text) => {
      top().text += text;
    })
    .on("attention", stop)
    .on("error", stop)
    .parse(xml);
  return isRead && opened.length === 1 && root.members.size > 0 ? elementValue(root) : undefined;
}

const bare = (name: string) => name.slice(name.indexOf(":") + 1);

function add(members: Map<string, Value[]>, name: string, value: Value): void {
  const all = members.get(name);
  if (all) all.push(value);
  else members.set(name, [value]);
}

/** An element that has only text is this text. */
function elementValue({ members, text }: Open): Value {
  if (members.size === 0) return text.trim();
  return Object.fromEntries(
    [...members].map(([name, all]) => [name, all.length === 1 ? (all[0] ?? "") : all]),
  );
}

const NAMED: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };
const ENTITY = /&(?:(amp|lt|gt|quot|apos)|#([0-9]{1,7})|#x([0-9a-fA-F]{1,6}));/g;
const LAST_CODE_POINT = 0x10ffff;

/**
 * Decodes the five entities of XML and numeric ones; any other stays as it is written. The parser's own function knows
 * no characters beyond U+FFFF, such as emoji.
 */
function decodeEntities(text: string): string {
  if (!text.includes("&")) return text;
  return text.replace(ENTITY, (whole, name?: string, decimal?: string, hexadecimal?: string) => {
    if (name !== undefined) return NAMED[name] ?? whole;
    const code = decimal === undefined ? Number.parseInt(hexadecimal ?? "", 16) : Number(decimal);
    return code > 0 && code <= LAST_CODE_POINT ? String.fromCodePoint(code) : whole;
  });
}
