import { Type } from 'typebox';
import { auditActions } from '../../auth/audit-entry.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { auditNouns } from './audit-entry.ts';
import { listAuditEntries } from './audit-log.ts';

const pageSize = 100;
const Text = Nullable(Type.String());
const Fields = Nullable(Type.Record(Type.String(), Type.Unknown()));

const Filter = Type.Object({
  person_id: Type.Optional(Uuid),
  thing_id: Type.Optional(Type.String({ maxLength: 255 })),
  service_id: Type.Optional(Uuid),
  noun: Type.Optional(OneOf(auditNouns)),
  action: Type.Optional(OneOf(auditActions)),
  after: Type.Optional(Type.String({ format: 'datetime' })),
  before: Type.Optional(Type.String({ format: 'datetime' })),
  older_than: Type.Optional(Uuid),
});

const Entry = Type.Object(
  {
    id: Uuid,
    created_at: Datetime,
    actor_type: OneOf(['user', 'admin_client', 'visitor', 'command', 'api_key']),
    user_id: Nullable(Uuid),
    user_name: Text,
    client: Text,
    claimed_user_id: Nullable(Uuid),
    claimed_user_name: Text,
    address: Text,
    user_agent: Text,
    request_id: Text,
    request: Text,
    action: OneOf(auditActions),
    noun: Type.String(),
    thing_id: Text,
    service_id: Nullable(Uuid),
    service_name: Text,
    organisation_id: Nullable(Uuid),
    before: Fields,
    after: Fields,
  },
  {
    title: 'AuditEntry',
    description:
      'user_id is verified by a session, claimed_user_id is what an admin client says; before and after have the changed fields',
  },
);

export function auditLogRoutes(http: Http, app: Platform): void {
  http.get(
    '/platform-admin/audit-log',
    {
      schema: {
        summary: `List changes by people, admin clients and keys, the newest first, ${pageSize} at a time`,
        querystring: Filter,
        response: { 200: Data(Type.Array(Entry)) },
      },
    },
    async ({ query: { older_than, ...filter } }) => ({
      data: await listAuditEntries(app, filter, { limit: pageSize, olderThan: older_than }),
    }),
  );
}
