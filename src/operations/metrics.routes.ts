import { Raw } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';

export function metricsRoutes(http: Http, { metrics }: Pick<Platform, 'metrics'>): void {
  http.get(
    '/metrics',
    { schema: { summary: 'Prometheus metrics', response: { 200: Raw('text/plain', 'Prometheus text format') } } },
    async (_request, reply) => {
      const figures = await metrics.registry.metrics();
      // The library spells it in a way that the format does not know.
      return reply.type(metrics.registry.contentType).send(figures.replaceAll(/^(?!#)(.*) Nan$/gm, '$1 NaN'));
    },
  );
}
