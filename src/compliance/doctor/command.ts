// `npm run doctor`: prints a line for each check. Its exit code is 1 if anything is wrong.
import { examine, lineOf } from "./doctor.ts";

const counts = { ok: 0, warn: 0, wrong: 0 };
for await (const finding of examine(process.env)) {
  console.log(lineOf(finding));
  counts[finding.level]++;
}
console.log(`${counts.ok} ok, ${counts.warn} warnings, ${counts.wrong} wrong`);
process.exitCode = counts.wrong > 0 ? 1 : 0;
