import { Type } from 'typebox';
import { actAsKey, apiCallerOf } from '../../auth/api-caller.ts';
import { forbidden } from '../../platform/failure.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, Urls } from '../../platform/settings.ts';
import { Datetime, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { liftSuppression, listSuppressions } from './suppression-list.ts';

/** An entry of a suppression list, in both APIs. */
const SuppressedRecipientRecord = Type.Object({
  id: Uuid,
  email_address: Type.String(),
  reason: OneOf(['hard-bounce', 'complaint', 'unsubscribe']),
  notification_id: Type.String({ ...Uuid, description: 'The email that bounced or was answered; it may be deleted' }),
  created_at: Datetime,
});

const Lift = Type.Object({
  email_address: Type.String({ maxLength: 640, description: 'In any spelling: capitals and spaces do not matter' }),
});

export function suppressionListRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/suppression-list',
    {
      schema: {
        summary: 'List the addresses that a service does not send to, newest first',
        params: OfService,
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }),
        response: {
          200: Type.Object({
            suppressed_recipients: Type.Array(SuppressedRecipientRecord),
            older_than: Nullable(
              Type.String({ ...Uuid, description: 'For the request for the next page; null at the end' }),
            ),
          }),
        },
      },
    },
    async ({ params, query }) => {
      const { entries, hasOlder } = await listSuppressions(app.db, params.service_id, query);
      return { suppressed_recipients: entries, older_than: hasOlder ? (entries.at(-1)?.id ?? null) : null };
    },
  );

  http.post(
    '/service/:service_id/suppression-list/lift',
    {
      schema: {
        summary: 'Remove an address from the suppression list, so that the service can send to it again',
        params: OfService,
        body: Lift,
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      await liftSuppression(app, params.service_id, body.email_address);
      return reply.code(204).send(null);
    },
  );
}

const path = '/v2/suppressed-recipients';

const example = {
  suppressed_recipients: [
    {
      id: '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a12',
      email_address: 'ada@example.org',
      reason: 'hard-bounce' as const,
      notification_id: '0199a0a1-7d3e-7c55-b0a7-1f2e3d4c5b6b',
      created_at: '2026-11-15T12:00:00.000000Z',
    },
  ],
  links: { current: `http://localhost:6011${path}` },
};

const lifted = { email_address: 'ada@example.org' };

export function suppressedRecipientRoutes(
  http: Http,
  app: Platform & { config: { urls: Urls; http: HttpSettings } },
): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    path,
    {
      schema: {
        summary: 'List the addresses that the service does not send to, newest first',
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              suppressed_recipients: Type.Array(SuppressedRecipientRecord),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            { examples: [example] },
          ),
        },
      },
    },
    async (request) => {
      const { entries, hasOlder } = await listSuppressions(app.db, apiCallerOf(request).service_id, request.query);
      const current = `${rootOf(request)}${path}`;
      const next = hasOlder ? { next: `${current}?older_than=${entries.at(-1)?.id}` } : {};
      return { suppressed_recipients: entries, links: { current, ...next } };
    },
  );

  http.post(
    `${path}/lift`,
    {
      schema: {
        summary: 'Remove an address from the suppression list, so that the service can send to it again',
        body: Type.Object(Lift.properties, { examples: [lifted] }),
        response: { 200: Type.Object({ email_address: Type.String() }, { examples: [lifted] }) },
      },
    },
    async (request) => {
      const { service_id, key_type } = apiCallerOf(request);
      if (key_type === 'test') throw forbidden('Cannot change the suppression list with a test api key');
      const { email_address } = request.body;
      return { email_address: await actAsKey(app, request, () => liftSuppression(app, service_id, email_address)) };
    },
  );
}
