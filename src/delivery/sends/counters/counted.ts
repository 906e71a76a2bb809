// The counts of one send to several phones: outcomes by operator and reason, and times of sending and delivery.
import type { CounterDelta } from "./tallies.sql.ts";

/** One outcome of messages. `isTaken`: a receipt reports it for messages that were counted as `SENT` before. */
type Fate = {
  operatorId: string | null;
  status: string;
  error: string | null;
  isTaken: boolean;
  count: number;
};

/** As stored in `send_tallies`. A step of the curve is `stepS` seconds long and begins `bucket` steps after 1970. */
export type SendCounts = {
  fates: Fate[];
  stepS: number;
  curve: [bucket: number, sent: number, delivered: number][];
};

/** Operators invent codes. The first so many outcomes are counted separately, further errors count as `other`. */
const FATES_AT_MOST = 200;
const OTHER = "other";
const POINTS_AT_MOST = 100;

export function emptyCounts(): SendCounts {
  return { fates: [], stepS: 1, curve: [] };
}

/** Adds a delta to the counts. */
export function countLine(counted: SendCounts, line: CounterDelta): void {
  countFate(counted.fates, line);
  const isTaken = line.quarter !== null;
  const sent = !isTaken && line.status === "SENT" ? line.count : 0;
  const delivered = isTaken && line.status === "DELIVERED" ? line.count : 0;
  if (sent + delivered > 0) countPoint(counted, line.at, sent, delivered);
  if (delivered < 0) takeBack(counted.curve, -delivered);
}

function countFate(
  fates: Fate[],
  { operator_id: operatorId, status, quarter, count, ...line }: CounterDelta,
): void {
  const isTaken = quarter !== null;
  const fateOf = (error: string | null) =>
    fates.find(
      (fate) =>
        fate.operatorId === operatorId &&
        fate.status === status &&
        fate.isTaken === isTaken &&
        fate.error === error,
    );
  const error =
    fates.length < FATES_AT_MOST || line.error === null || fateOf(line.error) ? line.error : OTHER;
  const known = fateOf(error);
  if (!known) fates.push({ operatorId, status, error, isTaken, count });
  else known.count += count;
  if (known?.count === 0) fates.splice(fates.indexOf(known), 1);
}

/** Removes deliveries from a curve, the latest first: a part of these messages failed after another was delivered. */
function takeBack(curve: Point[], deliveries: number): void {
  for (const point of curve.toReversed()) {
    const taken = Math.min(point[2], deliveries);
    point[2] -= taken;
    deliveries -= taken;
  }
}

/** The curve has a bounded number of points: its steps double when it grows too long. */
function countPoint(counted: SendCounts, at: Date, sent: number, delivered: number): void {
  const points = new Map(counted.curve.map((point) => [point[0], point]));
  const bucket = Math.floor(at.getTime() / 1000 / counted.stepS);
  addPoint(points, [bucket, sent, delivered]);
  counted.curve = inOrder(points);
  while (spanOf(counted.curve) > POINTS_AT_MOST) {
    counted.stepS *= 2;
    const wider: typeof points = new Map();
    for (const [narrow, ...counts] of counted.curve) addPoint(wider, [Math.floor(narrow / 2), ...counts]);
    counted.curve = inOrder(wider);
  }
}

type Point = SendCounts["curve"][number];

function addPoint(points: Map<number, Point>, [bucket, sent, delivered]: Point): void {
  const known = points.get(bucket);
  points.set(bucket, [bucket, (known?.[1] ?? 0) + sent, (known?.[2] ?? 0) + delivered]);
}

function inOrder(points: ReadonlyMap<number, Point>): Point[] {
  return [...points.values()].sort(([a], [b]) => a - b);
}

function spanOf(curve: readonly Point[]): number {
  return curve.length === 0 ? 0 : curve.at(-1)![0] - curve[0]![0] + 1;
}
