import { Type } from 'typebox';
import { inTransaction } from '../platform/db/database.ts';
import { invalid } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { maxInteger, OfService } from '../protocol/fields.ts';
import { ensureAllowance, setAllowance } from './allowance.ts';

export function allowanceRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/billing/free-sms-fragment-limit',
    {
      schema: {
        summary: 'Get the free text message allowance of a financial year; stores the default if none is set',
        params: OfService,
        querystring: Type.Object({
          financial_year_start: Type.Optional(Type.Unsafe<unknown>({ description: 'Defaults to the current year' })),
        }),
        response: {
          200: Type.Object({
            free_sms_fragment_limit: Type.Integer(),
            financial_year_start: Type.Integer(),
            has_custom_allowance: Type.Boolean(),
          }),
        },
      },
    },
    async (request) => {
      const now = app.clock.now();
      const year = parseYear(request.query.financial_year_start) ?? app.country.calendar.financialYear(now);
      return inTransaction(app.db, (tx) => ensureAllowance(app.country, tx, request.params.service_id, year, now));
    },
  );

  http.post(
    '/service/:service_id/billing/free-sms-fragment-limit',
    {
      schema: {
        summary: 'Set the free text message allowance of the current financial year',
        params: OfService,
        body: Type.Object({ free_sms_fragment_limit: Type.Integer({ minimum: 0, maximum: maxInteger }) }),
        response: { 200: Type.Object({ free_sms_fragment_limit: Type.Integer() }) },
      },
    },
    async (request) => {
      const { free_sms_fragment_limit } = request.body;
      await inTransaction(app.db, (tx) =>
        setAllowance(app.country, tx, request.params.service_id, free_sms_fragment_limit, app.clock.now()),
      );
      return { free_sms_fragment_limit };
    },
  );
}

function parseYear(text: unknown): number | undefined {
  if (text === undefined) return undefined;
  if (typeof text !== 'string' || !/^\d{1,4}$/.test(text)) throw invalid('Invalid financial year');
  return Number(text);
}
