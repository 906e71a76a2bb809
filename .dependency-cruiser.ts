// In which directions files may import: down the one order of the folders, src/ladder.ts, and whose statements they run.
import type { IConfiguration } from "dependency-cruiser";
import { ladder, rooms } from "./src/ladder.ts";

type Rule = NonNullable<IConfiguration["forbidden"]>[number];

const folders = Object.keys(ladder);
const IN_A_FOLDER = `^src/(${folders.join("|")})/`;
const ABOVE_ALL_FOLDERS = "^src/[^/]+$";
const TEST = "[.]test[.]ts$";
const STATEMENTS = "[/.]sql[.]ts$";

const upwards = folders.slice(0, -1).map(
  (folder, step): Rule => ({
    name: `${folder}-imports-upwards`,
    severity: "error",
    from: { path: `^src/${folder}/`, pathNot: TEST },
    to: { path: `^src/(${folders.slice(step + 1).join("|")})/` },
  }),
);

const upwardsInside = Object.entries(rooms).flatMap(([folder, names]) =>
  names.slice(0, -1).map(
    (room, step): Rule => ({
      name: `${folder}/${room}-imports-upwards`,
      severity: "error",
      from: { path: `^src/${folder}/${room}/`, pathNot: TEST },
      to: { path: `^src/${folder}/(${names.slice(step + 1).join("|")})/` },
    }),
  ),
);

const config: IConfiguration = {
  forbidden: [
    ...upwards,
    ...upwardsInside,
    {
      name: "above-every-folder",
      severity: "error",
      from: { path: IN_A_FOLDER, pathNot: TEST },
      to: { path: ABOVE_ALL_FOLDERS },
    },
    {
      name: "not-on-the-ladder",
      severity: "error",
      from: {},
      to: { path: "^src/[^/]+/", pathNot: IN_A_FOLDER },
    },
    {
      name: "statement-of-another-folder",
      comment:
        "An operation is called where it is defined; a folder runs its own statements only. Types of rows, and statements that extend another one, may be shared.",
      severity: "error",
      from: { path: IN_A_FOLDER, pathNot: [TEST, STATEMENTS] },
      to: { path: STATEMENTS, pathNot: "^src/($1)/", dependencyTypesNot: ["type-only"] },
    },
    {
      name: "machine-imports-the-world",
      comment: "A simulation runs the state machine of a link without database, sockets and clocks.",
      severity: "error",
      from: { path: "^src/delivery/gateway/machine/", pathNot: TEST },
      to: { path: "^src/platform/" },
    },
    {
      name: "production-needs-a-test",
      severity: "error",
      from: { path: "^src/", pathNot: TEST },
      to: { path: ["^(test|bench)/", TEST] },
    },
  ],
  options: {
    doNotFollow: { path: "node_modules" },
    // Types count: whoever names a type of a folder above knows that folder.
    tsPreCompilationDeps: true,
    tsConfig: { fileName: "tsconfig.json" },
  },
};

export default config;
