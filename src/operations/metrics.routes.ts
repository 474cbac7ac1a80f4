import type { onRequestHookHandler } from 'fastify';
import { Failure } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { sameSecret } from '../platform/secrets/secrets.ts';
import type { DatabaseSettings, StorageSettings } from '../platform/settings.ts';
import type { VirusScanner } from '../platform/storage/virus-scan.ts';
import { adminErrors } from '../protocol/error-bodies.ts';
import { Raw } from '../protocol/fields.ts';
import type { MetricsSettings } from './settings.ts';
import { measureSystem } from './system-metrics.ts';

type Deps = Platform & {
  config: { auth: MetricsSettings; storage: StorageSettings; database: DatabaseSettings };
  virusScanner: VirusScanner;
};

export function metricsRoutes(http: Http, app: Deps): void {
  const { metrics, config } = app;
  measureSystem(app);
  // Some metrics query the database: concurrent scrapes share one collection.
  let collecting: Promise<string> | undefined;
  http.get(
    '/metrics',
    {
      schema: {
        summary: 'Prometheus metrics; requires a bearer token if METRICS_TOKEN is set',
        response: { 200: Raw('text/plain', 'Prometheus text format'), 401: adminErrors.errorSchema },
      },
      onRequest: config.auth.metricsToken === undefined ? [] : requireToken(config.auth.metricsToken),
    },
    async (_request, reply) => {
      collecting ??= metrics.registry.metrics().finally(() => {
        collecting = undefined;
      });
      const figures = await collecting;
      // prom-client prints `Nan`, which Prometheus cannot parse.
      return reply.type(metrics.registry.contentType).send(figures.replaceAll(/^(?!#)(.*) Nan$/gm, '$1 NaN'));
    },
  );
}

function requireToken(expected: string): onRequestHookHandler {
  return ({ headers }, _reply, done) => {
    const [, token = ''] = /^bearer +(\S+)$/i.exec(headers.authorization ?? '') ?? [];
    if (sameSecret(token, expected)) return done();
    done(
      new Failure('unauthenticated', 'AuthError', 'Unauthorized: the metrics token must be provided', {
        headers: { 'www-authenticate': 'Bearer realm="metrics"' },
      }),
    );
  };
}
