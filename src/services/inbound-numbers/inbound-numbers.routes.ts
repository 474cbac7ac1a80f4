import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, NoContent, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { SmsSender } from '../senders/senders.routes.ts';
import type { TextSenderSettings } from '../settings.ts';
import { selectAvailableNumbers } from './inbound-numbers.sql.ts';
import {
  assignInboundNumber,
  createInboundNumber,
  disableInboundNumber,
  findNumberOfService,
  listInboundNumbers,
  removeInboundNumber,
} from './inbound-numbers.ts';

const InboundNumber = Type.Object(
  {
    id: Uuid,
    number: Type.String(),
    provider: Type.String(),
    service: Nullable(Type.Object({ id: Uuid, name: Type.String() })),
    active: Type.Boolean(),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'InboundNumber' },
);

export function inboundNumberRoutes(http: Http, app: Platform & { config: { sms: TextSenderSettings } }): void {
  http.get(
    '/inbound-number',
    {
      schema: {
        summary: 'List inbound numbers',
        response: { 200: Data(Type.Array(InboundNumber)) },
      },
    },
    async () => ({ data: await listInboundNumbers(app.db) }),
  );

  http.post(
    '/inbound-number',
    {
      schema: {
        summary: 'Add an inbound number',
        body: Type.Object({
          number: Type.String({
            minLength: 1,
            maxLength: 255,
            description: 'With or without country code, such as 07700900123 or 447700900123, or a short code',
          }),
          provider: Type.String({ minLength: 1, maxLength: 255 }),
        }),
        response: { 201: Data(InboundNumber) },
      },
    },
    async (request, reply) => {
      const { number, provider } = request.body;
      return reply.code(201).send({ data: await createInboundNumber(app, { number, provider }) });
    },
  );

  http.get(
    '/inbound-number/available',
    {
      schema: {
        summary: 'List available inbound numbers',
        response: { 200: Data(Type.Array(InboundNumber)) },
      },
    },
    async () => ({ data: await selectAvailableNumbers(app.db) }),
  );

  http.get(
    '/inbound-number/service/:service_id',
    {
      schema: {
        summary: 'Get the inbound number of a service, or an empty object',
        params: OfService,
        response: { 200: Data(Type.Partial(InboundNumber)) },
      },
    },
    async (request) => ({ data: (await findNumberOfService(app.db, request.params.service_id)) ?? {} }),
  );

  http.post(
    '/inbound-number/service/:service_id',
    {
      schema: {
        summary: 'Assign an inbound number to a service and add it as an SMS sender',
        params: OfService,
        body: Type.Object({ inbound_number_id: Type.Optional(Uuid) }),
        response: { 201: SmsSender },
      },
    },
    async (request, reply) => {
      const { inbound_number_id } = request.body;
      const sender = await assignInboundNumber(app, request.params.service_id, { inbound_number_id, is_default: true });
      return reply.code(201).send(sender);
    },
  );

  http.post(
    '/inbound-number/service/:service_id/off',
    {
      schema: {
        summary: 'Disable the inbound number of a service',
        params: OfService,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await disableInboundNumber(app, request.params.service_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/inbound-sms/remove',
    {
      schema: {
        summary: 'Release the inbound number of a service, or archive it so that it is not assigned again',
        params: OfService,
        body: Type.Object({ archive: Type.Boolean() }),
        response: { 200: Type.Object({}) },
      },
    },
    async (request) => {
      await removeInboundNumber(app, request.params.service_id, request.body.archive);
      return {};
    },
  );
}
