import { Type } from 'typebox';
import type { Http } from '../platform/http/surface.ts';
import type { Platform } from '../platform/platform.ts';
import { Raw } from '../protocol/fields.ts';
import { getEmailLogo } from './email-logos.ts';

/** Mail clients load logos without credentials, and from pages of other origins. */
export function emailLogoRoutes(http: Http, app: Platform): void {
  http.get(
    '/logos/:file',
    {
      schema: {
        summary: 'The logo of an email, as it was uploaded for a branding',
        params: Type.Object({ file: Type.String({ maxLength: 64 }) }),
        response: { 200: Raw('image/png', 'The logo') },
      },
    },
    async (request, reply) => {
      const picture = await getEmailLogo(app, request.params.file);
      return reply
        .type('image/png')
        .header('cache-control', 'public, max-age=31536000, immutable')
        .header('cross-origin-resource-policy', 'cross-origin')
        .header('content-security-policy', "default-src 'none'; sandbox")
        .send(picture);
    },
  );
}
