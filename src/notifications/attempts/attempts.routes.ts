import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Uuid } from '../../protocol/fields.ts';
import { AttemptRecord, listAttempts } from './attempts.ts';

export function attemptRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/notifications/:notification_id/attempts',
    {
      schema: {
        summary: 'List the attempts to hand a message over to a provider, oldest first',
        params: Type.Object({ service_id: Uuid, notification_id: Uuid }),
        response: { 200: Type.Object({ attempts: Type.Array(AttemptRecord) }) },
      },
    },
    async ({ params }) => ({ attempts: await listAttempts(app.db, params.service_id, params.notification_id) }),
  );
}
