import { Type } from 'typebox';
import { acceptsLongLists } from '../platform/http/body/body-limits.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, NoContent, Uuid } from '../protocol/fields.ts';
import { addToPool, listEmailPool, listLetterPool, removeFromPool } from './brand-pools.ts';
import { EmailBranding, LetterBranding } from './brands.ts';

const OfOrganisation = Type.Object({ organisation_id: Uuid });
const OfBrand = Type.Object({ organisation_id: Uuid, branding_id: Uuid });
const BrandIds = Type.Object({ branding_ids: Type.Array(Uuid) });

/** Serves pools: a pool contains the brands that an organisation's services can choose from. */
export function brandPoolRoutes(http: Http, app: Platform): void {
  http.get(
    '/organisations/:organisation_id/email-branding-pool',
    {
      schema: {
        summary: 'List the email brandings in the organisation’s pool, by name',
        params: OfOrganisation,
        response: { 200: Data(Type.Array(EmailBranding)) },
      },
    },
    async (request) => ({ data: await listEmailPool(app.db, request.params.organisation_id) }),
  );

  http.get(
    '/organisations/:organisation_id/letter-branding-pool',
    {
      schema: {
        summary: 'List the letter brandings in the organisation’s pool, by name',
        params: OfOrganisation,
        response: { 200: Data(Type.Array(LetterBranding)) },
      },
    },
    async (request) => ({ data: await listLetterPool(app.db, request.params.organisation_id) }),
  );

  for (const kind of ['email', 'letter'] as const) {
    http.post(
      `/organisations/:organisation_id/${kind}-branding-pool`,
      {
        ...acceptsLongLists,
        schema: {
          summary: `Add ${kind} brandings to the organisation’s pool`,
          params: OfOrganisation,
          body: BrandIds,
          response: { 204: NoContent },
        },
      },
      async (request, reply) => {
        await addToPool(app, kind, request.params.organisation_id, request.body.branding_ids);
        return reply.code(204).send(null);
      },
    );

    http.delete(
      `/organisations/:organisation_id/${kind}-branding-pool/:branding_id`,
      {
        schema: {
          summary: `Remove ${kind === 'email' ? 'an email' : 'a letter'} branding from the organisation’s pool`,
          params: OfBrand,
          response: { 204: NoContent },
        },
      },
      async (request, reply) => {
        const { organisation_id, branding_id } = request.params;
        await removeFromPool(app, kind, organisation_id, branding_id);
        return reply.code(204).send(null);
      },
    );
  }
}
