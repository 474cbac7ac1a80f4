import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Datetime, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { createRetention, findRetention, listRetentions, updateRetention } from './data-retention.ts';

const OfRetention = Type.Object({ service_id: Uuid, data_retention_id: Uuid });
const Types = OneOf(['sms', 'letter', 'email']);
const Days = Type.Integer({ minimum: 0, maximum: 36_500 });

const Retention = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    service_name: Type.String(),
    notification_type: Types,
    days_of_retention: Type.Integer(),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'DataRetention' },
);

export function dataRetentionRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/data-retention',
    {
      schema: {
        summary: 'List the retention periods of a service that differ from 7 days',
        params: OfService,
        response: { 200: Type.Array(Retention) },
      },
    },
    (request) => listRetentions(app.db, request.params.service_id),
  );

  http.get(
    '/service/:service_id/data-retention/:data_retention_id',
    {
      schema: {
        summary: 'Get a retention period, or an empty object',
        params: OfRetention,
        response: { 200: Type.Partial(Retention) },
      },
    },
    async (request) => {
      const { service_id, data_retention_id } = request.params;
      return (await findRetention(app.db, service_id, { id: data_retention_id })) ?? {};
    },
  );

  http.get(
    '/service/:service_id/data-retention/notification-type/:notification_type',
    {
      schema: {
        summary: 'Get the retention period of a message type, or an empty object',
        params: Type.Object({ service_id: Uuid, notification_type: Types }),
        response: { 200: Type.Partial(Retention) },
      },
    },
    async (request) => {
      const { service_id, notification_type } = request.params;
      return (await findRetention(app.db, service_id, { notification_type })) ?? {};
    },
  );

  http.post(
    '/service/:service_id/data-retention',
    {
      schema: {
        summary: 'Create a retention period for a message type',
        params: OfService,
        body: Type.Object({ days_of_retention: Days, notification_type: Types }),
        response: { 201: Type.Object({ result: Type.Partial(Retention) }) },
      },
    },
    async (request, reply) => {
      const { days_of_retention, notification_type } = request.body;
      const retention = await createRetention(app, request.params.service_id, { days_of_retention, notification_type });
      return reply.code(201).send({ result: retention ?? {} });
    },
  );

  http.post(
    '/service/:service_id/data-retention/:data_retention_id',
    {
      schema: {
        summary: 'Update a retention period',
        params: OfRetention,
        body: Type.Object({ days_of_retention: Days }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { service_id, data_retention_id } = request.params;
      await updateRetention(app, service_id, data_retention_id, request.body.days_of_retention);
      return reply.code(204).send(null);
    },
  );
}
