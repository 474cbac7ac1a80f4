import { Type } from 'typebox';
import { acceptsLongLists } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { Datetime, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import type { AccountMessageSender } from '../account-messages/account-messages.ts';
import { servicePermissions } from '../members/permissions.ts';
import { authTypes } from '../user-record.ts';
import { createJoinRequest, decideJoinRequest, getJoinRequest } from './join-requests.ts';

type Deps = Platform & { accountMessages: AccountMessageSender; config: { urls: Urls } };

const OfRequest = Type.Object({ service_id: Uuid, request_id: Uuid });

const JoinRequest = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    status: OneOf(['pending', 'approved', 'rejected', 'cancelled']),
    status_changed_at: Nullable(Datetime),
    status_changed_by: Nullable(Type.Object({ id: Uuid, name: Type.String() })),
    reason: Nullable(Type.String()),
    created_at: Datetime,
    requester: Type.Object({
      id: Uuid,
      name: Type.String(),
      email_address: Type.String(),
      belongs_to_service: Type.Array(Uuid),
    }),
    contacted_service_users: Type.Array(Uuid),
  },
  { title: 'JoinRequest' },
);

export function joinRequestRoutes(http: Http, app: Deps): void {
  http.post(
    '/service/:service_id/service-join-request',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Request to join a service',
        params: OfService,
        body: Type.Object({
          requester_id: Uuid,
          contacted_user_ids: Type.Array(Uuid, { minItems: 1 }),
          invite_link_host: Type.Optional(Nullable(Type.String())),
          reason: Type.Optional(Nullable(Type.String())),
        }),
        response: { 201: Type.Object({ service_join_request_id: Uuid }) },
      },
    },
    async (request, reply) => {
      const service_join_request_id = await createJoinRequest(app, request.params.service_id, request.body, {
        isLimited: false,
      });
      return reply.code(201).send({ service_join_request_id });
    },
  );

  http.get(
    '/service/:service_id/service-join-request/:request_id',
    { schema: { summary: 'Get a request to join a service', params: OfRequest, response: { 200: JoinRequest } } },
    async (request) => getJoinRequest(app, request.params.service_id, request.params.request_id),
  );

  http.post(
    '/service/:service_id/service-join-request/:request_id',
    {
      schema: {
        summary: 'Approve or reject a request to join; an approved requester becomes a member',
        params: OfRequest,
        body: Type.Object({
          status: OneOf(['approved', 'rejected', 'cancelled']),
          status_changed_by_id: Uuid,
          permissions: Type.Optional(Type.Array(OneOf(servicePermissions))),
          folder_permissions: Type.Optional(Type.Array(Type.String())),
          auth_type: Type.Optional(OneOf(authTypes)),
        }),
        response: { 200: JoinRequest },
      },
    },
    async (request) => {
      const { service_id, request_id } = request.params;
      return decideJoinRequest(app, service_id, request_id, request.body);
    },
  );
}
