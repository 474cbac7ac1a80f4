import { Type } from 'typebox';
import { fromStandby } from '../../platform/db/servers/standby.ts';
import { sendCsv } from '../../platform/http/csv.ts';
import type { Http } from '../../platform/http/surface.ts';
import { Datetime, NoContent, OfService, OneOf, Raw, Uuid } from '../../protocol/fields.ts';
import type { UploadDeps } from '../uploads/uploads.ts';
import {
  deleteContactList,
  getContactList,
  listContactLists,
  originalOfContactList,
  saveContactList,
} from './contact-lists.ts';

const OfList = Type.Object({ service_id: Uuid, contact_list_id: Uuid });
const TemplateType = OneOf(['email', 'sms']);

const ContactList = Type.Object(
  {
    id: Uuid,
    original_file_name: Type.String(),
    row_count: Type.Integer(),
    recent_job_count: Type.Integer({ description: 'Jobs whose messages are kept' }),
    has_jobs: Type.Boolean({ description: 'Whether it was ever sent' }),
    template_type: TemplateType,
    language: Type.Optional(Type.String({ description: 'Only lists that have one' })),
    service_id: Uuid,
    created_by: Type.String({ description: 'The name of the user' }),
    created_at: Datetime,
  },
  { title: 'ContactList' },
);

export function contactListRoutes(http: Http, app: UploadDeps): void {
  http.get(
    '/service/:service_id/contact-list',
    {
      schema: {
        summary: 'List saved lists of recipients, newest first',
        params: OfService,
        response: { 200: Type.Array(ContactList) },
      },
    },
    ({ params }) => listContactLists(app, params.service_id),
  );

  http.get(
    '/service/:service_id/contact-list/:contact_list_id',
    { schema: { summary: 'Get a list of recipients', params: OfList, response: { 200: ContactList } } },
    ({ params }) => getContactList(app, params.service_id, params.contact_list_id),
  );

  http.post(
    '/service/:service_id/contact-list',
    {
      schema: {
        summary: 'Save an upload as a list of recipients',
        description: 'The file was uploaded with `contact_list=true`.',
        params: OfService,
        body: Type.Object({
          id: Type.String({ format: 'uuid', description: 'Of the upload' }),
          original_file_name: Type.String({ minLength: 1, maxLength: 1_600 }),
          row_count: Type.Integer({ description: 'Ignored: the rows were counted when the file was uploaded' }),
          template_type: TemplateType,
          language: Type.Optional(
            Type.String({ format: 'language-tag', description: 'BCP 47: of the people on the list' }),
          ),
          created_by: Uuid,
        }),
        response: { 201: ContactList },
      },
    },
    async ({ params, body }, reply) => reply.code(201).send(await saveContactList(app, params.service_id, body)),
  );

  http.get(
    '/service/:service_id/contact-list/:contact_list_id/original.csv',
    {
      schema: {
        summary: 'Download a list of recipients',
        params: OfList,
        response: { 200: Raw('text/csv', 'The cells of the file, unchanged') },
      },
    },
    async ({ params: { service_id, contact_list_id } }, reply) => {
      const original = (reader: UploadDeps) => originalOfContactList(reader, service_id, contact_list_id);
      const { name, parts } = await fromStandby(app, 'file', original);
      return sendCsv(reply, name, parts);
    },
  );

  http.delete(
    '/service/:service_id/contact-list/:contact_list_id',
    {
      schema: {
        summary: 'Delete a list of recipients; jobs that were made from it stay',
        params: OfList,
        response: { 204: NoContent },
      },
    },
    async ({ params }, reply) => {
      await deleteContactList(app, params.service_id, params.contact_list_id);
      return reply.code(204).send(null);
    },
  );
}
