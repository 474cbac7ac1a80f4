import { Type } from 'typebox';
import { actAsKey, apiCallerOf } from '../../auth/api-caller.ts';
import { forbidden } from '../../platform/failure.ts';
import { requestRoot } from '../../platform/http/request-facts.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings, Urls } from '../../platform/settings.ts';
import { Datetime, OneOf, Uuid } from '../../protocol/fields.ts';
import { liftOptOut, listOptOuts, type OptOutRow } from './opt-outs.ts';

const path = '/v2/opted-out-numbers';
const maxReason = 1_000;

const OptedOutNumber = Type.Object({
  id: Uuid,
  phone_number: Type.String({ description: 'With country code, digits only' }),
  sender: Type.String({ description: 'The number that got the reply; * is every sender of the service' }),
  keyword: Type.String(),
  reason: OneOf(['keyword', 'provider']),
  created_at: Datetime,
});

function recordOf({ id, user_number, sender, keyword, reason, created_at }: OptOutRow) {
  return { id, phone_number: user_number, sender, keyword, reason, created_at };
}

const example = {
  opted_out_numbers: [
    {
      id: '0199a0a4-2f0b-7c55-b0a7-6d7a3a6f8a13',
      phone_number: '447700900123',
      sender: '447700900500',
      keyword: 'STOP',
      reason: 'keyword' as const,
      created_at: '2026-11-15T12:00:00.000000Z',
    },
  ],
  links: { current: `http://localhost:6011${path}` },
};

const lifted = { phone_number: '447700900123' };

export function optedOutNumberRoutes(http: Http, app: Platform & { config: { urls: Urls; http: HttpSettings } }): void {
  const rootOf = requestRoot(app.config.urls.api);

  http.get(
    path,
    {
      schema: {
        summary: 'List the numbers that get no more texts from the service, newest first',
        querystring: Type.Object({ older_than: Type.Optional(Uuid) }, { additionalProperties: false }),
        response: {
          200: Type.Object(
            {
              opted_out_numbers: Type.Array(OptedOutNumber),
              links: Type.Object({ current: Type.String(), next: Type.Optional(Type.String()) }),
            },
            { examples: [example] },
          ),
        },
      },
    },
    async (request) => {
      const { entries, hasOlder } = await listOptOuts(app.db, apiCallerOf(request).service_id, request.query);
      const current = `${rootOf(request)}${path}`;
      const next = hasOlder ? { next: `${current}?older_than=${entries.at(-1)?.id}` } : {};
      return { opted_out_numbers: entries.map(recordOf), links: { current, ...next } };
    },
  );

  http.post(
    `${path}/lift`,
    {
      schema: {
        summary: 'Let the service send texts to a number again that had opted out, because the person asked for it',
        body: Type.Object(
          {
            phone_number: Type.String({ maxLength: 100, description: 'In any spelling' }),
            reason: Type.Optional(Type.String({ maxLength: maxReason, description: 'For the audit log' })),
          },
          { examples: [lifted] },
        ),
        response: { 200: Type.Object({ phone_number: Type.String() }, { examples: [lifted] }) },
      },
    },
    async (request) => {
      const { service_id, key_type } = apiCallerOf(request);
      if (key_type === 'test') throw forbidden('Cannot change opted-out numbers with a test api key');
      const { phone_number, reason } = request.body;
      return { phone_number: await actAsKey(app, request, () => liftOptOut(app, service_id, phone_number, reason)) };
    },
  );
}
