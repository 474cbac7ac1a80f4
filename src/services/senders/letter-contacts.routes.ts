import { Type } from 'typebox';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { Data, Datetime, Nullable, OfService, Uuid } from '../../protocol/fields.ts';
import {
  archiveLetterContact,
  createLetterContact,
  getLetterContact,
  listLetterContacts,
  updateLetterContact,
} from './letter-contacts.ts';

const OfContact = Type.Object({ service_id: Uuid, letter_contact_id: Uuid });

const LetterContact = Type.Object(
  {
    id: Uuid,
    service_id: Uuid,
    contact_block: Type.String(),
    is_default: Type.Boolean(),
    archived: Type.Boolean(),
    created_at: Datetime,
    updated_at: Nullable(Datetime),
  },
  { title: 'LetterContact' },
);

const Request = Type.Object({ contact_block: Type.String({ minLength: 1 }), is_default: Type.Boolean() });

export function letterContactRoutes(http: Http, app: Platform): void {
  http.get(
    '/service/:service_id/letter-contact',
    {
      schema: {
        summary: 'List the letter contact blocks of a service, the default first',
        params: OfService,
        response: { 200: Type.Array(LetterContact) },
      },
    },
    (request) => listLetterContacts(app.db, request.params.service_id),
  );

  http.get(
    '/service/:service_id/letter-contact/:letter_contact_id',
    { schema: { summary: 'Get a letter contact block', params: OfContact, response: { 200: LetterContact } } },
    (request) => getLetterContact(app.db, request.params.service_id, request.params.letter_contact_id),
  );

  http.post(
    '/service/:service_id/letter-contact',
    {
      schema: {
        summary: 'Add a letter contact block',
        params: OfService,
        body: Request,
        response: { 201: Data(LetterContact) },
      },
    },
    async (request, reply) => {
      const { contact_block, is_default } = request.body;
      const contact = await createLetterContact(app, request.params.service_id, { contact_block, is_default });
      return reply.code(201).send({ data: contact });
    },
  );

  http.post(
    '/service/:service_id/letter-contact/:letter_contact_id',
    {
      schema: {
        summary: 'Update a letter contact block',
        params: OfContact,
        body: Request,
        response: { 200: Data(LetterContact) },
      },
    },
    async (request) => {
      const { service_id, letter_contact_id } = request.params;
      const { contact_block, is_default } = request.body;
      return { data: await updateLetterContact(app, service_id, letter_contact_id, { contact_block, is_default }) };
    },
  );

  http.post(
    '/service/:service_id/letter-contact/:letter_contact_id/archive',
    {
      schema: {
        summary: 'Archive a letter contact block, also removing it from templates',
        params: OfContact,
        response: { 200: Data(LetterContact) },
      },
    },
    async (request) => ({
      data: await archiveLetterContact(app, request.params.service_id, request.params.letter_contact_id),
    }),
  );
}
