// Loaded before anything else by the npm scripts: a Node that cannot run the program gets a sentence and not "Unknown file
// extension". So it must itself run on any Node.
import { readFileSync } from "node:fs";

const { engines } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const [major, minor] = engines.node.match(/\d+/g).map(Number);
const [ownMajor, ownMinor] = process.versions.node.split(".").map(Number);
if (ownMajor < major || (ownMajor === major && ownMinor < minor)) {
  console.error(
    `atumpan: this is Node ${process.versions.node}, but Node ${engines.node} is required: npm ci installs it, unless optional packages are omitted (--omit=optional, --no-optional)`,
  );
  process.exit(1);
}
