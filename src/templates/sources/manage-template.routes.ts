import type { FastifyRequest } from 'fastify';
import { type Static, Type } from 'typebox';
import { actAsKey, apiCallerOf } from '../../auth/api-caller.ts';
import type { Country } from '../../countries/country.ts';
import { acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { HttpSettings } from '../../platform/settings.ts';
import { Datetime, Nullable, OneOf, StoredPostage, Uuid } from '../../protocol/fields.ts';
import { TemplateTypes } from '../template-record.ts';
import * as examples from './examples.ts';
import {
  archiveManagedTemplate,
  createManagedTemplate,
  getManagedTemplate,
  type ManagedTemplate,
  refuseUnlessTemplateManager,
  updateManagedTemplate,
} from './manage-template.ts';
import { findCategory, listedCategories, refuseUnlessCategoryId } from './template-categories.ts';

const Text = Nullable(Type.String());
const Name = Type.String({ format: 'template-name' });
const Subject = Type.String({ format: 'template-subject' });
const OfTemplate = Type.Object({ id: Uuid });

const recordSchema = (country: Country) =>
  Type.Object(
    {
      id: Uuid,
      service_id: Uuid,
      service_name: Type.String(),
      name: Type.String(),
      type: TemplateTypes,
      created_at: Datetime,
      updated_at: Nullable(Datetime),
      created_by: Type.String({ description: 'Email address of the author of this version' }),
      version: Type.Integer(),
      body: Type.String(),
      subject: Text,
      postage: Nullable(StoredPostage(country, { home: true })),
      template_category_id: Nullable(Uuid),
      template_category_name: Text,
      folder_id: Nullable(Uuid),
      archived: Type.Boolean(),
    },
    { title: 'ManagedTemplate', examples: [examples.managed] },
  );

const NewTemplate = Type.Object(
  {
    name: Name,
    template_type: OneOf(['sms', 'email']),
    content: Type.String(),
    template_category_id: Uuid,
    subject: Type.Optional(Subject),
    parent_folder_id: Type.Optional(Nullable(Uuid)),
  },
  {
    title: 'NewManagedTemplate',
    additionalProperties: false,
    examples: [examples.newManaged],
    if: { properties: { template_type: { const: 'email' } }, required: ['template_type'] },
    // biome-ignore lint/suspicious/noThenProperty: a keyword of JSON Schema
    then: { required: ['subject'] },
  },
);

const Change = Type.Object(
  {
    name: Type.Optional(Name),
    content: Type.Optional(Type.String()),
    template_category_id: Type.Optional(Uuid),
    subject: Type.Optional(Subject),
    parent_folder_id: Type.Optional(Nullable(Uuid)),
  },
  { title: 'ManagedTemplateUpdate', additionalProperties: false, examples: [{ name: 'Renewal' }] },
);

const needsManager = 'As in GC Notify. Needs a key that may manage templates.';

/** GC Notify checks the permission first, and the category before the rest of the body. */
const checkManager = async (request: FastifyRequest) => refuseUnlessTemplateManager(apiCallerOf(request));

async function checkNew(request: FastifyRequest) {
  await checkManager(request);
  refuseUnlessCategoryId(given(request).template_category_id);
}

async function checkChange(request: FastifyRequest) {
  await checkManager(request);
  const { template_category_id } = given(request);
  if (template_category_id !== undefined) refuseUnlessCategoryId(template_category_id);
}

function given({ body }: FastifyRequest): { template_category_id?: unknown } {
  return typeof body === 'object' && body !== null ? body : {};
}

/** The template routes of GC Notify, with the rules of `/v2/template`. */
export function manageTemplateRoutes(http: Http, app: Platform & { config: { http: HttpSettings } }): void {
  const Managed = recordSchema(app.country);

  http.get(
    '/v2/manage-template/template-categories',
    {
      schema: {
        summary: 'List the categories of templates',
        description: needsManager,
        response: {
          200: Type.Object(
            { template_categories: Type.Array(Type.Object({ template_category_id: Uuid, name: Type.String() })) },
            { examples: [{ template_categories: listedCategories }] },
          ),
        },
      },
      preValidation: checkManager,
    },
    async () => ({ template_categories: listedCategories }),
  );

  http.post(
    '/v2/manage-template',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Create a template in a category, which sets its process type',
        description: needsManager,
        body: NewTemplate,
        response: { 201: Managed },
      },
      preValidation: checkNew,
    },
    async (request, reply) => {
      const create = (author: string) => createManagedTemplate(app, apiCallerOf(request), request.body, author);
      return reply.code(201).send(record(await actAsKey(app, request, create)));
    },
  );

  http.get(
    '/v2/manage-template/:id',
    {
      schema: {
        summary: 'Get the newest version of a template, archived or not',
        description: needsManager,
        params: OfTemplate,
        response: { 200: Managed },
      },
      preValidation: checkManager,
    },
    async (request) => record(await getManagedTemplate(app.db, apiCallerOf(request), request.params.id)),
  );

  http.patch(
    '/v2/manage-template/:id',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Change a template, or move it to another folder; null moves it out of its folder',
        description: needsManager,
        params: OfTemplate,
        body: Change,
        response: { 200: Managed },
      },
      preValidation: checkChange,
    },
    async (request) => {
      const { params, body } = request;
      const update = (author: string) => updateManagedTemplate(app, apiCallerOf(request), params.id, body, author);
      return record(await actAsKey(app, request, update));
    },
  );

  http.delete(
    '/v2/manage-template/:id',
    {
      schema: {
        summary: 'Archive a template',
        description: needsManager,
        params: OfTemplate,
        response: { 200: Managed },
      },
      preValidation: checkManager,
    },
    async (request) => {
      const archive = (author: string) => archiveManagedTemplate(app, apiCallerOf(request), request.params.id, author);
      return record(await actAsKey(app, request, archive));
    },
  );
}

function record({ row, service_name }: ManagedTemplate): Static<ReturnType<typeof recordSchema>> {
  return {
    id: row.id,
    service_id: row.service,
    service_name,
    name: row.name,
    type: row.template_type,
    created_at: row.created_at,
    updated_at: row.updated_at,
    created_by: row.created_by_email_address,
    version: row.version,
    body: row.content,
    subject: row.template_type === 'sms' ? null : row.subject,
    postage: row.postage,
    template_category_id: row.category_id,
    template_category_name: row.category_id === null ? null : (findCategory(row.category_id)?.name ?? null),
    folder_id: row.folder,
    archived: row.archived,
  };
}
