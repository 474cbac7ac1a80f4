import { Type } from 'typebox';
import { acceptsFiles } from '../../platform/http/body/body-limits.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import { NoContent, Uuid } from '../../protocol/fields.ts';
import { LetterAttachmentRecord } from '../../templates/template-record.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { archiveLetterAttachment, attachPages, getLetterAttachment } from './letter-attachments.ts';

const OfAttachment = Type.Object({ letter_attachment_id: Uuid });

export function letterAttachmentRoutes(
  http: Http,
  app: Platform & { pdfThreads: PdfThreads; virusScanner: VirusScanner },
): void {
  http.post(
    '/letter-attachment',
    {
      ...acceptsFiles,
      schema: {
        summary: 'Attach a PDF to a letter template, which creates a new version of the template',
        body: Type.Object({
          upload_id: Uuid,
          template_id: Uuid,
          created_by_id: Uuid,
          original_filename: Type.String({ minLength: 1 }),
          page_count: Type.Integer({ minimum: 1, description: 'Ignored: the pages of the file are counted' }),
          content: Type.String({ description: 'The PDF, base64-encoded' }),
        }),
        response: { 201: LetterAttachmentRecord },
      },
    },
    async (request, reply) => reply.code(201).send(await attachPages(app, request.body)),
  );

  http.get(
    '/letter-attachment/:letter_attachment_id',
    {
      schema: {
        summary: 'Get the attachment of a letter template, even if archived',
        params: OfAttachment,
        response: { 200: LetterAttachmentRecord },
      },
    },
    async (request) => getLetterAttachment(app.db, request.params.letter_attachment_id),
  );

  http.post(
    '/letter-attachment/:letter_attachment_id/archive',
    {
      schema: {
        summary: 'Archive the attachment of a letter template, which creates a new version of the template',
        params: OfAttachment,
        body: Type.Object({ archived_by: Uuid }),
        response: { 204: NoContent },
      },
    },
    async (request, reply) => {
      await archiveLetterAttachment(app, request.params.letter_attachment_id, request.body.archived_by);
      return reply.code(204).send(null);
    },
  );
}
