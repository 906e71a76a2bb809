// Rows of a CSV in little memory, whatever the file holds.
import assert from "node:assert/strict";
import { test } from "node:test";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { atLength } from "../../../test/length.ts";
import { readDelimited } from "./delimited.ts";
import { PART_BYTES, type StoredFile } from "./files.ts";

const MIB = 1024 ** 2;
const PARTS = atLength({ short: 12, long: 120 });
/** The memory is measured after so many pieces of 64 KiB. */
const MEASURED_EVERY = 16;
const GROWTH_BYTES = 16 * MIB;
/** An import collects so many rows for each transaction. */
const ROWS_KEPT = 2_000;

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

/** A file that repeats a piece, and holds none of it in memory. */
function fileOf(piece: string): StoredFile {
  const part = Buffer.alloc(PART_BYTES, piece);
  async function* bytes() {
    for (let at = 0; at < PARTS; at++) yield part;
  }
  return { size: PARTS * PART_BYTES, bytes } as unknown as StoredFile;
}

/** Reads a file and keeps the newest rows, as an import does. Returns the widest row, the failure and the growth in bytes. */
async function readAll(piece: string) {
  collectGarbage();
  const before = process.memoryUsage().heapUsed;
  let [pieces, grown, width] = [0, 0, 0];
  const measure = async () => {
    if (++pieces % MEASURED_EVERY !== 0) return;
    collectGarbage();
    grown = Math.max(grown, process.memoryUsage().heapUsed - before);
  };
  const { rows } = readDelimited(fileOf(piece), { encoding: "UTF-8", delimiter: ";" }, measure);
  const kept: unknown[] = [];
  try {
    for await (const some of rows) {
      for (const { cells } of some) width = Math.max(width, cells.length);
      if (kept.length >= ROWS_KEPT) kept.length = 0;
      kept.push(...some);
    }
    return { width, failure: null, grown };
  } catch (error) {
    return { width, failure: (error as { failure?: string }).failure, grown };
  } finally {
    kept.length = 0;
  }
}

for (const [what, piece, failure] of [
  ["semicolons alone", ";", "too-many-columns"],
  ["rows of 20,000 columns", `${";".repeat(20_000)}\n`, "too-many-columns"],
  ["quoted line breaks between semicolons", '"\n";', "too-many-columns"],
  ["a quote without end", '"x', "record-too-long"],
  ["rows of 8,000 empty columns", `2250700000001${";".repeat(8_000)}\n`, null],
  ["rows of 100 columns", `2250700000001${";".repeat(99)}\n`, null],
  ["cells of 30,000 characters", `x${"y".repeat(30_000)};2250700000001\n`, null],
] as const)
  test(`A4 a CSV of ${what} takes no memory for its size`, async (t) => {
    const read = await readAll(piece);
    t.diagnostic(`${(read.grown / MIB).toFixed(1)} MiB`);
    assert.equal(read.failure, failure);
    assert.ok(read.width <= 100, `${read.width} cells of a row are kept`);
    assert.ok(read.grown < GROWTH_BYTES, `${read.grown} bytes more`);
  });
