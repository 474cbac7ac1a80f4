import { Type } from 'typebox';
import { apiCallerOf } from '../auth/api-caller.ts';
import { requestRoot } from '../platform/http/root.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { Uuid } from '../protocol/fields.ts';
import { InboundTextRecord } from './inbound-text-record.ts';
import { listInboundTexts } from './inbound-texts.ts';

const path = '/v2/received-text-messages';

/** `test/examples.test.ts` compares this example with the real response. */
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
      const texts = await listInboundTexts(app, apiCallerOf(request).service_id, request.query.older_than);
      const current = `${rootOf(request)}${path}`;
      const last = texts.at(-1);
      return {
        received_text_messages: texts,
        links: { current, ...(last ? { next: `${current}?older_than=${last.id}` } : {}) },
      };
    },
  );
}
