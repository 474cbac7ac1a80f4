import type { Harness } from './harness.ts';

/** What /metrics says, as with one store: without the numbers of stores. */
export async function metricsOf({ request }: Pick<Harness, 'request'>): Promise<string> {
  return withoutStores((await request({ method: 'GET', url: '/metrics' })).text);
}

/** The lines of one metric. */
export async function metricOf({ app }: Pick<Harness, 'app'>, name: string): Promise<string> {
  return withoutStores(await app.metrics.registry.getSingleMetricAsString(name));
}

export function withoutStores(text: string): string {
  return text.replaceAll(/,?store="\d+"/g, '').replaceAll('{}', '');
}
