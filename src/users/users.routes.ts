import type { FastifyRequest } from 'fastify';
import { Type } from 'typebox';
import type { EmailSettings } from '../branding/settings.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import type { Urls } from '../platform/settings.ts';
import { Data, Day, maxInteger, NoContent, Nullable, OneOf, Uuid } from '../protocol/fields.ts';
import type { AccountMessageSender } from './account-messages/account-messages.ts';
import { setPlatformAdmin } from './platform-admins.ts';
import { OfUser, refuseUnlessUserExists, userOfPathExists } from './user-of-path.ts';
import { authTypes, getUserRecord, UserRecord, userStates } from './user-record.ts';
import {
  activateUser,
  archiveUser,
  createUser,
  findUsersByEmail,
  getUserByEmail,
  listActiveUsers,
  listOrganisationsAndServices,
  updatePassword,
  updateUser,
} from './users.ts';

type Deps = Platform & {
  accountMessages: AccountMessageSender;
  config: { email: EmailSettings; urls: Urls };
};

const Name = Type.String({ format: 'user-name' });
const EmailAddress = Type.String({ format: 'email', maxLength: 255 });
const MobileNumber = Nullable(Type.String({ format: 'user-mobile-number' }));
const Moment = Type.String({ format: 'datetime' });

const NewUser = Type.Object({
  name: Name,
  email_address: EmailAddress,
  password: Type.String(),
  mobile_number: Type.Optional(MobileNumber),
  auth_type: Type.Optional(OneOf(authTypes)),
  id: Type.Optional(Uuid),
  state: Type.Optional(OneOf(userStates)),
  platform_admin: Type.Optional(Type.Boolean()),
  read_only_operator: Type.Optional(Type.Boolean()),
  failed_login_count: Type.Optional(Type.Integer({ minimum: 0, maximum: maxInteger })),
  logged_in_at: Type.Optional(Nullable(Moment)),
  current_session_id: Type.Optional(Nullable(Uuid)),
  email_access_validated_at: Type.Optional(Moment),
  take_part_in_research: Type.Optional(Type.Boolean()),
  receives_new_features_email: Type.Optional(Type.Boolean()),
});

const UserChange = Type.Object(
  {
    name: Type.Optional(Name),
    email_address: Type.Optional(EmailAddress),
    mobile_number: Type.Optional(MobileNumber),
    auth_type: Type.Optional(OneOf(authTypes)),
    current_session_id: Type.Optional(Nullable(Uuid)),
    email_access_validated_at: Type.Optional(Moment),
    take_part_in_research: Type.Optional(Type.Boolean()),
    receives_new_features_email: Type.Optional(Type.Boolean()),
    platform_admin: Type.Optional(Type.Literal(false)),
    read_only_operator: Type.Optional(Type.Boolean()),
    time_zone: Type.Optional(
      Nullable(
        Type.String({
          format: 'time-zone',
          description: 'Such as Europe/Amsterdam; null for that of the installation',
        }),
      ),
    ),
    language: Type.Optional(
      Nullable(Type.String({ format: 'language-tag', description: 'Such as fr or fr-CA; null for no choice' })),
    ),
    updated_by: Type.Optional(Uuid),
  },
  { additionalProperties: false },
);

const FoundUser = Type.Object({
  id: Uuid,
  name: Type.String(),
  email_address: Type.String(),
  mobile_number: Nullable(Type.String()),
});

const OrganisationsAndServices = Type.Object({
  organisations: Type.Array(Type.Object({ id: Uuid, name: Type.String(), count_of_live_services: Type.Integer() })),
  services: Type.Array(
    Type.Object({ id: Uuid, name: Type.String(), restricted: Type.Boolean(), organisation: Nullable(Uuid) }),
  ),
});

export function userRoutes(http: Http, app: Deps): void {
  const preValidation = userOfPathExists(app);

  http.post(
    '/user',
    { schema: { summary: 'Create a user', body: NewUser, response: { 201: Data(UserRecord) } } },
    async (request, reply) => reply.code(201).send({ data: await createUser(app, pick(NewUser, request.body)) }),
  );

  http.get(
    '/user/:user_id',
    { schema: { summary: 'Get a user', params: OfUser, response: { 200: Data(UserRecord) } } },
    async (request) => ({ data: await getUserRecord(app.db, request.params.user_id) }),
  );

  http.post(
    '/user/:user_id',
    {
      preValidation: [preValidation, actorExists(app)],
      schema: {
        summary: 'Update a user; with updated_by, notifies the new and the previous address or number',
        params: OfUser,
        body: UserChange,
        response: { 200: Data(UserRecord) },
      },
    },
    async (request) => {
      const { updated_by, ...change } = request.body;
      return { data: await updateUser(app, request.params.user_id, change, updated_by) };
    },
  );

  http.post(
    '/user/:user_id/archive',
    {
      schema: {
        summary: 'Archive a user, who can then no longer sign in',
        params: OfUser,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveUser(app, request.params.user_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/user/:user_id/platform-admin',
    {
      preValidation,
      schema: {
        summary:
          'Make an active user a platform administrator, or an ordinary user again; ends the sessions of the user',
        params: OfUser,
        body: Type.Object({ platform_admin: Type.Boolean() }, { additionalProperties: false }),
        response: { 200: Data(UserRecord) },
      },
    },
    async (request) => ({
      data: await setPlatformAdmin(app, request.params.user_id, request.body.platform_admin),
    }),
  );

  http.post(
    '/user/:user_id/activate',
    { schema: { summary: 'Activate a user', params: OfUser, response: { 200: Data(UserRecord) } } },
    async (request) => ({ data: await activateUser(app, request.params.user_id) }),
  );

  http.post(
    '/user/:user_id/update-password',
    {
      preValidation,
      schema: {
        summary: 'Set a new password',
        params: OfUser,
        body: Type.Object({ _password: Type.String() }, { additionalProperties: false }),
        response: { 200: Data(UserRecord) },
      },
    },
    async (request) => ({ data: await updatePassword(app, request.params.user_id, request.body._password) }),
  );

  http.post(
    '/user/email',
    {
      schema: {
        summary: 'Get a user by email address, ignoring case',
        body: Type.Object({ email: Type.String({ format: 'email' }) }),
        response: { 200: Data(UserRecord) },
      },
    },
    async (request) => ({ data: await getUserByEmail(app, request.body.email) }),
  );

  http.post(
    '/user/find-users-by-email',
    {
      schema: {
        summary: 'Search users by part of the email address, ignoring case',
        body: Type.Object({ email: Type.String() }),
        response: { 200: Data(Type.Array(FoundUser)) },
      },
    },
    async (request) => ({ data: await findUsersByEmail(app, request.body.email) }),
  );

  http.get(
    '/user/:user_id/organisations-and-services',
    {
      preValidation,
      schema: {
        summary: 'List the active organisations and services of a user',
        params: OfUser,
        response: { 200: OrganisationsAndServices },
      },
    },
    async (request) => listOrganisationsAndServices(app, request.params.user_id),
  );
}

/** Checks that the author of a change exists before the change itself is validated. */
function actorExists(app: Deps) {
  return async ({ body }: FastifyRequest): Promise<void> => {
    if (typeof body !== 'object' || body === null || !('updated_by' in body)) return;
    await refuseUnlessUserExists(app.db, body.updated_by);
  };
}

/** Keeps only the keys in the schema; others are ignored. */
function pick<T extends object>(schema: { properties: object }, body: T): T {
  return Object.fromEntries(Object.entries(body).filter(([key]) => Object.hasOwn(schema.properties, key))) as T;
}

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
