// What work costs: CPU time of this thread, which other programs on the machine do not lengthen as they do the wall clock.

/** The least CPU time, in ms, that some tries of the work took: a collection of garbage falls into one of them only. */
export function cheapest(work: () => void, tries = 5): number {
  const costs = Array.from({ length: tries }, () => {
    const before = process.threadCpuUsage();
    work();
    const { user, system } = process.threadCpuUsage(before);
    return (user + system) / 1_000;
  });
  return Math.min(...costs);
}
