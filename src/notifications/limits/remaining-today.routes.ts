import { Type } from 'typebox';
import { notFound } from '../../platform/failure.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { OfService } from '../../protocol/fields.ts';
import type { SendState } from '../sending/send-context.ts';
import { listRemainingToday } from './daily-limits.ts';

const Left = Type.Object({ limit: Type.Integer(), remaining: Type.Integer() });

export function remainingTodayRoutes(http: Http, app: Platform & { sending: Pick<SendState, 'services'> }): void {
  http.get(
    '/service/:service_id/remaining-today',
    {
      schema: {
        summary: 'How many messages a service can still send today, by channel; limits apply to UTC days',
        params: OfService,
        response: { 200: Type.Object({ email: Left, sms: Left, letter: Left, international_sms: Left }) },
      },
    },
    async ({ params }) => {
      const service = await app.sending.services.find(params.service_id.toLowerCase());
      if (!service) throw notFound();
      return listRemainingToday(app, service);
    },
  );
}
