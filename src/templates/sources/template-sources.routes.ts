import { type Static, Type } from 'typebox';
import { actAsKey, apiCallerOf } from '../../auth/api-caller.ts';
import type { Country } from '../../countries/country.ts';
import { acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings } from '../../platform/settings.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import {
  ChosenPostage,
  ImportedId,
  isTrue,
  Nullable,
  QueryBoolean,
  StoredPostage,
  Uuid,
} from '../../protocol/fields.ts';
import { LanguagesOf, languagesInUse, variantFields, withoutPermission } from '../languages/languages.ts';
import { ProcessTypes, TemplateTypes } from '../template-record.ts';
import * as examples from './examples.ts';
import {
  createTemplateSource,
  getTemplateSource,
  listTemplateSources,
  refuseUnlessManager,
  type TemplateSource,
  updateTemplateSource,
} from './template-sources.ts';

const Text = Nullable(Type.String());
const Folder = Type.Array(Type.String({ minLength: 1, maxLength: 255, format: 'name' }), {
  maxItems: 20,
  description: 'Names from the root down; folders that are missing are created',
});

const TextsInLanguages = LanguagesOf(Type.Object({ ...variantFields, body: Type.String() }));

const sourceSchema = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      type: TemplateTypes,
      name: Type.String(),
      version: Type.Integer(),
      subject: Text,
      body: Type.String(),
      folder: Type.Array(Type.String()),
      postage: Nullable(StoredPostage(country, { home: true })),
      sender_id: Nullable(Uuid),
      process_type: ProcessTypes,
      template_category_id: Type.Optional({ ...Uuid, description: 'Only templates that have one' }),
      has_unsubscribe_link: Type.Boolean(),
      letter_welsh_subject: Text,
      letter_welsh_body: Text,
      languages: Type.Optional(TextsInLanguages),
      archived: Type.Boolean(),
    },
    { title: 'TemplateSource', examples: [examples.source] },
  );

const Name = Type.String({ format: 'template-name', maxLength: 255 });
const Subject = Type.String({ format: 'template-subject' });

const settings = (country: Country) => ({
  subject: Type.Optional(Subject),
  folder: Type.Optional(Folder),
  postage: Type.Optional(ChosenPostage(country)),
  sender_id: Type.Optional(
    Nullable(Type.String({ format: 'uuid', description: 'A reply-to address, text message sender or letter contact' })),
  ),
  process_type: Type.Optional(ProcessTypes),
  template_category_id: Type.Optional(
    Nullable({ ...Uuid, description: 'Sets process_type, unless that is given, too' }),
  ),
  has_unsubscribe_link: Type.Optional(Type.Boolean()),
  letter_welsh_subject: Type.Optional(Text),
  letter_welsh_body: Type.Optional(Text),
  languages: Type.Optional(Nullable(TextsInLanguages)),
});

const newSourceSchema = (country: Country) =>
  Type.Object(
    { name: Name, type: TemplateTypes, body: Type.String(), id: Type.Optional(ImportedId), ...settings(country) },
    {
      title: 'NewTemplateSource',
      additionalProperties: false,
      examples: [examples.newSource],
      if: { properties: { type: { enum: ['email', 'letter'] } }, required: ['type'] },
      // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
      then: { required: ['subject'] },
    },
  );

const sourceUpdateSchema = (country: Country) =>
  Type.Object(
    {
      version: Type.Optional(
        Type.Integer({ minimum: 1, description: 'The version that is changed: 409 if there is a newer one' }),
      ),
      name: Type.Optional(Name),
      body: Type.Optional(Type.String()),
      ...settings(country),
      archived: Type.Optional(Type.Boolean()),
    },
    { title: 'TemplateSourceUpdate', additionalProperties: false, examples: [examples.update] },
  );

const OfTemplate = Type.Object({ id: Uuid });
const Options = Type.Object({
  dry_run: Type.Optional({ ...QueryBoolean, description: 'Check everything, and store nothing' }),
});

/** For API keys that may manage templates. */
export function templateSourceRoutes(http: Http, app: Platform & { config: { http: HttpSettings } }): void {
  const Source = sourceSchema(app.country);
  http.get(
    '/v2/templates/source',
    {
      schema: {
        summary: 'List the templates of the service with all their settings, except archived ones',
        description: 'Needs a key that may manage templates.',
        response: {
          200: Type.Object({ templates: Type.Array(Source) }, { examples: [{ templates: [examples.source] }] }),
        },
      },
    },
    async (request) => {
      const caller = apiCallerOf(request);
      refuseUnlessManager(caller);
      return { templates: (await listTemplateSources(app.db, caller)).map(record) };
    },
  );

  http.get(
    '/v2/template/:id/source',
    {
      schema: {
        summary: 'Get the newest version of a template with all its settings',
        description: 'Needs a key that may manage templates.',
        params: OfTemplate,
        response: { 200: Source },
      },
    },
    async (request) => {
      const caller = apiCallerOf(request);
      refuseUnlessManager(caller);
      return record(await getTemplateSource(app.db, caller, request.params.id));
    },
  );

  http.post(
    '/v2/template',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Create a template',
        description: 'Needs a key that may manage templates.',
        querystring: Options,
        body: newSourceSchema(app.country),
        response: { 200: Source, 201: Source },
      },
    },
    async (request, reply) => {
      const caller = apiCallerOf(request);
      refuseUnlessManager(caller);
      const dry_run = isTrue(request.query.dry_run);
      const source = await actAsKey(app, request, (created_by) =>
        createTemplateSource(app, caller, request.body, { created_by, dry_run }),
      );
      return reply.code(dry_run ? 200 : 201).send(record(source));
    },
  );

  http.post(
    '/v2/template/:id',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Edit, move, archive or restore a template; all changes of a request are one version',
        description: 'Needs a key that may manage templates.',
        params: OfTemplate,
        querystring: Options,
        body: sourceUpdateSchema(app.country),
        response: { 200: Source, 409: publicErrors.errorSchema },
      },
    },
    async (request) => {
      const caller = apiCallerOf(request);
      refuseUnlessManager(caller);
      const dry_run = isTrue(request.query.dry_run);
      const source = await actAsKey(app, request, (created_by) =>
        updateTemplateSource(app, caller, request.params.id, request.body, { created_by, dry_run }),
      );
      return record(source);
    },
  );
}

function record({ row, folder }: TemplateSource): Static<ReturnType<typeof sourceSchema>> {
  return {
    id: row.id,
    type: row.template_type,
    name: row.name,
    version: row.version,
    subject: row.template_type === 'sms' ? null : row.subject,
    body: row.content,
    folder,
    postage: row.postage,
    sender_id: row.reply_to,
    process_type: row.process_type,
    ...(row.category_id === null ? {} : { template_category_id: row.category_id }),
    has_unsubscribe_link: row.has_unsubscribe_link,
    letter_welsh_subject: row.letter_welsh_subject,
    letter_welsh_body: row.letter_welsh_content,
    ...languagesOf(row),
    archived: row.archived,
  };
}

function languagesOf(row: TemplateSource['row']) {
  const languages = languagesInUse(row);
  if (!languages) return {};
  const variants = languages.variants.map(({ content: body, ...variant }) => ({ ...variant, body }));
  return { languages: { ...withoutPermission(languages), variants } };
}
