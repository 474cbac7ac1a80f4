import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { authenticateAdmin } from '../../auth/admin-token.ts';
import type { AuthSettings } from '../../auth/settings.ts';
import { forbidden, notFound } from '../../platform/failure.ts';
import { isLoopback } from '../../platform/http/networks.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, StorageSettings, Urls } from '../../platform/settings.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { Datetime, Nullable, Raw, Uuid } from '../../protocol/fields.ts';
import { platformServiceId } from '../../users/platform-user.ts';
import type { ActiveProviders } from '../providers/settings.ts';
import type { DemoSettings } from '../settings.ts';
import { findSource } from './email-sources.ts';
import { selectLatestSandboxMessages, selectSandboxMessage } from './sandbox.sql.ts';
import { isSandboxInUse, readBody } from './sandbox.ts';

interface Deps extends Platform {
  config: ActiveProviders & {
    http: HttpSettings;
    urls: Urls;
    auth: AuthSettings;
    storage: StorageSettings;
    demo: DemoSettings;
    console: { enabled: boolean };
  };
}

const maxShown = 100;
/** An email may have megabytes, so a page is full at this length. A longer email is a page by itself. */
const maxCharacters = 1_000_000;

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
 * The messages of the sandbox, for programs; people read them in the console. Anyone who can reach the server can read them, so the routes
 * exist only in the demo. Sign-in codes and account links require an admin token.
 */
export function outboxRoutes(http: Http, app: Deps): void {
  if (!app.config.demo.enabled || !isSandboxInUse(app.config)) return;
  const checkAdmin = authenticateAdmin(app);
  const forThisOrigin = onlyForThisOrigin(app.config);

  /** Returns the service whose messages this caller may not see. */
  async function hiddenService(request: FastifyRequest, reply: FastifyReply): Promise<string | undefined> {
    if (request.headers.authorization === undefined) return platformServiceId;
    await checkAdmin(request, reply);
    return undefined;
  }

  function textOf(message: { reference: string; recipient: string; sender: string; body: string }): string {
    return `From: ${message.sender}\nTo: ${message.recipient}\n\n${readBody(app, message)}\n`;
  }

  http.get(
    '/outbox',
    {
      onRequest: forThisOrigin,
      schema: {
        summary: 'List the latest messages of the sandbox; browsers are redirected to the console',
        description: `Up to ${maxShown} messages, fewer if they are long.`,
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }),
        response: {
          200: Type.Object({
            messages: Type.Array(Message),
            older_than: Nullable(
              Type.String({ format: 'uuid', description: 'Asks for the next page; null: this is the last' }),
            ),
          }),
          401: adminErrors.errorSchema,
          403: adminErrors.errorSchema,
        },
      },
    },
    async (request, reply) => {
      const wantsPage = request.type(['json', 'html']) === 'html';
      if (wantsPage && app.config.console.enabled) return reply.redirect('/console/sandbox', 303);
      const hidden = await hiddenService(request, reply);
      const { older_than } = request.query;
      const latest = await selectLatestSandboxMessages(app.db, { max: maxShown + 1, older_than }, hidden);
      const page = firstPageOf(latest);
      const last = page.at(-1)?.reference ?? null;
      return {
        messages: page.map((message) => ({ ...message, body: readBody(app, message) })),
        older_than: page.length < latest.length ? last : null,
      };
    },
  );

  http.get(
    '/outbox/:reference',
    {
      onRequest: forThisOrigin,
      schema: {
        summary: 'Get one message of the sandbox',
        params: Type.Object({ reference: Uuid }),
        response: {
          200: Raw('text/plain', 'The text message, or the source of the email'),
          401: adminErrors.errorSchema,
          403: adminErrors.errorSchema,
          404: adminErrors.errorSchema,
        },
      },
    },
    async (request, reply) => {
      const { params } = request;
      const hidden = await hiddenService(request, reply);
      const message = await selectSandboxMessage(app.db, params.reference, hidden);
      if (!message) throw notFound();
      const content =
        message.notification_type === 'email' ? await findSource(app, message.reference) : textOf(message);
      if (content === undefined) throw notFound();
      // The source of an email is returned as text and never rendered: its HTML would run in the origin of the API.
      return reply.type('text/plain; charset=utf-8').send(content);
    },
  );
}

function firstPageOf<Message extends { body: string }>(messages: readonly Message[]): Message[] {
  let characters = 0;
  const tooMany = messages.findIndex(({ body }, index) => {
    characters += body.length;
    return index === maxShown || (index > 0 && characters > maxCharacters);
  });
  return messages.slice(0, tooMany === -1 ? undefined : tooMany);
}

/**
 * Prevents embedding by other sites, and DNS rebinding: a site can point its own name to this machine, and its pages then count as the same
 * origin. If the server is only reachable from this machine, only this machine's names are accepted.
 */
function onlyForThisOrigin({ http, urls }: { http: HttpSettings; urls: Urls }) {
  const ownName = new URL(urls.api).hostname;
  return async ({ hostname }: FastifyRequest, reply: FastifyReply): Promise<void> => {
    reply.header('cross-origin-resource-policy', 'same-origin');
    const name = hostname.replace(/^\[(.*)\]$/, '$1').toLowerCase();
    if (isLoopback(http.host) && !isLoopback(name) && name !== ownName)
      throw forbidden('The outbox is shown under names of this machine only: set BASE_URL to use another one');
  };
}
