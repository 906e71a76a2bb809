// Moves: an administrator assigns a bind to a process, for an upgrade or to take load off a machine.

import type { Tx } from "../../platform/database/transaction.ts";
import { refuseField } from "../../platform/http/fielderrors.ts";
import { refuse, type Sentence } from "../../platform/http/refusals.ts";
import * as sql from "./moves.sql.ts";
import { readOperator } from "./operators.ts";
import type { BindMove } from "./shapes.ts";

/** How long a moved bind stays before equal shares count again; at most as long as that process lives. */
const MOVED_FOR_S = 3_600;

type Owned = { number: number; node: string };

const SAYS_NOTHING: Sentence = {
  fr: "ce processus ne signale plus son activité",
  en: "this process no longer reports that it is running",
};
const NO_GATEWAY: Sentence = {
  fr: "ce processus n’a pas le rôle gateway",
  en: "this process does not have the role gateway",
};
const NOBODY_ELSE: Sentence = {
  fr: "aucun autre processus en cours d’exécution n’a le rôle gateway",
  en: "no other running process has the role gateway",
};
const UNKNOWN_NODE: Sentence = { fr: "ce processus est inconnu", en: "this process is unknown" };
const UNOWNED: Sentence = {
  fr: "aucun processus ne détient cette liaison actuellement",
  en: "no process holds this bind at the moment",
};
const NOTHING_LEFT: Sentence = {
  fr: "aucun autre processus n’a de liaison avec cet opérateur",
  en: "no other process has a bind with this operator",
};

/**
 * Moves a bind of an operator to another process: its owner takes nothing new, waits for all answers and gives it up,
 * and the other one takes it. `node`: the process; by default the live one with the gateway role that has the fewest
 * binds. `bind`: its number; by default the first one of the process that has most of them. It stays there for an hour.
 * Refuses `not-found` for an unknown operator or process, `invalid-request` for a bind that the operator does not have,
 * and `conflict` if the process is not alive or no gateway, or if there is nothing to move.
 */
export async function moveBind(
  tx: Tx,
  operatorId: string,
  wanted: { node?: string | undefined; bind?: number | undefined },
): Promise<BindMove> {
  const { binds } = await readOperator(tx, operatorId);
  if (wanted.bind !== undefined && wanted.bind >= binds) {
    const sentence = {
      fr: `doit être compris entre 0 et ${binds - 1}`,
      en: `must be a number from 0 to ${binds - 1}`,
    };
    refuseField("bind", sentence);
  }
  const target = wanted.node === undefined ? undefined : await requireGateway(tx, wanted.node);
  const owned = (await tx.run(sql.listOwned, [operatorId])).filter(({ number }) => number < binds);
  const { number, node: from } = chooseBind(owned, wanted.bind, target);
  const node = target ?? (await chooseNode(tx, from));
  const [moved] = await tx.run(sql.markMoved, { operatorId, number, node, movedForS: MOVED_FOR_S });
  if (!moved) refuse("conflict", { details: [{ field: "bind", message: UNOWNED }] });
  return { operatorId, bind: number, from, node, movedUntil: moved.moved_until };
}

async function requireGateway(tx: Tx, node: string): Promise<string> {
  const [found] = await tx.run(sql.findCandidate, [node]);
  if (!found) refuse("not-found", { details: [{ field: "node", message: UNKNOWN_NODE }] });
  const problem = found.isGateway ? (found.isAlive ? undefined : SAYS_NOTHING) : NO_GATEWAY;
  if (problem) refuse("conflict", { details: [{ field: "node", message: problem }] });
  return node;
}

function chooseBind(owned: readonly Owned[], bind: number | undefined, target: string | undefined): Owned {
  if (bind !== undefined) {
    const found = owned.find(({ number }) => number === bind);
    return found ?? refuse("conflict", { details: [{ field: "bind", message: UNOWNED }] });
  }
  const byNode = [...Map.groupBy(owned, ({ node }) => node)].filter(([node]) => node !== target);
  const [, most] = byNode.sort(([, a], [, b]) => b.length - a.length)[0] ?? [];
  return most?.[0] ?? refuse("conflict", { details: [{ field: "bind", message: NOTHING_LEFT }] });
}

async function chooseNode(tx: Tx, butNot: string): Promise<string> {
  const all = await tx.run(sql.listCandidates);
  const able = all.filter(({ node, isAlive, isGateway }) => isAlive && isGateway && node !== butNot);
  const [chosen] = able.sort((a, b) => a.binds - b.binds);
  return chosen?.node ?? refuse("conflict", { details: [{ field: "node", message: NOBODY_ELSE }] });
}
