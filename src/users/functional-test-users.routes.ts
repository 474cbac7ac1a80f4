import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Nullable, OneOf, Raw, Uuid } from '../protocol/fields.ts';
import { putFunctionalTestUsers } from './functional-test-users.ts';
import { servicePermissions } from './members/permissions.ts';
import { authTypes, userStates } from './user-record.ts';

export function functionalTestUserRoutes(http: Http, app: Platform): void {
  http.put(
    '/__testing/functional/users',
    {
      schema: {
        summary: 'Create or reset the users of browser tests',
        body: Type.Array(
          Type.Object({
            name: Type.String({ format: 'user-name' }),
            email_address: Type.String({ format: 'email', maxLength: 255 }),
            mobile_number: Nullable(Type.String({ format: 'user-mobile-number' })),
            auth_type: OneOf(authTypes),
            password: Type.String(),
            state: OneOf(userStates),
            permissions: Type.Array(OneOf(servicePermissions)),
            service_id: Uuid,
            organisation_id: Type.Optional(Nullable(Uuid)),
          }),
          { maxItems: 100 },
        ),
        response: { 201: Raw('text/plain', 'ok') },
      },
    },
    async (request, reply) => {
      await putFunctionalTestUsers(app, request.body);
      return reply.code(201).type('text/plain').send('ok');
    },
  );
}
