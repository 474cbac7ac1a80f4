import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, NoContent, OneOf, Uuid } from '../../protocol/fields.ts';
import { UserRecord } from '../user-record.ts';
import { joinOrganisation, leaveOrganisation, listOrganisationMembers } from './organisation-members.ts';
import { organisationPermissions } from './permissions.ts';

const OfMember = Type.Object({ organisation_id: Uuid, user_id: Uuid });

export function organisationMemberRoutes(http: Http, app: Platform): void {
  http.get(
    '/organisations/:organisation_id/users',
    {
      schema: {
        summary: 'List active users of an organisation',
        params: Type.Object({ organisation_id: Uuid }),
        response: { 200: Data(Type.Array(UserRecord)) },
      },
    },
    async (request) => ({ data: await listOrganisationMembers(app.db, request.params.organisation_id) }),
  );

  http.post(
    '/organisations/:organisation_id/users/:user_id',
    {
      schema: {
        summary: 'Add a user to an organisation',
        params: OfMember,
        body: Type.Object({ permissions: Type.Array(Type.Object({ permission: OneOf(organisationPermissions) })) }),
        response: { 200: Data(UserRecord) },
      },
    },
    async (request) => {
      const permissions = request.body.permissions.map(({ permission }) => permission);
      return { data: await joinOrganisation(app, request.params, permissions) };
    },
  );

  http.delete(
    '/organisations/:organisation_id/users/:user_id',
    { schema: { summary: 'Remove a user from an organisation', params: OfMember, response: { 204: NoContent } } },
    async (request, reply) => {
      await leaveOrganisation(app, request.params);
      return reply.code(204).send(null);
    },
  );
}
