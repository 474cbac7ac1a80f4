import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Datetime, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { callbackTypes } from '../../services/settings/callback-api.ts';
import { listCallbacks, replayCallback, replayFailedCallbacks, sendTestCallback } from './callback-history.ts';

const CallbackTypes = OneOf(callbackTypes);
const Statuses = OneOf(['waiting', 'delivered', 'failed']);

const Callbacks = Type.Object({
  callbacks: Type.Array(
    Type.Object({
      id: Uuid,
      callback_type: CallbackTypes,
      subject_id: Type.String({
        description: 'The id of the notification, received text, or message with a channel plan',
      }),
      url: Type.String(),
      status: Statuses,
      attempts: Type.Integer(),
      attempt_log: Type.Array(
        Type.Object({
          at: Datetime,
          status_code: Nullable(Type.Integer()),
          error: Nullable(Type.String()),
          duration_ms: Type.Integer(),
        }),
      ),
      next_attempt_at: Nullable(Datetime),
      created_at: Datetime,
      completed_at: Nullable(Datetime),
    }),
  ),
});

/** Serves the callback log of a service to the operators of its receiver. */
export function callbackHistoryRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/callbacks',
    {
      schema: {
        summary: 'List recent callbacks with all attempts, newest first',
        params: OfService,
        querystring: Type.Object({ status: Type.Optional(Statuses), older_than: Type.Optional(Uuid) }),
        response: { 200: Callbacks },
      },
    },
    async ({ params, query }) => ({ callbacks: await listCallbacks(app, params.service_id, query) }),
  );

  http.post(
    '/service/:service_id/callbacks/replay',
    {
      schema: {
        summary: 'Send failed callbacks again, to the URL configured now',
        params: OfService,
        body: Type.Object({
          callback_type: Type.Optional(CallbackTypes),
          created_since: Type.Optional(Type.String({ format: 'datetime' })),
        }),
        response: { 200: Type.Object({ replayed: Type.Integer() }) },
      },
    },
    async ({ params, body }) => ({ replayed: await replayFailedCallbacks(app, params.service_id, body) }),
  );

  http.post(
    '/service/:service_id/callbacks/test',
    {
      schema: {
        summary: 'Send an example to the URL configured for a type of event',
        params: OfService,
        body: Type.Object({ callback_type: CallbackTypes }),
        response: { 201: Type.Object({ id: Uuid }) },
      },
    },
    async ({ params, body }, reply) =>
      reply.code(201).send({ id: await sendTestCallback(app, params.service_id, body.callback_type) }),
  );

  http.post(
    '/service/:service_id/callbacks/:callback_id/replay',
    {
      schema: {
        summary: 'Send one callback again, whether delivered or not',
        params: Type.Object({ service_id: Uuid, callback_id: Uuid }),
        response: { 204: Type.Null() },
      },
    },
    async ({ params }, reply) => {
      await replayCallback(app, params.service_id, params.callback_id);
      return reply.code(204).send(null);
    },
  );
}
