import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import { isUuid } from '../../platform/id.ts';
import { Data, Datetime, Nullable, OfService, OneOf, Uuid } from '../../protocol/fields.ts';
import { authTypes } from '../user-record.ts';
import { type InviteDeps, inviteStatuses } from './invites.ts';
import {
  createServiceInvite,
  getServiceInvite,
  getServiceInviteOfLink,
  listServiceInvites,
  updateServiceInvite,
} from './service-invites.ts';

const OfInvite = Type.Object({ service_id: Uuid, invite_id: Uuid });

const Invite = Type.Object(
  {
    id: Uuid,
    email_address: Type.String(),
    from_user: Uuid,
    service: Uuid,
    permissions: Type.String({ description: 'Comma-separated names' }),
    auth_type: OneOf(authTypes),
    folder_permissions: Type.Array(Uuid),
    status: OneOf(inviteStatuses),
    created_at: Datetime,
  },
  { title: 'ServiceInvite' },
);

export function serviceInviteRoutes(http: Http, app: InviteDeps): void {
  http.post(
    '/service/:service_id/invite',
    {
      schema: {
        summary: 'Invite someone to a service by email',
        params: OfService,
        body: Type.Object({
          email_address: Type.String({ format: 'email', maxLength: 255 }),
          from_user: Uuid,
          permissions: Type.String({ format: 'service-permission-list' }),
          auth_type: Type.Optional(OneOf(authTypes)),
          folder_permissions: Type.Optional(Type.Array(Uuid)),
          invite_link_host: Type.Optional(Nullable(Type.String())),
        }),
        response: { 201: Data(Invite) },
      },
    },
    async (request, reply) =>
      reply
        .code(201)
        .send({ data: await createServiceInvite(app, request.params.service_id, request.body, { isLimited: false }) }),
  );

  http.get(
    '/service/:service_id/invite',
    {
      schema: {
        summary: 'List invitations to a service',
        params: OfService,
        response: { 200: Data(Type.Array(Invite)) },
      },
    },
    async (request) => ({ data: await listServiceInvites(app, request.params.service_id) }),
  );

  http.get(
    '/service/:service_id/invite/:invite_id',
    { schema: { summary: 'Get an invitation to a service', params: OfInvite, response: { 200: Data(Invite) } } },
    async (request) => ({
      data: await getServiceInvite(app, request.params.invite_id, request.params.service_id),
    }),
  );

  http.post(
    '/service/:service_id/invite/:invite_id',
    {
      schema: {
        summary: 'Accept or cancel an invitation, or change its sign-in method',
        params: OfInvite,
        body: Type.Object({
          status: Type.Optional(OneOf(inviteStatuses)),
          auth_type: Type.Optional(OneOf(authTypes)),
        }),
        response: { 200: Data(Invite) },
      },
    },
    async (request) => ({ data: await updateServiceInvite(app, request.params, request.body) }),
  );

  http.get(
    '/invite/service/check/:token',
    {
      schema: {
        summary: 'Get an invitation by the token of its link',
        params: Type.Object({ token: Type.String() }),
        response: { 200: Data(Invite) },
      },
    },
    async (request) => ({ data: await getServiceInviteOfLink(app, request.params.token) }),
  );

  http.get(
    '/invite/service/:id_or_token',
    {
      schema: {
        summary: 'Get an invitation to a service by its id or by the token of its link',
        params: Type.Object({ id_or_token: Type.String() }),
        response: { 200: Data(Invite) },
      },
    },
    async ({ params: { id_or_token } }) => ({
      data: await (isUuid(id_or_token) ? getServiceInvite(app, id_or_token) : getServiceInviteOfLink(app, id_or_token)),
    }),
  );
}
