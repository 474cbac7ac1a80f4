import { Type } from 'typebox';
import { postages } from '../notifications/notification.ts';
import { OneOf } from '../platform/http/fields.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { createLetterRate, createSmsRate, getSmsRate, listLetterRates } from './rates.ts';

const PostClass = OneOf(postages);
const Pounds = Type.Number({ minimum: 0, maximum: 1_000, description: 'GBP' });
const Start = Type.String({ description: 'A moment, or a day: then from its London midnight on' });

const WholeSeconds = Type.String({ description: 'UTC, YYYY-MM-DDTHH:MM:SS' });

const SmsRate = Type.Object({ rate: Type.Number({ description: 'GBP per fragment' }), valid_from: WholeSeconds });
const LetterRate = Type.Object({
  post_class: PostClass,
  sheet_count: Type.Integer(),
  rate: Type.String({ description: 'GBP per letter' }),
  start_date: WholeSeconds,
});

export function rateRoutes(http: Http, app: Platform): void {
  http.get(
    '/sms-rate',
    { schema: { summary: 'What a text message fragment costs now', response: { 200: SmsRate } } },
    async () => getSmsRate(app),
  );

  http.post(
    '/sms-rate',
    {
      schema: {
        summary: 'Add a rate for text messages; usage from its start on counts by it, also in the past',
        body: Type.Object({ rate: Pounds, valid_from: Start }),
        response: { 201: SmsRate },
      },
    },
    async (request, reply) => reply.code(201).send(await createSmsRate(app, request.body)),
  );

  http.get(
    '/letter-rates',
    { schema: { summary: 'What letters cost now', response: { 200: Type.Array(LetterRate) } } },
    async () => listLetterRates(app),
  );

  http.post(
    '/letter-rates',
    {
      schema: {
        summary: 'Add a rate for letters; usage from its start on counts by it, also in the past',
        body: Type.Object({
          post_class: PostClass,
          sheet_count: Type.Integer({ minimum: 1, maximum: 100 }),
          rate: Pounds,
          start_date: Start,
        }),
        response: { 201: LetterRate },
      },
    },
    async (request, reply) => reply.code(201).send(await createLetterRate(app, request.body)),
  );
}
