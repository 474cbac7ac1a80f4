import { Type } from 'typebox';
import { acceptsLongLists } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { NoContent, OfService } from '../../protocol/fields.ts';
import { getGuestList, replaceGuestList } from './guest-list.ts';

const Entries = Type.Array(Type.String());

export function guestListRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/guest-list',
    {
      schema: {
        summary: 'Get the guest list of a service in trial mode',
        params: OfService,
        response: { 200: Type.Object({ email_addresses: Entries, phone_numbers: Entries }) },
      },
    },
    (request) => getGuestList(app.db, request.params.service_id),
  );

  http.put(
    '/service/:service_id/guest-list',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Replace the whole guest list',
        params: OfService,
        body: Type.Object({ email_addresses: Type.Optional(Entries), phone_numbers: Type.Optional(Entries) }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      const { email_addresses = [], phone_numbers = [] } = request.body;
      await replaceGuestList(app, request.params.service_id, { email_addresses, phone_numbers });
      return reply.code(204).send(null);
    },
  );
}
