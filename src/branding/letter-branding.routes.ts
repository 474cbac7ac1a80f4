import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Name, NoContent, Uuid } from '../protocol/fields.ts';
import { LetterBranding, NameFound, OrgsAndServices, uniqueName } from './brands.ts';
import { selectActiveLetterBrandings } from './letter-branding.sql.ts';
import {
  archiveLetterBranding,
  createLetterBranding,
  getLetterBranding,
  listLetterBrandUsers,
  updateLetterBranding,
} from './letter-branding.ts';

const OfBrand = Type.Object({ letter_branding_id: Uuid });

export function letterBrandingRoutes(http: Http, app: Platform): void {
  http.get(
    '/letter-branding',
    {
      schema: {
        summary: 'List letter brandings that are not archived, by name',
        response: { 200: Type.Array(LetterBranding) },
      },
    },
    () => selectActiveLetterBrandings(app.db),
  );

  http.get(
    '/letter-branding/:letter_branding_id',
    { schema: { summary: 'Get a letter branding', params: OfBrand, response: { 200: LetterBranding } } },
    (request) => getLetterBranding(app.db, request.params.letter_branding_id),
  );

  http.post(
    '/letter-branding',
    {
      schema: {
        summary: 'Create a letter branding',
        body: Type.Object({ name: Name, filename: Name, created_by_id: Type.Optional(Uuid) }),
        response: { 201: LetterBranding },
      },
    },
    async (request, reply) => {
      const { name, filename, created_by_id } = request.body;
      return reply.code(201).send(await createLetterBranding(app, { name, filename, created_by_id }));
    },
  );

  http.post(
    '/letter-branding/:letter_branding_id',
    {
      schema: {
        summary: 'Update a letter branding; requires both names',
        params: OfBrand,
        body: Type.Object({ name: Name, filename: Name, updated_by_id: Type.Optional(Uuid) }),
        response: { 201: LetterBranding },
      },
    },
    async (request, reply) => {
      const { name, filename, updated_by_id } = request.body;
      const change = { name, filename, updated_by_id };
      return reply.code(201).send(await updateLetterBranding(app, request.params.letter_branding_id, change));
    },
  );

  http.get(
    '/letter-branding/:letter_branding_id/orgs_and_services',
    {
      schema: {
        summary: 'List active organisations with this default, and active services that use it',
        params: OfBrand,
        response: { 200: OrgsAndServices },
      },
    },
    async (request) => ({ data: await listLetterBrandUsers(app, request.params.letter_branding_id) }),
  );

  http.post(
    '/letter-branding/:letter_branding_id/archive',
    {
      schema: {
        summary: 'Archive an unused letter branding',
        params: OfBrand,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveLetterBranding(app, request.params.letter_branding_id);
      return reply.code(204).send(null);
    },
  );

  http.post(
    '/letter-branding/get-unique-name/',
    {
      schema: {
        summary: 'Suggest a free letter branding name based on the given one',
        body: Type.Object({ name: Name }),
        response: { 200: NameFound },
      },
    },
    async (request) => ({
      name: await uniqueName(app.db, 'letter_branding', { field: 'name', name: request.body.name }),
    }),
  );
}
