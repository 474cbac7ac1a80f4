import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import type { Build } from './build.ts';
import { sharedDatabaseCheck } from './database-check.sql.ts';

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

/** What an operator's tools ask: is it up, is it ready. */
export function operationsRoutes(http: Http, app: Platform & { build: Build; draining(): boolean }): void {
  const databaseAnswers = sharedDatabaseCheck(app);
  for (const url of ['/status', '/_status']) {
    http.get(
      url,
      { schema: { summary: 'Application and database check', response: { 200: Status, 500: Status } } },
      async (_request, reply) => {
        const healthy = await databaseAnswers();
        const outcome = healthy ? 'ok' : 'error';
        return reply.code(healthy ? 200 : 500).send({ status: outcome, db: outcome, ...app.build });
      },
    );
  }

  http.get('/livez', { schema: { summary: 'The process answers', response: { 200: Alive } } }, async () => ({
    status: 'ok',
  }));

  http.get(
    '/readyz',
    { schema: { summary: 'The process can do work: send it requests', response: { 200: Alive, 503: NotReady } } },
    async (_request, reply) => {
      if (app.draining()) return reply.code(503).send({ status: 'error', reason: 'shutting down' });
      if (await databaseAnswers()) return { status: 'ok' };
      return reply.code(503).send({ status: 'error', reason: 'database unreachable' });
    },
  );

  // Serialized once: half a megabyte that anyone may ask for, any number of times.
  let document: Buffer | undefined;
  http.get(
    '/openapi.json',
    {
      schema: {
        summary: 'This API as an OpenAPI 3.1 document',
        response: { 200: Type.Unsafe<object>({ type: 'object', additionalProperties: true }) },
      },
    },
    async (_request, reply) => {
      document ??= Buffer.from(JSON.stringify(http.swagger()));
      return reply.type('application/json; charset=utf-8').send(document);
    },
  );
}
