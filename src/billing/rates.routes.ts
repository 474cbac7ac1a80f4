import { Type } from 'typebox';
import { listPostage } from '../countries/postage.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { AmountFields, OneOf, StoredPostage } from '../protocol/fields.ts';
import { createLetterRate, createSmsRate, getSmsRate, listLetterRates } from './rates.ts';

const Start = Type.String({ description: 'A date-time, or a date: then from midnight in London' });

const WholeSeconds = Type.String({ description: 'UTC, YYYY-MM-DDTHH:MM:SS' });

export function rateRoutes(http: Http, app: Platform): void {
  const { currency, maxPrice } = app.country.money;
  const Price = Type.Number({ minimum: 0, maximum: maxPrice, description: currency });
  const SmsRate = Type.Object({
    rate: Type.Number({ description: `${currency} per fragment` }),
    valid_from: WholeSeconds,
    ...AmountFields(app.country),
  });
  const LetterRate = Type.Object({
    post_class: StoredPostage(app.country),
    sheet_count: Type.Integer(),
    rate: Type.String({ description: `${currency} per letter` }),
    start_date: WholeSeconds,
    ...AmountFields(app.country),
  });

  http.get(
    '/sms-rate',
    { schema: { summary: 'Get the current rate per text message fragment', response: { 200: SmsRate } } },
    async () => getSmsRate(app),
  );

  http.post(
    '/sms-rate',
    {
      schema: {
        summary: 'Add a text message rate; it also reprices past usage from its start date on',
        body: Type.Object({ rate: Price, valid_from: Start }),
        response: { 201: SmsRate },
      },
    },
    async (request, reply) => reply.code(201).send(await createSmsRate(app, request.body)),
  );

  http.get(
    '/letter-rates',
    { schema: { summary: 'List the current letter rates', response: { 200: Type.Array(LetterRate) } } },
    async () => listLetterRates(app),
  );

  http.post(
    '/letter-rates',
    {
      schema: {
        summary: 'Add a letter rate; it also reprices past usage from its start date on',
        body: Type.Object({
          post_class: OneOf(listPostage(app.country.postage)),
          sheet_count: Type.Integer({ minimum: 1, maximum: 100 }),
          rate: Price,
          start_date: Start,
        }),
        response: { 201: LetterRate },
      },
    },
    async (request, reply) => reply.code(201).send(await createLetterRate(app, request.body)),
  );
}
