import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import { stringify } from 'yaml';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Raw } from '../protocol/fields.ts';
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

/** Returns what an operator should know although the process is ready. */
async function listWarnings(app: Platform): Promise<string[]> {
  const found = await checkTimeZonesDaily(app).catch(() => []);
  return found.map(({ description }) => description);
}

/** Health checks for load balancers, orchestrators and monitoring. */
export function operationsRoutes(http: Http, app: Platform & { build: Build; draining(): boolean }): void {
  const isDatabaseAvailable = sharedDatabaseCheck(app);
  const schema = { summary: 'Check the application and the database', response: { 200: Status, 500: Status } };
  async function check(_request: unknown, reply: FastifyReply) {
    const healthy = await isDatabaseAvailable();
    const outcome = healthy ? 'ok' : 'error';
    return reply.code(healthy ? 200 : 500).send({ status: outcome, db: outcome, ...app.build });
  }
  http.get('/status', { schema }, check);
  http.get('/_status', { schema }, check);
  http.post('/_status', { schema }, check);

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
        // Bypasses the schema, which has no warnings: almost no installation ever has one.
        const ready = { status: 'ok', warnings };
        return reply.serializer(JSON.stringify).send(ready);
      }
      return reply.code(503).send({ status: 'error', reason: 'database unreachable' });
    },
  );

  // Serialised once, because it is half a megabyte on a public endpoint.
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

  let publicDocument: Buffer | undefined;
  for (const url of ['/v2/openapi-en', '/v2/openapi-fr']) {
    http.get(
      url,
      {
        schema: {
          summary: 'The OpenAPI 3.1 document of the routes for applications, where GC Notify has its own',
          response: { 200: Raw('application/yaml', 'The document as YAML') },
        },
      },
      async (_request, reply) => {
        publicDocument ??= Buffer.from(
          stringify(publicPart(http.swagger() as OpenApi), { aliasDuplicateObjects: false }),
        );
        return reply.type('application/yaml').send(publicDocument);
      },
    );
  }
}

interface OpenApi {
  paths?: Record<string, object>;
}

/** Returns the document without the routes that applications never call. */
function publicPart(document: OpenApi): OpenApi {
  const paths = Object.entries(document.paths ?? {}).filter(([path]) => path.startsWith('/v2/'));
  return { ...document, paths: Object.fromEntries(paths) };
}
