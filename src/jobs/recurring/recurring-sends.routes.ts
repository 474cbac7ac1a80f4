import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import { Data, Datetime, Day, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { UploadDeps } from '../uploads/uploads.ts';
import {
  createRecurringSend,
  getRecurringSend,
  listRecurringSends,
  pauseRecurringSend,
  previewDates,
  removeRecurringSend,
  resumeRecurringSend,
} from './recurring-sends.ts';

const OfRecurringSend = Type.Object({ service_id: Uuid, recurring_send_id: Uuid });

const times = {
  rule: Type.String({
    description:
      'A rule of RFC 5545 with FREQ, INTERVAL, BYDAY, BYMONTHDAY, COUNT or UNTIL, such as FREQ=MONTHLY;BYDAY=1TU. BYDAY=-1WD is the last working day of the month.',
  }),
  starts_on: Type.String({ description: 'YYYY-MM-DD' }),
  at_time: Type.String({ description: 'HH:MM' }),
};
const TimesBody = Type.Object({ ...times, time_zone: Type.Optional(Nullable(Type.String())) });

const fields = {
  id: Uuid,
  service_id: Uuid,
  template_id: Uuid,
  contact_list_id: Uuid,
  sender_id: Nullable(Uuid),
  ...times,
  starts_on: Day,
  time_zone: Type.String(),
  next_at: Nullable(Datetime),
  next_dates: Type.Array(Datetime),
  state: OneOf(['active', 'paused', 'ended']),
  ends_reason: Nullable(Type.String({ description: 'Why it paused by itself' })),
  created_by_id: Uuid,
  created_at: Datetime,
};
const RecurringSend = Type.Object(fields, { title: 'RecurringSend' });

const Run = Type.Object({
  due_at: Datetime,
  job_id: Uuid,
  outcome: OneOf(['started', 'sent', 'failed', 'skipped']),
  reason: Nullable(Type.String()),
  job_status: Nullable(Type.String({ description: 'Null without a file' })),
});

export function recurringSendRoutes(http: Http, app: UploadDeps): void {
  http.get(
    '/service/:service_id/recurring-send',
    {
      schema: {
        summary: 'List the recurring sends of a service, the newest first',
        params: OfService,
        response: { 200: Data(Type.Array(RecurringSend)) },
      },
    },
    async ({ params }) => ({ data: await listRecurringSends(app, params.service_id) }),
  );

  http.post(
    '/service/:service_id/recurring-send',
    {
      schema: {
        summary: 'Create a recurring send: a template that is sent to a contact list by a rule',
        params: OfService,
        body: Type.Object({
          template_id: Uuid,
          contact_list_id: Uuid,
          sender_id: Type.Optional(Nullable(Uuid)),
          ...TimesBody.properties,
          created_by: Uuid,
        }),
        response: { 201: Data(RecurringSend) },
      },
    },
    async ({ params, body }, reply) =>
      reply.code(201).send({ data: await createRecurringSend(app, params.service_id, body) }),
  );

  http.post(
    '/service/:service_id/recurring-send/dates',
    {
      schema: {
        summary: 'Get the next five dates of a rule without saving anything',
        params: OfService,
        body: TimesBody,
        response: { 200: Data(Type.Array(Datetime)) },
      },
    },
    async ({ body }) => ({ data: previewDates(app, body) }),
  );

  http.get(
    '/service/:service_id/recurring-send/:recurring_send_id',
    {
      schema: {
        summary: 'Get a recurring send with its next five dates and its last runs',
        params: OfRecurringSend,
        response: { 200: Data(Type.Object({ ...fields, runs: Type.Array(Run) })) },
      },
    },
    async ({ params }) => ({ data: await getRecurringSend(app, params.service_id, params.recurring_send_id) }),
  );

  http.post(
    '/service/:service_id/recurring-send/:recurring_send_id/pause',
    { schema: { summary: 'Pause a recurring send', params: OfRecurringSend, response: { 204: NoContent } } },
    async ({ params }, reply) => {
      await pauseRecurringSend(app, params.service_id, params.recurring_send_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/recurring-send/:recurring_send_id/resume',
    {
      schema: {
        summary: 'Resume a recurring send; the person becomes its owner',
        params: OfRecurringSend,
        body: Type.Object({ user_id: Uuid }),
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      await resumeRecurringSend(app, params.service_id, params.recurring_send_id, body.user_id);
      return reply.code(204).send(null);
    },
  );

  http.delete(
    '/service/:service_id/recurring-send/:recurring_send_id',
    {
      schema: {
        summary: 'Delete a recurring send and keep its jobs',
        params: OfRecurringSend,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await removeRecurringSend(app, params.service_id, params.recurring_send_id);
      return reply.code(204).send(null);
    },
  );
}
