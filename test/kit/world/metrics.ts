import type { Harness } from '../harness.ts';

/** Returns the text of /metrics. */
export async function metricsOf({ request }: Pick<Harness, 'request'>): Promise<string> {
  return (await request({ method: 'GET', url: '/metrics' })).text;
}

/** Returns the lines of one metric. */
export function metricOf({ app }: Pick<Harness, 'app'>, name: string): Promise<string> {
  return app.metrics.registry.getSingleMetricAsString(name);
}
