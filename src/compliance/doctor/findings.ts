// Findings: the result of one check, in a line.

/** `mend`: the remedy. `wrong`: the service does not work, or soon will not. `warn`: it works, but not as it should. */
export type Finding = { level: "ok" | "warn" | "wrong"; about: string; said: string; mend?: string };

export function ok(about: string, said: string): Finding {
  return { level: "ok", about, said };
}

export function warn(about: string, said: string, mend: string): Finding {
  return { level: "warn", about, said, mend };
}

export function wrong(about: string, said: string, mend: string): Finding {
  return { level: "wrong", about, said, mend };
}

export function lineOf({ level, about, said, mend }: Finding): string {
  const line = `${level.padEnd(5)}  ${about}: ${said}`;
  return (mend ? `${line}. ${mend}` : line).replaceAll(/\s*\n\s*/g, " ");
}

/** Returns an error's message in a line; for several servers, the message of each. */
export function saidBy(error: unknown): string {
  const { message, errors } = error as Partial<AggregateError>;
  return message || (errors ?? []).map(saidBy).join("; ") || String(error);
}
