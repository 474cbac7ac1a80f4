import { Type } from 'typebox';
import type { Country } from '../countries/country.ts';
import { refuseUnlessExists } from '../platform/db/exists.ts';
import { acceptsLongLists, acceptsLongText } from '../platform/http/body/body-limits.ts';
import type { Http } from '../platform/http/surface.ts';
import { isUuid } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { ChosenPostage, Data, ImportedId, Nullable, OfService, Uuid } from '../protocol/fields.ts';
import type { FrontEndSettings } from '../protocol/settings.ts';
import { previewTemplate } from './compiled-templates.ts';
import { withCategory } from './sources/template-categories.ts';
import {
  isPrecompiled,
  Languages,
  listedVersion,
  ProcessTypes,
  TemplateTypes,
  TextsInLanguages,
  templateRecord,
  templateSchemas,
  templateVersion,
} from './template-record.ts';
import { getTemplateForUpdate, updateTemplate } from './template-update.ts';
import {
  createTemplate,
  getOrCreatePrecompiledTemplate,
  getTemplate,
  getTemplateVersion,
  listTemplates,
  listTemplateVersions,
} from './templates.ts';

const OfTemplate = Type.Object({ service_id: Uuid, template_id: Uuid });

const Name = Type.String({ format: 'template-name', maxLength: 255 });

const settings = (country: Country) => ({
  service: Type.Optional(Uuid),
  subject: Type.Optional(Nullable(Type.String())),
  process_type: Type.Optional(ProcessTypes),
  template_category_id: Type.Optional(
    Nullable({ ...Uuid, description: 'A category of GC Notify; sets process_type, unless that is given, too' }),
  ),
  postage: Type.Optional(ChosenPostage(country)),
  reply_to: Type.Optional(Nullable(Uuid)),
  letter_languages: Type.Optional(Nullable(Languages)),
  letter_welsh_subject: Type.Optional(Nullable(Type.String())),
  letter_welsh_content: Type.Optional(Nullable(Type.String())),
  has_unsubscribe_link: Type.Optional(Nullable(Type.Boolean())),
  languages: Type.Optional(Nullable(TextsInLanguages)),
});

const newTemplateSchema = (country: Country) =>
  Type.Object(
    {
      name: Name,
      template_type: TemplateTypes,
      content: Type.String(),
      created_by: Uuid,
      parent_folder_id: Type.Optional(Uuid),
      id: Type.Optional(ImportedId),
      ...settings(country),
    },
    {
      if: { properties: { template_type: { enum: ['email', 'letter'] } }, required: ['template_type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { properties: { subject: { type: 'string', format: 'template-subject' } }, required: ['subject'] },
    },
  );

const templateUpdateSchema = (country: Country) =>
  Type.Object({
    id: Type.Optional(Uuid),
    name: Type.Optional(Name),
    template_type: Type.Optional(TemplateTypes),
    content: Type.Optional(Type.String()),
    created_by: Type.Optional(Uuid),
    current_user: Type.Optional(Uuid),
    archived: Type.Optional(Type.Boolean()),
    redact_personalisation: Type.Optional(Type.Boolean({ description: 'Cannot be undone' })),
    archive_email_file_ids: Type.Optional(Type.Array(Uuid)),
    changes_version: Type.Optional(
      Type.Integer({
        description:
          'The version that is changed: 409 if there is a newer one, and reply_to is changed together with the other fields. Without it the last request wins, and reply_to is changed alone',
      }),
    ),
    ...settings(country),
  });

export function templateRoutes(http: Http, app: Platform & { config: { frontEnd: FrontEndSettings } }): void {
  const { phone } = app.country;
  const { TemplateRecord, TemplateVersion, ListedTemplate, ListedVersion, ListedVersionWithAuthor } = templateSchemas(
    app.country,
  );
  const isForNotificationsAdmin = app.config.frontEnd.shapes === 'notifications-admin';

  http.post(
    '/service/:service_id/template',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Create a template',
        params: OfService,
        body: newTemplateSchema(app.country),
        response: { 201: Data(TemplateRecord) },
      },
      // Report an unknown service before errors in the template.
      preValidation: async ({ params }) => {
        if (isUuid(params.service_id)) await refuseUnlessExists(app.db, 'services', params.service_id);
      },
    },
    async (request, reply) => {
      const template = await createTemplate(app, request.params.service_id, withCategory(request.body));
      return reply.code(201).send({ data: templateRecord(phone, template) });
    },
  );

  http.post(
    '/service/:service_id/template/:template_id',
    {
      ...acceptsLongLists,
      schema: {
        summary: 'Edit, archive, restore or redact a template, or set its reply-to; each creates a new version',
        params: OfTemplate,
        body: templateUpdateSchema(app.country),
        response: { 200: Data(TemplateRecord) },
      },
      preValidation: async ({ params: { service_id, template_id } }) => {
        if (isUuid(service_id) && isUuid(template_id)) await getTemplateForUpdate(app.db, service_id, template_id);
      },
    },
    async (request) => {
      const { service_id, template_id } = request.params;
      return {
        data: templateRecord(phone, await updateTemplate(app, service_id, template_id, withCategory(request.body))),
      };
    },
  );

  http.get(
    '/service/:service_id/template',
    {
      schema: {
        summary: 'List the templates of a service, except archived and hidden ones',
        params: OfService,
        response: { 200: Data(Type.Array(ListedTemplate)) },
      },
    },
    async (request) => {
      const templates = await listTemplates(app, request.params.service_id);
      return { data: templates.map((row) => ({ ...row, is_precompiled_letter: isPrecompiled(row) })) };
    },
  );

  http.get(
    '/service/:service_id/template/precompiled',
    {
      schema: {
        summary: 'Get the hidden template of letters supplied as PDF',
        params: OfService,
        response: { 200: TemplateRecord },
      },
    },
    async (request) => {
      const { service_id } = request.params;
      await refuseUnlessExists(app.db, 'services', service_id);
      return templateRecord(
        phone,
        await getOrCreatePrecompiledTemplate(app.db, service_id, { country: app.country, now: app.clock.now() }),
      );
    },
  );

  http.get(
    '/service/:service_id/template/:template_id',
    {
      schema: {
        summary: 'Get the newest version of a template',
        params: OfTemplate,
        response: { 200: Data(TemplateRecord) },
      },
    },
    async (request) => {
      const { service_id, template_id } = request.params;
      return { data: templateRecord(phone, await getTemplate(app.db, service_id, template_id)) };
    },
  );

  http.get(
    '/service/:service_id/template/:template_id/preview',
    {
      schema: {
        summary: 'Preview a template with the values of the query, one parameter per placeholder',
        params: OfTemplate,
        querystring: Type.Unsafe<Record<string, string | string[]>>({ type: 'object', additionalProperties: true }),
        response: { 200: TemplateRecord },
      },
    },
    async (request) => {
      const { service_id, template_id } = request.params;
      // The first value of a repeated parameter wins.
      const values = Object.entries(request.query).map(([name, value]) => [name, [value].flat()[0]]);
      const template = await getTemplate(app.db, service_id, template_id);
      return templateRecord(phone, previewTemplate(app, template, Object.fromEntries(values)));
    },
  );

  http.get(
    '/service/:service_id/template/:template_id/version/:version',
    {
      schema: {
        summary: 'Get a version of a template',
        params: Type.Object({ service_id: Uuid, template_id: Uuid, version: Type.String({ pattern: '^[0-9]{1,9}$' }) }),
        response: { 200: Data(TemplateVersion) },
      },
    },
    async (request) => {
      const { service_id, template_id, version } = request.params;
      return { data: templateVersion(phone, await getTemplateVersion(app, service_id, template_id, Number(version))) };
    },
  );

  http.get(
    '/service/:service_id/template/:template_id/versions',
    {
      schema: {
        summary: 'List the versions of a template, newest first',
        params: OfTemplate,
        response: { 200: Data(Type.Array(isForNotificationsAdmin ? ListedVersionWithAuthor : ListedVersion)) },
      },
    },
    async (request) => {
      const { service_id, template_id } = request.params;
      const versions = await listTemplateVersions(app, service_id, template_id);
      return isForNotificationsAdmin
        ? { data: versions.map((row) => templateVersion(phone, row)) }
        : { data: versions.map((row) => listedVersion(phone, row)) };
    },
  );
}
