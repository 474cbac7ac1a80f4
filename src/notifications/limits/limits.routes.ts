import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { notFound } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Datetime, Nullable, OfService, OneOf } from '../../protocol/fields.ts';
import { textUnits } from '../../services/settings/text-unit.ts';
import type { SendState } from '../sending/send-context.ts';
import { listLimits } from './all-limits.ts';
import { listRemainingToday } from './daily-limits.ts';

const limitExample = { limit: 250_000, used: 1_200, remaining: 248_800, resets_at: '2026-11-17T00:00:00.000000Z' };
const yearExample = { limit: 1_000_000, used: 350_000, remaining: 650_000, resets_at: '2027-04-01T00:00:00.000000Z' };

const Left = Type.Object({
  limit: Type.Integer(),
  used: Type.Integer(),
  remaining: Type.Integer(),
  resets_at: Datetime,
});

const OfChannel = Type.Object({
  unit: OneOf(textUnits),
  day: Left,
  year: Nullable(Left),
  year_of_organisation: Nullable(Left),
});

const Limits = Type.Object(
  { sms: OfChannel, email: OfChannel, letter: OfChannel },
  {
    title: 'Limits',
    examples: [
      Object.fromEntries(
        ['sms', 'email', 'letter'].map((channel) => [
          channel,
          { unit: 'messages' as const, day: limitExample, year: yearExample, year_of_organisation: null },
        ]),
      ),
    ],
  },
);

/** Test keys have no limits. They see those of their service. */
export function limitRoutes(http: Http, app: Platform & { sending: Pick<SendState, 'services'> }): void {
  http.get(
    '/v2/limits',
    {
      schema: {
        summary: 'What the service can still send today and in this financial year, by channel',
        description:
          'Years are null without a limit. `unit` is what the day and the year of the service count; organisations count messages.',
        response: { 200: Limits },
      },
    },
    async (request) => {
      const service = await app.sending.services.find(apiCallerOf(request).service_id);
      if (!service) throw new Error('Service not found after authentication');
      return listLimits(app, service);
    },
  );
}

const LeftToday = Type.Object({ limit: Type.Integer(), remaining: Type.Integer() });

export function remainingTodayRoutes(http: Http, app: Platform & { sending: Pick<SendState, 'services'> }): void {
  http.get(
    '/service/:service_id/remaining-today',
    {
      schema: {
        summary: 'How many messages a service can still send today, by channel; limits apply to UTC days',
        params: OfService,
        response: {
          200: Type.Object({ email: LeftToday, sms: LeftToday, letter: LeftToday, international_sms: LeftToday }),
        },
      },
    },
    async ({ params }) => {
      const service = await app.sending.services.find(params.service_id.toLowerCase());
      if (!service) throw notFound();
      return listRemainingToday(app, service);
    },
  );
}
