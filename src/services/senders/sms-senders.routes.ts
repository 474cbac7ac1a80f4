import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import { assignInboundNumber } from '../inbound-numbers/inbound-numbers.ts';
import { SmsSender } from './sms-sender-record.ts';
import { archiveSmsSender, createSmsSender, getSmsSender, listSmsSenders, updateSmsSender } from './sms-senders.ts';

const OfSender = Type.Object({ service_id: Uuid, sms_sender_id: Uuid });

const fields = {
  sms_sender: Type.String({ minLength: 1, maxLength: 11 }),
  is_default: Type.Boolean(),
};

export function smsSenderRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/sms-sender',
    {
      schema: {
        summary: 'List the SMS senders of a service, the default first',
        params: OfService,
        response: { 200: Type.Array(SmsSender) },
      },
    },
    (request) => listSmsSenders(app.db, request.params.service_id),
  );

  http.post(
    '/service/:service_id/sms-sender',
    {
      schema: {
        summary: 'Add an SMS sender or an inbound number',
        params: OfService,
        body: Type.Object({ ...fields, inbound_number_id: Type.Optional(Nullable(Uuid)) }),
        response: { 201: SmsSender },
      },
    },
    async (request, reply) => {
      const { service_id } = request.params;
      const { sms_sender, is_default, inbound_number_id } = request.body;
      const sender = inbound_number_id
        ? await assignInboundNumber(app, service_id, { inbound_number_id, is_default })
        : await createSmsSender(app, service_id, { sms_sender, is_default });
      return reply.code(201).send(sender);
    },
  );

  http.get(
    '/service/:service_id/sms-sender/:sms_sender_id',
    { schema: { summary: 'Get an SMS sender', params: OfSender, response: { 200: SmsSender } } },
    (request) => getSmsSender(app.db, request.params.service_id, request.params.sms_sender_id),
  );

  http.post(
    '/service/:service_id/sms-sender/:sms_sender_id',
    {
      schema: {
        summary: 'Update an SMS sender',
        params: OfSender,
        body: Type.Object(fields),
        response: { 200: SmsSender },
      },
    },
    (request) => {
      const { sms_sender, is_default } = request.body;
      const { service_id, sms_sender_id } = request.params;
      return updateSmsSender(app, service_id, sms_sender_id, { sms_sender, is_default });
    },
  );

  http.post(
    '/service/:service_id/sms-sender/:sms_sender_id/archive',
    {
      schema: {
        summary: 'Archive an SMS sender that is not the default',
        params: OfSender,
        response: { 200: Data(SmsSender) },
      },
    },
    async (request) => ({
      data: await archiveSmsSender(app, request.params.service_id, request.params.sms_sender_id),
    }),
  );
}
