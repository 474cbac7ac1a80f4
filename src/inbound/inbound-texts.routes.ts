import { Type } from 'typebox';
import { apiCallerOf } from '../auth/api-caller.ts';
import { requestRoot } from '../platform/http/request-facts.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { Data, Datetime, Nullable, OfService, QueryInteger, Uuid } from '../protocol/fields.ts';
import {
  findLastUse,
  getInboundText,
  InboundTextRecord,
  listConversations,
  listInboundTexts,
  listInbox,
  recordOf,
  summariseInbox,
} from './inbound-texts.ts';

const path = '/v2/received-text-messages';

/** `test/examples.full.test.ts` compares this example with the real response. */
const example = {
  received_text_messages: [
    {
      id: '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a11',
      created_at: '2026-11-15T12:00:00.000000Z',
      service_id: '0199a0a1-7d3e-7c55-b0a7-1f2e3d4c5b6a',
      notify_number: '07700900500',
      user_number: '447700900123',
      content: 'Yes, Friday is fine',
    },
  ],
  links: {
    current: `http://localhost:6011${path}`,
    next: `http://localhost:6011${path}?older_than=0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a11`,
  },
};

export function inboundTextRoutes(http: Http, app: Platform & { config: { urls: Urls } }): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    path,
    {
      schema: {
        summary: 'List the text messages received by the service, newest first',
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              received_text_messages: Type.Array(InboundTextRecord),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            { examples: [example] },
          ),
        },
      },
    },
    async (request) => {
      const texts = await listInboundTexts(app.db, apiCallerOf(request).service_id, request.query.older_than);
      const current = `${rootOf(request)}${path}`;
      const last = texts.at(-1);
      return {
        received_text_messages: texts.map(recordOf),
        links: { current, ...(last ? { next: `${current}?older_than=${last.id}` } : {}) },
      };
    },
  );
}

/** Returns texts that a service received in the last week, for the admin front end. */
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
      data: (await listInbox(app, request.params.service_id, request.body.phone_number ?? undefined)).map(recordOf),
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
      const { data, has_next } = await listConversations(app, request.params.service_id, page);
      return { data: data.map(recordOf), has_next };
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
    async (request) => ({ most_recent_date: await findLastUse(app.db, request.params.service_id) }),
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
    async (request) => recordOf(await getInboundText(app, request.params.service_id, request.params.inbound_sms_id)),
  );
}
