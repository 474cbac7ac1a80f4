import { Type } from 'typebox';
import { invalidField } from '../platform/failure.ts';
import { decodeBase64 } from '../platform/http/body/base64.ts';
import { acceptsLongText } from '../platform/http/body/body-limits.ts';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Data, Name, NoContent, Nullable, Uuid } from '../protocol/fields.ts';
import { BrandTypes, EmailBranding, NameFound, OrgsAndServices, uniqueName } from './brands.ts';
import { selectActiveEmailBrandings } from './email-branding.sql.ts';
import {
  archiveEmailBranding,
  createEmailBranding,
  getEmailBranding,
  listEmailBrandUsers,
  updateEmailBranding,
} from './email-branding.ts';
import { type LogoDeps, storeEmailLogo } from './email-logos.ts';

const OfBrand = Type.Object({ email_branding_id: Uuid });
const ShortText = Nullable(Type.String({ maxLength: 255 }));
const Colour = Nullable(Type.String({ format: 'hex-colour', description: '#rrggbb' }));

const look = {
  colour: Type.Optional(Colour),
  logo: Type.Optional(ShortText),
  text: Type.Optional(ShortText),
  alt_text: Type.Optional(ShortText),
};

export function emailBrandingRoutes(http: Http, app: Platform & LogoDeps): void {
  http.get(
    '/email-branding',
    {
      schema: {
        summary: 'List email brandings that are not archived',
        response: { 200: Type.Object({ email_branding: Type.Array(EmailBranding) }) },
      },
    },
    async () => ({ email_branding: await selectActiveEmailBrandings(app.db) }),
  );

  http.get(
    '/email-branding/:email_branding_id',
    {
      schema: {
        summary: 'Get an email branding, archived or not',
        params: OfBrand,
        response: { 200: Type.Object({ email_branding: EmailBranding }) },
      },
    },
    async (request) => ({ email_branding: await getEmailBranding(app.db, request.params.email_branding_id) }),
  );

  http.post(
    '/email-branding',
    {
      schema: {
        summary: 'Create an email branding with exactly one of text and alt_text',
        body: Type.Object({ name: Name, brand_type: BrandTypes, ...look, created_by: Type.Optional(Uuid) }),
        response: { 201: Data(EmailBranding) },
      },
    },
    async (request, reply) => {
      const { name, brand_type, colour, logo, text, alt_text, created_by } = request.body;
      const brand = { name, brand_type, colour, logo, text, alt_text, created_by };
      return reply.code(201).send({ data: await createEmailBranding(app, brand) });
    },
  );

  http.post(
    '/email-branding/:email_branding_id',
    {
      schema: {
        summary: 'Update an email branding; omitted fields keep their values',
        params: OfBrand,
        body: Type.Object({
          name: Type.Optional(Name),
          brand_type: Type.Optional(BrandTypes),
          ...look,
          updated_by: Type.Optional(Uuid),
        }),
        response: { 200: Data(EmailBranding) },
      },
    },
    async (request) => {
      const { name, brand_type, colour, logo, text, alt_text, updated_by } = request.body;
      const change = { name, brand_type, colour, logo, text, alt_text, updated_by };
      return { data: await updateEmailBranding(app, request.params.email_branding_id, change) };
    },
  );

  http.post(
    '/email-branding/:email_branding_id/logo',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Upload the logo of an email branding: a PNG, scaled to fit into 640 by 216 pixels',
        params: OfBrand,
        body: Type.Object({
          png: Type.String({ minLength: 1, maxLength: 4_000_000, description: 'In base64; at most 2 MB' }),
        }),
        response: { 200: Data(EmailBranding) },
      },
    },
    async (request) => {
      const { id } = await getEmailBranding(app.db, request.params.email_branding_id);
      const bytes = decodeBase64(request.body.png, 'canonical');
      if (!bytes) throw invalidField('png', 'Not valid base64.');
      const logo = await storeEmailLogo(app, bytes, 'png');
      return { data: await updateEmailBranding(app, id, { logo }) };
    },
  );

  http.post(
    '/email-branding/get-name-for-alt-text/',
    {
      schema: {
        summary: 'Suggest a free email branding name based on the alt text',
        body: Type.Object({ alt_text: Name }),
        response: { 200: NameFound },
      },
    },
    async (request) => ({
      name: await uniqueName(app.db, 'email_branding', { field: 'alt_text', name: request.body.alt_text }),
    }),
  );

  http.get(
    '/email-branding/:email_branding_id/orgs_and_services',
    {
      schema: {
        summary: 'List active organisations with this default, and active services that use it',
        params: OfBrand,
        response: { 200: OrgsAndServices },
      },
    },
    async (request) => ({ data: await listEmailBrandUsers(app, request.params.email_branding_id) }),
  );

  http.post(
    '/email-branding/:email_branding_id/archive',
    {
      schema: {
        summary: 'Archive an unused email branding',
        params: OfBrand,
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveEmailBranding(app, request.params.email_branding_id);
      return reply.code(204).send(null);
    },
  );
}
