import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { FastifyReply } from 'fastify';
import { Type } from 'typebox';
import type { Config } from '../config.ts';
import { notFound } from '../platform/failure.ts';
import { adminErrors } from '../platform/http/error-bodies.ts';
import { Datetime, Nullable, Raw, Uuid } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { outboxPage } from './outbox-page.ts';
import { selectLatestSandboxMessages } from './providers/sandbox.sql.ts';
import { isSandboxInUse, outboxFolder } from './providers/sandbox.ts';

type Needs = Platform & { config: Pick<Config, 'DEMO' | 'DATA_DIR' | 'SMS_PROVIDERS' | 'EMAIL_PROVIDERS'> };

const shown = 100;

const Message = Type.Object({
  reference: Uuid,
  notification_type: Type.String(),
  recipient: Type.String(),
  sender: Type.String(),
  subject: Nullable(Type.String()),
  body: Type.String(),
  created_at: Datetime,
  status: Type.String(),
});

/**
 * What the sandbox kept, for whoever tries the product out. It shows messages to anyone who can reach the server, so it
 * exists only in demonstrations.
 */
export function outboxRoutes(http: Http, app: Needs): void {
  if (!app.config.DEMO || !isSandboxInUse(app.config)) return;

  http.get(
    '/outbox',
    {
      schema: {
        summary: 'The latest messages in the sandbox, as a page or as JSON',
        response: { 200: Type.Object({ messages: Type.Array(Message) }) },
      },
    },
    async (request, reply) => {
      const messages = await selectLatestSandboxMessages(app.db, shown);
      const wantsPage = (request.headers.accept ?? '').includes('text/html');
      return wantsPage ? sendOutboxPage(reply, outboxPage(messages)) : { messages };
    },
  );

  http.get(
    '/outbox/:reference',
    {
      schema: {
        summary: 'One message as the sandbox keeps it',
        params: Type.Object({ reference: Uuid }),
        response: { 200: Raw('text/plain', 'The text, or the source of the email'), 404: adminErrors.errorSchema },
      },
    },
    async ({ params }, reply) => {
      for (const [ending, type] of Object.entries(fileTypes)) {
        const file = join(outboxFolder(app.config.DATA_DIR), `${params.reference.toLowerCase()}${ending}`);
        const content = await readFile(file).catch(() => undefined);
        if (content) return reply.type(type).send(content);
      }
      throw notFound();
    },
  );
}

function sendOutboxPage(reply: FastifyReply, page: string): FastifyReply {
  return reply
    .type('text/html; charset=utf-8')
    .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'")
    .send(page);
}

// An email is shown as its source, never rendered: it would run in the same origin as the API.
const fileTypes = { '.txt': 'text/plain; charset=utf-8', '.eml': 'text/plain; charset=utf-8' };
