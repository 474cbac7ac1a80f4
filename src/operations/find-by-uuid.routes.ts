import { Type } from 'typebox';
import { notFound } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Uuid } from '../protocol/fields.ts';
import { findByUuid } from './find-by-uuid.ts';

export function findByUuidRoutes(http: Http, app: Platform): void {
  http.post(
    '/platform-admin/find-by-uuid',
    {
      schema: {
        summary: 'Find the type and the owner of an id',
        body: Type.Object({ uuid: Uuid }),
        response: { 200: Type.Object({ type: Type.String(), context: Type.Record(Type.String(), Uuid) }) },
      },
    },
    async (request) => {
      const found = await findByUuid(app.db, request.body.uuid);
      if (!found) throw notFound();
      return found;
    },
  );
}
