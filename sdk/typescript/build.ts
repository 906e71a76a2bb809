// Builds the package into dist/: types from the OpenAPI document of this tree, then JavaScript. `npm pack` runs it.
import { spawnSync } from "node:child_process";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { writeGenerated } from "../generate.ts";

const compiler = join(import.meta.dirname, "../../node_modules/.bin/tsc");

writeGenerated("typescript/");
rmSync(join(import.meta.dirname, "dist"), { recursive: true, force: true });
const { status } = spawnSync(compiler, ["-p", import.meta.dirname], { stdio: "inherit" });
process.exitCode = status ?? 1;
