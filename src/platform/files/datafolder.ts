// DATA_DIR: the folder of an installation, or of one of its processes.
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { BadConfiguration } from "../config.ts";
import { makeFolder } from "../secrets/secrets.ts";

const REASONS: Readonly<Record<string, string>> = {
  EACCES: "this user cannot write there",
  EPERM: "this user cannot write there",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  ENOTDIR: "a part of it is a file",
  ENOENT: "no folder can be created there",
  ELOOP: "it is a link to itself",
};

/**
 * Creates DATA_DIR if it is missing. Throws `BadConfiguration` if it cannot be created, or this process may not write
 * in it.
 */
export function requireDataFolder(dataDir: string): void {
  const reason = reasonAgainst(dataDir);
  if (reason !== undefined) throw new BadConfiguration(`DATA_DIR=${dataDir} cannot be used: ${reason}`);
}

function reasonAgainst(dataDir: string): string | undefined {
  try {
    makeFolder(resolve(dataDir), 0o700);
    if (!statSync(dataDir).isDirectory()) return "it is a file";
    accessSync(dataDir, constants.W_OK | constants.X_OK);
    return undefined;
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return REASONS[code] ?? message;
  }
}
