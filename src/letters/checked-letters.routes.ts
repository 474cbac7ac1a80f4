import { Type } from 'typebox';
import { decodeLetter } from '../notifications/sending/letter-rules.ts';
import type { SendState } from '../notifications/sending/send-context.ts';
import { notFound } from '../platform/failure.ts';
import { acceptsFiles } from '../platform/http/body/body-limits.ts';
import type { Http } from '../platform/http/surface.ts';
import { Nullable, OfService } from '../protocol/fields.ts';
import { type CheckDeps, checkPdfLetter } from './checked-letters.ts';

export function checkPdfLetterRoutes(http: Http, app: CheckDeps & { sending: Pick<SendState, 'services'> }): void {
  http.post(
    '/service/:service_id/check-pdf-letter',
    {
      ...acceptsFiles,
      schema: {
        summary: 'Check a PDF as a letter, without sending it',
        description: 'The same check as for a letter that is sent with `POST /service/{service_id}/send-pdf-letter`.',
        params: OfService,
        body: Type.Object({ content: Type.String({ description: 'PDF in base64' }) }),
        response: {
          200: Type.Object({
            page_count: Nullable(Type.Integer()),
            recipient_address: Nullable(Type.String({ description: 'As read; null if the letter cannot be sent' })),
            message: Nullable(Type.String({ description: 'What is wrong, such as `content-outside-printable-area`' })),
            invalid_pages: Nullable(Type.Array(Type.Integer(), { description: 'Counted from 1' })),
          }),
        },
      },
    },
    async ({ params, body }) => {
      const service = await app.sending.services.find(params.service_id);
      if (!service) throw notFound();
      return checkPdfLetter(app, service, decodeLetter(body.content));
    },
  );
}
