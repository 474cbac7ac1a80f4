import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Day, Nullable, Uuid } from '../protocol/fields.ts';
import { UserRecord } from './user-record.ts';
import { listActiveUsers } from './users-list.ts';

const ListedUser = Type.Object({
  ...UserRecord.properties,
  services: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
});

export function usersListRoutes(http: Http, app: Platform): void {
  http.post(
    '/platform-admin/users-list',
    {
      schema: {
        summary: 'List active users by dates of creation and last sign-in',
        body: Type.Object({
          created_start: Type.Optional(Nullable(Day)),
          created_end: Type.Optional(Nullable(Day)),
          logged_in_start: Type.Optional(Nullable(Day)),
          logged_in_end: Type.Optional(Nullable(Day)),
          take_part_in_research: Type.Optional(Nullable(Type.Boolean())),
        }),
        response: { 200: Data(Type.Array(ListedUser)) },
      },
    },
    async (request) => ({ data: await listActiveUsers(app, request.body) }),
  );
}
