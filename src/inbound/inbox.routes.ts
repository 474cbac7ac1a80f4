import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Datetime, Nullable, OfService, QueryInteger, Uuid } from '../protocol/fields.ts';
import { InboundTextRecord } from './inbound-text-record.ts';
import { findLastUse, getInboundText, listConversations, listInbox, summariseInbox } from './inbound-texts.ts';

/** Texts received by a service in the last week, for the admin front end. */
export function inboxRoutes(http: Http, app: Platform): void {
  http.post(
    '/service/:service_id/inbound-sms',
    {
      schema: {
        summary: 'List received texts, newest first, optionally filtered by phone number',
        params: OfService,
        body: Type.Object({ phone_number: Type.Optional(Nullable(Type.String())) }),
        response: { 200: Data(Type.Array(InboundTextRecord)) },
      },
    },
    async (request) => ({
      data: await listInbox(app, request.params.service_id, request.body.phone_number ?? undefined),
    }),
  );

  http.get(
    '/service/:service_id/inbound-sms/most-recent',
    {
      schema: {
        summary: 'List the newest text from each phone number, 50 per page',
        params: OfService,
        querystring: Type.Object({ page: Type.Optional(QueryInteger) }),
        response: { 200: Type.Object({ data: Type.Array(InboundTextRecord), has_next: Type.Boolean() }) },
      },
    },
    async (request) => {
      const page = Math.min(Math.max(Number(request.query.page ?? 1), 1), 1_000_000);
      return listConversations(app, request.params.service_id, page);
    },
  );

  http.get(
    '/service/:service_id/inbound-sms/summary',
    {
      schema: {
        summary: 'Count the received texts, with the time of the latest',
        params: OfService,
        response: { 200: Type.Object({ count: Type.Integer(), most_recent: Nullable(Datetime) }) },
      },
    },
    async (request) => summariseInbox(app, request.params.service_id),
  );

  http.get(
    '/service/:service_id/inbound-sms/most-recent-usage',
    {
      schema: {
        summary: 'Get the time of the latest text to the number of the service',
        params: OfService,
        response: { 200: Type.Object({ most_recent_date: Nullable(Datetime) }) },
      },
    },
    async (request) => ({ most_recent_date: await findLastUse(app, request.params.service_id) }),
  );

  http.get(
    '/service/:service_id/inbound-sms/:inbound_sms_id',
    {
      schema: {
        summary: 'Get one received text',
        params: Type.Object({ service_id: Uuid, inbound_sms_id: Uuid }),
        response: { 200: InboundTextRecord },
      },
    },
    async (request) => getInboundText(app, request.params.service_id, request.params.inbound_sms_id),
  );
}
