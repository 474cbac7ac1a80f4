import { Type } from 'typebox';
import { timestamp } from '../platform/clock.ts';
import type { Http } from '../platform/http/surface.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Datetime, Uuid } from '../protocol/fields.ts';
import { insertEvent } from './users.sql.ts';

const Content = Type.Record(Type.String(), Type.Unknown());

export function eventRoutes(http: Http, app: Platform): void {
  http.post(
    '/events',
    {
      schema: {
        summary: 'Record an event of the admin front end',
        body: Type.Object({ event_type: Type.String({ minLength: 1, maxLength: 255 }), data: Content }),
        response: {
          201: Data(Type.Object({ id: Uuid, event_type: Type.String(), data: Type.Unknown(), created_at: Datetime })),
        },
      },
    },
    async (request, reply) => {
      const now = app.clock.now();
      const { event_type, data } = request.body;
      const event = await insertEvent(app.db, { id: newId(now), event_type, data, created_at: timestamp(now) });
      return reply.code(201).send({ data: event });
    },
  );
}
