import { Type } from 'typebox';
import { apiCallerOf } from '../../auth/api-caller.ts';
import { forbidden } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, Day, NoContent, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { manages } from '../../users/members/permissions.ts';
import { getUserRecord } from '../../users/user-record.ts';
import type { GuardSettings } from '../settings.ts';
import { guardReasons, guardStates, percentOf } from './evaluate.ts';
import { exemptFromGuard, getGuard, getSendingStatus, liftPause } from './guard.ts';

type Deps = Platform & { config: { guard: GuardSettings } };

const Percent = Type.String({ description: 'In percent, such as 12.40' });
const State = OneOf(guardStates);
const Reason = Nullable(OneOf(guardReasons));

const GuardRecord = Type.Object({
  state: State,
  because: Reason,
  since: Nullable(Datetime),
  bounce_rate: Percent,
  complaint_rate: Percent,
  sent_in_24_hours: Type.Integer(),
  sent_in_7_days: Type.Integer(),
  exempt_until: Nullable(Datetime),
  lifted_at: Nullable(Datetime),
  lift_reason: Nullable(Type.String()),
  team_can_lift: Type.Boolean({ description: 'Otherwise only a platform administrator can lift the next pause' }),
});

export function guardRoutes(http: Http, app: Deps): void {
  http.get(
    '/service/:service_id/guard',
    {
      schema: {
        summary: 'Get whether the emails of a service bounce or are reported as spam too often',
        params: OfService,
        response: { 200: Data(GuardRecord) },
      },
    },
    async ({ params }) => {
      const { rates, rate: _, ...guard } = await getGuard(app, params.service_id);
      return {
        data: {
          ...guard,
          bounce_rate: percentOf(rates.bounces, 2),
          complaint_rate: percentOf(rates.complaints, 3),
          sent_in_24_hours: rates.bounces.of,
          sent_in_7_days: rates.complaints.of,
        },
      };
    },
  );

  http.post(
    '/service/:service_id/guard/lift',
    {
      schema: {
        summary: 'Lift the pause of sending to many, for a person who manages the service or a platform administrator',
        params: OfService,
        body: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1_000 }), user_id: Uuid }),
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      const { id, platform_admin, permissions } = await getUserRecord(app.db, body.user_id);
      if (!platform_admin && !manages(permissions[params.service_id] ?? [])) {
        throw forbidden('This person cannot manage the service');
      }
      await liftPause(app, params.service_id, { reason: body.reason, by: { id, platform_admin } });
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/service/:service_id/guard/exempt',
    {
      schema: {
        summary: 'Exempt a service from pauses until a day begins, or end that; only platform administrators may',
        params: OfService,
        body: Type.Object({ exempt_until: Nullable(Day), user_id: Uuid }),
        response: { 204: NoContent },
      },
    },
    async ({ params, body }, reply) => {
      const { platform_admin } = await getUserRecord(app.db, body.user_id);
      if (!platform_admin) throw forbidden('Only a platform administrator can exempt a service');
      const until = body.exempt_until === null ? null : app.country.calendar.start(body.exempt_until);
      await exemptFromGuard(app, params.service_id, until);
      return reply.code(204).send(null);
    },
  );
}

const example = {
  email: {
    state: 'paused' as const,
    because: 'bounces' as const,
    bounce_rate: '12.40',
    complaint_rate: '0.000',
    since: '2026-11-17T12:31:00.000000Z',
  },
};

export function sendingStatusRoutes(http: Http, app: Deps): void {
  http.get(
    '/v2/sending-status',
    {
      schema: {
        summary: 'Get whether the service can send emails to many, and how many of its emails bounce',
        response: {
          200: Type.Object(
            {
              email: Type.Object({
                state: State,
                because: Reason,
                bounce_rate: Percent,
                complaint_rate: Percent,
                since: Nullable(Datetime),
              }),
            },
            { examples: [example] },
          ),
        },
      },
    },
    async (request) => getSendingStatus(app, apiCallerOf(request).service_id),
  );
}
