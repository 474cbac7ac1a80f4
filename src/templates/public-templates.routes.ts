import { type Static, Type } from 'typebox';
import { apiCallerOf } from '../auth/api-caller.ts';
import type { Country } from '../countries/country.ts';
import { Failure } from '../platform/failure.ts';
import { acceptEmptyBody } from '../platform/http/body/body.ts';
import { acceptsLongText } from '../platform/http/body/body-limits.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Datetime, Nullable, StoredPostage, Uuid } from '../protocol/fields.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { CompiledTemplates } from './compiled-templates.ts';
import type { EmailThreads } from './email-threads.ts';
import { languagesInUse, listLanguages } from './languages/languages.ts';
import {
  getPublicTemplate,
  getPublicTemplateVersion,
  listPublicTemplates,
  previewPublicTemplate,
} from './public-templates.ts';
import { TemplateTypes } from './template-record.ts';
import { compileRow, type TemplateRow } from './template-row.ts';

/** `test/examples.full.test.ts` compares these with the actual responses. */
const example = {
  id: 'f33517ff-2a88-4f6e-b855-c550268ce08a',
  type: 'sms',
  name: 'Appointment',
  created_at: '2026-11-15T12:00:00.000000Z',
  updated_at: null,
  created_by: 'pennypost@platform.invalid',
  version: 1,
  body: 'Hello ((name)), see you on ((day)).',
  subject: null,
  personalisation: { name: { required: true }, day: { required: true } },
  postage: null,
  letter_contact_block: null,
};

const preview = {
  id: example.id,
  type: 'sms',
  version: 1,
  body: 'Hello Ada, see you on Friday.',
  subject: null,
  html: null,
  postage: null,
};

const publicTemplateSchema = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      type: TemplateTypes,
      name: Type.String(),
      created_at: Datetime,
      updated_at: Nullable(Datetime),
      created_by: Type.String({ description: 'Email address of the author of this version' }),
      version: Type.Integer(),
      body: Type.String(),
      subject: Nullable(Type.String()),
      personalisation: Type.Record(Type.String(), Type.Object({ required: Type.Boolean() })),
      postage: Nullable(StoredPostage(country, { home: true })),
      letter_contact_block: Nullable(Type.String()),
      languages: Type.Optional(
        Type.Array(Type.String(), { description: 'Only if there are texts in several; that of body comes first' }),
      ),
    },
    { title: 'PublicTemplate', examples: [example] },
  );

// Named `id`, because errors of this surface start with the name of the parameter.
const OfTemplate = Type.Object({ id: Uuid });

const publicPreviewSchema = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      type: TemplateTypes,
      version: Type.Integer(),
      body: Type.String(),
      subject: Nullable(Type.String()),
      html: Nullable(Type.String()),
      postage: Nullable(StoredPostage(country, { home: true })),
    },
    { title: 'PublicPreview', examples: [preview] },
  );

type Deps = Platform & { compiledTemplates: CompiledTemplates; emailThreads: EmailThreads };

export function publicTemplateRoutes(http: Http, app: Deps): void {
  const PublicTemplate = publicTemplateSchema(app.country);
  http.post(
    '/v2/template/:id/preview',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Preview a template with values',
        params: OfTemplate,
        body: Type.Object(
          {
            personalisation: Type.Optional(Type.Unsafe<Personalisation>({ type: 'object' })),
            language: Type.Optional(
              Type.Unknown({
                description: 'Which text to preview; of services with the permission template_languages',
              }),
            ),
          },
          { examples: [{ personalisation: { name: 'Ada', day: 'Friday' } }] },
        ),
        response: { 200: publicPreviewSchema(app.country) },
      },
      config: {
        malformedJson: () => new Failure('invalid', 'ValidationError', 'Invalid JSON'),
        verbatimNumbersUnder: 'personalisation',
      },
      preValidation: acceptEmptyBody,
    },
    async (request, reply) => {
      const { params, body, countAs } = request;
      const preview = await previewPublicTemplate(app, apiCallerOf(request), params.id, body, countAs);
      if (!(preview instanceof Uint8Array)) return preview;
      return reply.type('application/json; charset=utf-8').send(preview as never);
    },
  );

  http.get(
    '/v2/templates',
    {
      schema: {
        summary: 'List the templates of the service, except archived ones',
        querystring: Type.Object(
          { type: Type.Optional({ ...TemplateTypes, examples: ['sms'] }) },
          { additionalProperties: false },
        ),
        response: {
          200: Type.Object({ templates: Type.Array(PublicTemplate) }, { examples: [{ templates: [example] }] }),
        },
      },
    },
    async (request) => {
      const templates = await listPublicTemplates(app.db, apiCallerOf(request), request.query.type);
      return { templates: templates.map(publicTemplate) };
    },
  );

  http.get(
    '/v2/template/:id',
    {
      schema: {
        summary: 'Get the newest version of a template',
        params: OfTemplate,
        response: { 200: PublicTemplate },
      },
    },
    async (request) => publicTemplate(await getPublicTemplate(app.db, apiCallerOf(request), request.params.id)),
  );

  http.get(
    '/v2/template/:id/version/:version',
    {
      schema: {
        summary: 'Get a version of a template',
        params: Type.Object({
          id: Uuid,
          version: Type.String({ description: 'A whole number from 1', examples: ['1'] }),
        }),
        response: { 200: PublicTemplate },
      },
    },
    async (request) => {
      const { id, version } = request.params;
      return publicTemplate(await getPublicTemplateVersion(app, apiCallerOf(request), id, version));
    },
  );
}

function publicTemplate(row: TemplateRow): Static<ReturnType<typeof publicTemplateSchema>> {
  const languages = languagesInUse(row);
  return {
    id: row.id,
    type: row.template_type,
    name: row.name,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: row.created_by_email_address,
    version: row.version,
    body: row.content,
    subject: row.template_type === 'sms' ? null : row.subject,
    // Object.fromEntries instead of assignments, because a placeholder may be called __proto__.
    personalisation: Object.fromEntries(compileRow(row).placeholders.map((name) => [name, { required: true }])),
    postage: row.postage,
    letter_contact_block: row.template_type === 'letter' ? row.reply_to_text : null,
    ...(languages ? { languages: listLanguages(languages) } : {}),
  };
}
