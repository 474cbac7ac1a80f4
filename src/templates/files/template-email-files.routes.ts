import { Type } from 'typebox';
import { acceptsFiles } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import { Data, Datetime, Nullable, Uuid } from '../../protocol/fields.ts';
import {
  archiveEmailFile,
  createEmailFile,
  getEmailFile,
  listEmailFiles,
  updateEmailFile,
} from './template-email-files.ts';

const OfTemplate = Type.Object({ service_id: Uuid, template_id: Uuid });
const OfFile = Type.Object({ service_id: Uuid, template_id: Uuid, email_file_id: Uuid });

const Filename = Type.String({ minLength: 1, maxLength: 255 });

const settings = {
  link_text: Type.Optional(Nullable(Type.String())),
  retention_period: Type.Optional(Type.Integer({ minimum: 1, maximum: 78, description: 'Weeks' })),
  validate_users_email: Type.Optional(Type.Boolean()),
  pending: Type.Optional(Type.Boolean()),
};

const EmailFileRecord = Type.Object(
  {
    id: Uuid,
    template_id: Uuid,
    template_version: Type.Integer(),
    version: Type.Integer(),
    filename: Type.String(),
    link_text: Nullable(Type.String()),
    retention_period: Type.Integer(),
    validate_users_email: Type.Boolean(),
    pending: Type.Boolean(),
    created_by_id: Uuid,
    created_at: Datetime,
    updated_at: Nullable(Datetime),
    archived_by_id: Nullable(Uuid),
    archived_at: Nullable(Datetime),
  },
  { title: 'EmailFile' },
);

export function templateEmailFileRoutes(http: Http, app: Platform & { virusScanner: VirusScanner }): void {
  http.post(
    '/service/:service_id/templates/:template_id/template_email_files',
    {
      ...acceptsFiles,
      schema: {
        summary: 'Add a file to an email template, pending until it is made live',
        params: OfTemplate,
        body: Type.Object({
          id: Type.Optional(Uuid),
          filename: Filename,
          created_by_id: Uuid,
          content: Type.String({ description: 'The file in base64' }),
          ...settings,
        }),
        response: { 201: Data(EmailFileRecord) },
      },
    },
    async (request, reply) => reply.code(201).send({ data: await createEmailFile(app, request.params, request.body) }),
  );

  http.get(
    '/service/:service_id/templates/:template_id/template_email_files',
    {
      schema: {
        summary: 'List the live and pending files of an email template',
        params: OfTemplate,
        response: { 200: Data(Type.Array(EmailFileRecord)) },
      },
    },
    async (request) => ({ data: await listEmailFiles(app, request.params) }),
  );

  http.get(
    '/service/:service_id/templates/:template_id/template_email_files/:email_file_id',
    {
      schema: { summary: 'Get a file of an email template', params: OfFile, response: { 200: Data(EmailFileRecord) } },
    },
    async (request) => ({ data: await getEmailFile(app.db, request.params) }),
  );

  http.post(
    '/service/:service_id/templates/:template_id/template_email_files/:email_file_id',
    {
      schema: {
        summary: 'Update a file of an email template, or make it live',
        params: OfFile,
        body: Type.Object({ filename: Type.Optional(Filename), ...settings }),
        response: { 200: Data(EmailFileRecord) },
      },
    },
    async (request) => ({ data: await updateEmailFile(app, request.params, request.body) }),
  );

  http.post(
    '/service/:service_id/templates/:template_id/template_email_files/:email_file_id/archive',
    {
      schema: {
        summary: 'Archive a file of an email template',
        params: OfFile,
        body: Type.Object({ archived_by_id: Uuid }),
        response: { 200: Data(EmailFileRecord) },
      },
    },
    async (request) => ({ data: await archiveEmailFile(app, request.params, request.body.archived_by_id) }),
  );
}
