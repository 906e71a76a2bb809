// The metrics of a process, as its administrator reads them.

/** All metrics, in Prometheus' text format. */
export async function readMetrics(url: string, adminKey: string): Promise<string> {
  const answer = await fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${adminKey}` } });
  return answer.text();
}

/** The value of one metric, by its name and labels as they are printed. Undefined while it has none. */
export async function metricOf(url: string, adminKey: string, metric: string): Promise<number | undefined> {
  const lines = (await readMetrics(url, adminKey)).split("\n");
  const line = lines.find((one) => one.startsWith(`${metric} `));
  return line === undefined ? undefined : Number(line.slice(metric.length));
}
