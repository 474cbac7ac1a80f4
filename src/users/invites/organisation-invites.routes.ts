import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import { isUuid } from '../../platform/id.ts';
import { Data, Datetime, Nullable, OneOf, Uuid } from '../../protocol/fields.ts';
import { organisationPermissions } from '../members/permissions.ts';
import { type InviteDeps, inviteStatuses } from './invites.ts';
import {
  createOrganisationInvite,
  getOrganisationInvite,
  getOrganisationInviteOfLink,
  listOrganisationInvites,
  updateOrganisationInvite,
} from './organisation-invites.ts';

const OfOrganisation = Type.Object({ organisation_id: Uuid });
const OfInvite = Type.Object({ organisation_id: Uuid, invite_id: Uuid });

const Invite = Type.Object(
  {
    id: Uuid,
    email_address: Type.String(),
    invited_by: Uuid,
    organisation: Uuid,
    permissions: Type.Array(Type.String()),
    status: OneOf(inviteStatuses),
    created_at: Datetime,
  },
  { title: 'OrganisationInvite' },
);

export function organisationInviteRoutes(http: Http, app: InviteDeps): void {
  http.post(
    '/organisation/:organisation_id/invite',
    {
      schema: {
        summary: 'Invite someone to an organisation by email',
        params: OfOrganisation,
        body: Type.Object({
          email_address: Type.String({ format: 'email', maxLength: 255 }),
          invited_by: Uuid,
          permissions: Type.Optional(Type.Array(OneOf(organisationPermissions))),
          invite_link_host: Type.Optional(Nullable(Type.String())),
        }),
        response: { 201: Data(Invite) },
      },
    },
    async (request, reply) =>
      reply.code(201).send({
        data: await createOrganisationInvite(app, request.params.organisation_id, request.body, { isLimited: false }),
      }),
  );

  http.get(
    '/organisation/:organisation_id/invite',
    {
      schema: {
        summary: 'List invitations to an organisation',
        params: OfOrganisation,
        response: { 200: Data(Type.Array(Invite)) },
      },
    },
    async (request) => ({ data: await listOrganisationInvites(app, request.params.organisation_id) }),
  );

  http.get(
    '/organisation/:organisation_id/invite/:invite_id',
    { schema: { summary: 'Get an invitation to an organisation', params: OfInvite, response: { 200: Data(Invite) } } },
    async (request) => ({
      data: await getOrganisationInvite(app, request.params.invite_id, request.params.organisation_id),
    }),
  );

  http.post(
    '/organisation/:organisation_id/invite/:invite_id',
    {
      schema: {
        summary: 'Accept or cancel an invitation',
        params: OfInvite,
        body: Type.Object({ status: OneOf(inviteStatuses) }),
        response: { 200: Data(Invite) },
      },
    },
    async (request) => ({ data: await updateOrganisationInvite(app, request.params, request.body.status) }),
  );

  http.get(
    '/invite/organisation/check/:token',
    {
      schema: {
        summary: 'Get an invitation by the token of its link',
        params: Type.Object({ token: Type.String() }),
        response: { 200: Data(Invite) },
      },
    },
    async (request) => ({ data: await getOrganisationInviteOfLink(app, request.params.token) }),
  );

  http.get(
    '/invite/organisation/:id_or_token',
    {
      schema: {
        summary: 'Get an invitation to an organisation by its id or by the token of its link',
        params: Type.Object({ id_or_token: Type.String() }),
        response: { 200: Data(Invite) },
      },
    },
    async ({ params: { id_or_token } }) => ({
      data: await (isUuid(id_or_token)
        ? getOrganisationInvite(app, id_or_token)
        : getOrganisationInviteOfLink(app, id_or_token)),
    }),
  );
}
