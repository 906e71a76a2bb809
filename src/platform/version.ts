// The version of the program.
import { readFileSync } from "node:fs";

const packageFile = new URL("../../package.json", import.meta.url);

/** Returns the version in `package.json`. */
export function readVersion(): string {
  return (JSON.parse(readFileSync(packageFile, "utf8")) as { version: string }).version;
}
