// Loaded before the program (`node --import`). The process sends SIGNAL to itself as it loads our module number
// SIGNAL_AT_MODULE, not counting the one that looks at the version of Node before the program.
import { registerHooks } from "node:module";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

const OURS = pathToFileURL(join(import.meta.dirname, "..", "src")).href;
const { SIGNAL, SIGNAL_AT_MODULE } = process.env;
let modules = 0;

registerHooks({
  load(url, context, nextLoad) {
    if (url.startsWith(OURS) && !url.endsWith("/needs-node.mjs") && ++modules === Number(SIGNAL_AT_MODULE)) {
      console.error(`module ${modules} sent ${SIGNAL}`);
      process.kill(process.pid, SIGNAL);
    }
    return nextLoad(url, context);
  },
});
