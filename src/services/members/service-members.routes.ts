import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import { isUuid } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, NoContent, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { FrontEndSettings } from '../../protocol/settings.ts';
import { servicePermissions } from '../../users/members/permissions.ts';
import { UserRecord } from '../../users/user-record.ts';
import { serviceRecordOf } from '../service-fields.ts';
import {
  joinService,
  leaveService,
  listMemberRecords,
  listServiceMembers,
  refuseUnlessMayJoin,
} from './service-members.ts';

const OfMember = Type.Object({ service_id: Uuid, user_id: Uuid });

const Member = Type.Object({
  ...UserRecord.properties,
  permissions: Type.Array(Type.String(), { description: 'In this service' }),
});

export function serviceMemberRoutes(http: Http, app: Platform & { config: { frontEnd: FrontEndSettings } }): void {
  const isForNotificationsAdmin = app.config.frontEnd.shapes === 'notifications-admin';
  const ServiceWithUsers = Type.Object({
    ...serviceRecordOf(app.country),
    users: Type.Array(Type.Object({ id: Uuid, name: Type.String() })),
  });

  http.get(
    '/service/:service_id/users',
    {
      schema: {
        summary: 'List the members of a service’s team',
        params: OfService,
        response: { 200: Data(Type.Array(isForNotificationsAdmin ? UserRecord : Member)) },
      },
    },
    async ({ params }) => {
      if (!isForNotificationsAdmin) return { data: await listServiceMembers(app.db, params.service_id) };
      return { data: (await listMemberRecords(app.db, params.service_id)).map(({ record }) => record) };
    },
  );

  http.post(
    '/service/:service_id/users/:user_id',
    {
      schema: {
        summary: 'Add a user to a service’s team',
        params: OfMember,
        body: Type.Object(
          {
            permissions: Type.Array(Type.Object({ permission: OneOf(servicePermissions) })),
            folder_permissions: Type.Optional(Type.Array(Uuid)),
          },
          { additionalProperties: false },
        ),
        response: { 201: Data(ServiceWithUsers) },
      },
      preValidation: async ({ params }) => {
        if (isUuid(params.service_id) && isUuid(params.user_id)) await refuseUnlessMayJoin(app.db, params);
      },
    },
    async (request, reply) => {
      const permissions = request.body.permissions.map(({ permission }) => permission);
      const folder_permissions = request.body.folder_permissions ?? [];
      const service = await joinService(app, request.params, { permissions, folder_permissions });
      return reply.code(201).send({ data: service });
    },
  );

  http.delete(
    '/service/:service_id/users/:user_id',
    {
      schema: {
        summary: 'Remove a user from a service’s team, except the last active member',
        params: OfMember,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await leaveService(app, request.params);
      return reply.code(204).send(null);
    },
  );
}
