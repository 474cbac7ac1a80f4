import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import type { Build } from './build.ts';
import { checkTimeZonesDaily } from './doctor/time-zones.ts';
import { sharedDatabaseCheck } from './operations.sql.ts';

const Status = Type.Object(
  {
    status: Type.String(),
    db: Type.String(),
    git_commit: Type.String(),
    build_time: Type.String(),
  },
  { title: 'Status' },
);

const Alive = Type.Object({ status: Type.String() });
const NotReady = Type.Object({ status: Type.String(), reason: Type.String() });

/** What an operator should know, although the process is ready. */
async function listWarnings(app: Platform): Promise<string[]> {
  const found = await checkTimeZonesDaily(app).catch(() => []);
  return found.map(({ description }) => description);
}

/** Health checks for load balancers, orchestrators and monitoring. */
export function operationsRoutes(http: Http, app: Platform & { build: Build; draining(): boolean }): void {
  const isDatabaseAvailable = sharedDatabaseCheck(app);
  for (const url of ['/status', '/_status']) {
    http.get(
      url,
      { schema: { summary: 'Check the application and the database', response: { 200: Status, 500: Status } } },
      async (_request, reply) => {
        const healthy = await isDatabaseAvailable();
        const outcome = healthy ? 'ok' : 'error';
        return reply.code(healthy ? 200 : 500).send({ status: outcome, db: outcome, ...app.build });
      },
    );
  }

  http.get('/livez', { schema: { summary: 'Liveness probe', response: { 200: Alive } } }, async () => ({
    status: 'ok',
  }));

  http.get(
    '/readyz',
    { schema: { summary: 'Readiness probe', response: { 200: Alive, 503: NotReady } } },
    async (_request, reply) => {
      if (app.draining()) return reply.code(503).send({ status: 'error', reason: 'shutting down' });
      if (await isDatabaseAvailable()) {
        const warnings = await listWarnings(app);
        if (warnings.length === 0) return { status: 'ok' };
        // The schema is that of every other response: almost no installation ever has a warning.
        const ready = { status: 'ok', warnings };
        return reply.serializer(JSON.stringify).send(ready);
      }
      return reply.code(503).send({ status: 'error', reason: 'database unreachable' });
    },
  );

  // Serialized once: half a megabyte on a public endpoint.
  let document: Buffer | undefined;
  http.get(
    '/openapi.json',
    {
      schema: {
        summary: 'The OpenAPI 3.1 document of this API',
        response: { 200: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(http.swagger()));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
}
