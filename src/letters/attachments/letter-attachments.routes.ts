import { Type } from 'typebox';
import { takesFiles } from '../../platform/http/body/body-limits.ts';
import { NoContent, Uuid } from '../../platform/http/fields.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import { archiveLetterAttachment, getLetterAttachment } from '../../templates/letter-attachments.ts';
import { LetterAttachmentRecord } from '../../templates/template-record.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { attachPages } from './letter-attachments.ts';

const OfAttachment = Type.Object({ letter_attachment_id: Uuid });

export function letterAttachmentRoutes(
  http: Http,
  app: Platform & { pdfThreads: PdfThreads; virusScanner: VirusScanner },
): void {
  http.post(
    '/letter-attachment',
    {
      ...takesFiles,
      schema: {
        summary: 'Attach pages to a letter template, which makes a new version of it',
        body: Type.Object({
          upload_id: Uuid,
          template_id: Uuid,
          created_by_id: Uuid,
          original_filename: Type.String({ minLength: 1 }),
          page_count: Type.Integer({ minimum: 1, description: 'Counted anew from the file' }),
          content: Type.String({ description: 'The PDF, as base64' }),
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
        summary: 'Pages attached to a letter template, archived ones too',
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
        summary: 'Take the attached pages off a letter template, which makes a new version of it',
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
