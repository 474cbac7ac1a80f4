import { Type } from 'typebox';
import { acceptsLongText } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import { NoContent, Raw, Uuid } from '../../protocol/fields.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { getLogo, putLogo } from './letter-logo.ts';

const OfBrand = Type.Object({ letter_branding_id: Uuid });

export function letterLogoRoutes(http: Http, app: Platform & { pdfThreads: PdfThreads }): void {
  http.post(
    '/letter-branding/:letter_branding_id/logo',
    {
      ...acceptsLongText,
      schema: {
        summary: 'Upload the logo of a letter branding: an SVG, scaled to fit into 70 by 18 mm',
        params: OfBrand,
        body: Type.Object({ svg: Type.String({ minLength: 1, maxLength: 1_000_000 }) }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await putLogo(app, request.params.letter_branding_id, request.body.svg);
      return reply.code(204).send(null);
    },
  );

  http.get(
    '/letter-branding/:letter_branding_id/logo',
    {
      schema: {
        summary: 'Get the logo of a letter branding as SVG',
        params: OfBrand,
        response: { 200: Raw('image/svg+xml', 'The logo') },
      },
    },
    async (request, reply) => {
      const svg = await getLogo(app, request.params.letter_branding_id);
      // An SVG in an <img> cannot run scripts; opened directly it could.
      return reply
        .type('image/svg+xml')
        .header('content-security-policy', "default-src 'none'; style-src 'unsafe-inline'; sandbox")
        .send(svg);
    },
  );
}
