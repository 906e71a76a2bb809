// The cost of work as CPU time of this thread. Unlike the wall clock, it does not grow with other programs' work.

/** The least CPU time, in ms, of several tries of the work. A garbage collection falls into one of them only. */
export function cheapest(work: () => void, tries = 5): number {
  const costs = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs);
}
