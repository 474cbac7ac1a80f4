import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import { getOrganisation } from '../../organisations/organisations.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { acceptsLongLists } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { NoContent, OneOf, Uuid } from '../../protocol/fields.ts';
import { userOfPathExists } from '../user-of-path.ts';
import {
  organisationPermissions,
  refuseUnlessMember,
  servicePermissions,
  setOrganisationPermissions,
  setServiceMemberPermissions,
} from './permissions.ts';

const InService = Type.Object({ user_id: Uuid, service_id: Uuid });
const InOrganisation = Type.Object({ user_id: Uuid, organisation_id: Uuid });

export function permissionRoutes(http: Http, app: Platform): void {
  http.post(
    '/user/:user_id/service/:service_id/permission',
    {
      ...acceptsLongLists,
      preValidation: memberOfPathExists(app),
      schema: {
        summary: 'Replace the permissions and folders of a user in a service',
        params: InService,
        body: Type.Object(
          {
            permissions: Type.Array(Type.Object({ permission: OneOf(servicePermissions) })),
            folder_permissions: Type.Optional(Type.Array(Type.String({ description: 'Folder id' }))),
          },
          { additionalProperties: false },
        ),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { permissions, folder_permissions } = request.body;
      const set = { permissions: permissions.map(({ permission }) => permission), folder_permissions };
      await inTransaction(app.db, (tx) => setServiceMemberPermissions(tx, request.params, set));
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/organisation/:organisation_id/permissions',
    {
      preValidation: [organisationOfPathExists(app), userOfPathExists(app)],
      schema: {
        summary: 'Replace the permissions of a user in an organisation',
        params: InOrganisation,
        body: Type.Object(
          { permissions: Type.Array(Type.Object({ permission: OneOf(organisationPermissions) })) },
          { additionalProperties: false },
        ),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const permissions = request.body.permissions.map(({ permission }) => permission);
      await inTransaction(app.db, (tx) => setOrganisationPermissions(tx, request.params, permissions));
      return reply.code(204).send(null);
    },
  );
}

function memberOfPathExists(app: Platform) {
  return async (request: FastifyRequest): Promise<void> => {
    const { user_id, service_id } = request.params as { user_id: string; service_id: string };
    if (isUuid(user_id) && isUuid(service_id)) await refuseUnlessMember(app, { user_id, service_id });
  };
}

function organisationOfPathExists(app: Platform) {
  return async (request: FastifyRequest): Promise<void> => {
    const { organisation_id } = request.params as { organisation_id: string };
    if (isUuid(organisation_id)) await getOrganisation(app.db, organisation_id);
  };
}
