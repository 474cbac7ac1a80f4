import { Type } from 'typebox';
import { notFound } from '../platform/failure.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Uuid } from '../protocol/fields.ts';
import { selectByUuid } from './find-by-uuid.sql.ts';

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
      const found = await selectByUuid(app.db, request.body.uuid);
      if (!found) throw notFound();
      const { type, ...owners } = found;
      return { type, context: Object.fromEntries(Object.entries(owners).filter(isGiven)) };
    },
  );
}

function isGiven(entry: [string, string | null]): entry is [string, string] {
  return entry[1] !== null;
}
