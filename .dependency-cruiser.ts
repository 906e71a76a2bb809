// In which directions files may import: down the one order of the folders, src/ladder.ts, and only at each folder's door.
import type { IConfiguration } from "dependency-cruiser";
import { ladder } from "./src/ladder.ts";

type Rule = NonNullable<IConfiguration["forbidden"]>[number];

const folders = Object.keys(ladder);
const IN_A_FOLDER = `^src/(${folders.join("|")})/`;
const ABOVE_ALL_FOLDERS = "^src/[^/]+$";
const TEST = "[.]test[.]ts$";
/** `<name>.ts` of a folder is what others import of it; the platform is open to all. */
const DOORS = ["^src/platform/", "/([^/]+)/\\1[.]ts$"];

const upwards = folders.slice(0, -1).map(
  (folder, step): Rule => ({
    name: `${folder}-imports-upwards`,
    severity: "error",
    from: { path: `^src/${folder}/`, pathNot: TEST },
    to: { path: `^src/(${folders.slice(step + 1).join("|")})/` },
  }),
);

const config: IConfiguration = {
  forbidden: [
    ...upwards,
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
      name: "past-the-door",
      comment:
        "A browser loads what it imports, so the islands import the files of sms that they need and not its door. A URL calls an operation where it is defined.",
      severity: "error",
      from: { path: IN_A_FOLDER, pathNot: [TEST, "^src/web/console/islands/", "^src/api/"] },
      to: { path: IN_A_FOLDER, pathNot: ["^src/$1/", ...DOORS] },
    },
    {
      name: "past-the-door-from-above",
      severity: "error",
      from: { path: ABOVE_ALL_FOLDERS },
      to: { path: IN_A_FOLDER, pathNot: DOORS },
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
