// Samples: the request of an operation as code to copy.
import type { Operation } from "./operations.ts";

export type Sample = { language: "curl" | "typescript" | "php" | "python"; title: string; text: string };

/** The samples of an operation, which go to `origin`. `<apiKey>` and the like stand for what the reader fills in. */
export function samplesOf({ example }: Operation, origin: string): Sample[] {
  const body = JSON.stringify(example.body, null, 2);
  const text = `curl -s ${origin}${example.path} \\\n  -H 'Content-Type: application/json' \\\n  -d '${body}'`;
  return [{ language: "curl", title: "curl", text }];
}
