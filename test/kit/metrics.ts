import type { Harness } from './harness.ts';

/** The lines of a metric as with one store: without the number of the store. */
export async function metricOf({ app }: Pick<Harness, 'app'>, name: string): Promise<string> {
  const text = await app.metrics.registry.getSingleMetricAsString(name);
  return text.replaceAll(/,?store="\d+"/g, '').replaceAll('{}', '');
}
