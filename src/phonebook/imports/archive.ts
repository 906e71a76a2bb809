// The archive of a workbook: its parts, found through their relations, with limits on size before and during reading.
import type { Readable } from "node:stream";
import { Parser } from "saxen";
import { type Entry, fromRandomAccessReaderPromise, type ZipFile } from "yauzl";
import { Unreadable } from "./failures.ts";
import { StoredArchive, type StoredFile } from "./files.ts";

/** Limits of the archive, so that no small file expands to a huge one. */
const ENTRIES_AT_MOST = 10_000;
const ELEMENTS_AT_MOST = 100_000;
const SMALL_BYTES_AT_MOST = 4 * 1024 ** 2;
/** The maximum length of XML without any tag: longer text belongs to a hostile file. */
const TAGLESS_AT_MOST = 1_048_576;

/** An open archive. Part names are compared case-insensitively (ECMA-376 part 2, 6.2.2). */
export type Archive = { file: StoredFile; zip: ZipFile; entries: Map<string, Entry> };

/** Opens an archive. Throws `Unreadable`. */
export async function openWorkbookArchive(file: StoredFile): Promise<Archive> {
  const reading = { lazyEntries: true, autoClose: false, strictFileNames: false };
  const entries = new Map<string, Entry>();
  let count = 0;
  try {
    const zip = await fromRandomAccessReaderPromise(new StoredArchive(file), file.size, reading);
    for await (const entry of zip.eachEntry()) {
      if (++count > ENTRIES_AT_MOST) throw new Unreadable("too-large-inside");
      if (entry.isEncrypted()) throw new Unreadable("old-workbook");
      entries.set(keyOf(entry.fileName), entry);
    }
    return { file, zip, entries };
  } catch (error) {
    throw asUnreadable(file, error);
  }
}

function keyOf(path: string): string {
  return path.replace(/^\//, "").toLowerCase();
}

/** Returns the entry of a part; undefined if the archive has none. Throws `Unreadable` if it is larger than `bytes`. */
export function entryOf({ entries }: Archive, path: string, bytes: number): Entry | undefined {
  const entry = entries.get(keyOf(path));
  if (entry && entry.uncompressedSize > bytes) throw new Unreadable("too-large-inside");
  return entry;
}

/** Converts a library's error about a damaged file to `Unreadable`; a failure to read a stored part stays itself. */
function asUnreadable({ fault }: StoredFile, error: unknown): unknown {
  return fault ?? (error instanceof Unreadable ? error : new Unreadable("damaged"));
}

/** Receives the elements and texts of an entry. Names have no prefix. */
export type XmlListener = {
  open?: (name: string, attributes: () => Record<string, string>) => void;
  close?: (name: string) => void;
  text?: (text: string) => void;
};

/** Parses an entry piece by piece, and yields the bytes read so far. yauzl stops at more than the declared length. */
export async function* parseEntry(
  { file, zip }: Archive,
  entry: Entry,
  listener: XmlListener,
): AsyncGenerator<number> {
  let stream: Readable | undefined;
  let sinceTag = 0;
  let fault: unknown;
  const bare = (name: string) => name.slice(name.indexOf(":") + 1);
  const parser = new Parser()
    .on("openTag", (name, attributes) => {
      sinceTag = 0;
      listener.open?.(bare(name), attributes);
    })
    .on("closeTag", (name) => {
      sinceTag = 0;
      listener.close?.(bare(name));
    })
    .on("text", (text, decode) => listener.text?.(decode(text)))
    .on("cdata", (text) => listener.text?.(text))
    .on("error", (error) => {
      fault ??= error;
    });
  const decoder = new TextDecoder();
  let bytes = 0;
  try {
    stream = await zip.openReadStreamPromise(entry);
    for await (const piece of stream as AsyncIterable<Buffer>) {
      bytes += piece.length;
      sinceTag += piece.length;
      parser.write(decoder.decode(piece, { stream: true }));
      if (fault || sinceTag > TAGLESS_AT_MOST) throw fault ?? new Unreadable("damaged");
      yield bytes;
    }
    parser.write(decoder.decode());
    parser.end();
    if (fault) throw fault;
    yield bytes;
  } catch (error) {
    throw asUnreadable(file, error);
  } finally {
    stream?.destroy();
  }
}

/** An XML element with its attributes, unescaped. */
export type Element = { name: string; attributes: Record<string, string> };

/** Returns the elements of a small part in order; none if the part does not exist. Throws `Unreadable`. */
export async function readSmall(archive: Archive, path: string): Promise<Element[]> {
  const entry = entryOf(archive, path, SMALL_BYTES_AT_MOST);
  if (!entry) return [];
  const elements: Element[] = [];
  const isFull = () => elements.length > ELEMENTS_AT_MOST;
  const listener: XmlListener = {
    open: (name, attributes) => elements.push({ name, attributes: { ...attributes() } }),
  };
  for await (const _ of parseEntry(archive, entry, listener))
    if (isFull()) throw new Unreadable("too-large-inside");
  return elements;
}

/** A relation of a part: its id, the last word of its type, and the path of its target. */
export type Relation = { id: string; type: string; path: string };

/** Returns the relations of a part, or of the whole archive if `path` is empty (ECMA-376 part 2, 6.5). */
export async function readRelations(archive: Archive, path: string): Promise<Relation[]> {
  const cut = path.lastIndexOf("/") + 1;
  const [folder, name] = [path.slice(0, cut), path.slice(cut)];
  const elements = await readSmall(archive, `${folder}_rels/${name}.rels`);
  return elements.flatMap(({ name: element, attributes: { Id = "", Type = "", Target = "", TargetMode } }) =>
    element === "Relationship" && TargetMode !== "External"
      ? [{ id: Id, type: Type.slice(Type.lastIndexOf("/") + 1), path: resolvePath(folder, Target) }]
      : [],
  );
}

/** Resolves a target relative to `folder`: absolute, or relative with `..`. */
function resolvePath(folder: string, target: string): string {
  const steps = target.startsWith("/") ? [] : folder.split("/").filter((step) => step !== "");
  for (const step of target.split("/")) {
    if (step === "..") steps.pop();
    else if (step !== "" && step !== ".") steps.push(step);
  }
  return steps.join("/");
}
