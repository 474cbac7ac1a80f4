import { letterTooLarge, maximumLetterBytes } from '../../notifications/sending/letter-rules.ts';
import { invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { refuseIfInfected, type VirusScanner } from '../../platform/storage/virus-scan.ts';
import { maximumPages } from '../../rendering/pdf/pdf-check.ts';
import { readUpload } from '../../templates/files/upload.ts';
import {
  createLetterAttachment,
  getServiceOfTemplate,
  type NewAttachmentRequest,
} from '../../templates/letter-attachments.ts';
import type { PdfThreads } from '../pdf-threads.ts';
import { readPages } from '../precompiled.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'files' | 'log'> & { pdfThreads: PdfThreads; virusScanner: VirusScanner };

/** Rejects unprintable pages at upload, not later with each letter that includes them. */
export async function attachPages(app: Deps, request: NewAttachmentRequest & { content: string }) {
  const { content, ...attachment } = request;
  const pdf = readUpload(content);
  refuseIfTooLarge(pdf);
  const serviceId = await getServiceOfTemplate(app.db, attachment.template_id);
  await refuseIfInfected(app.virusScanner, pdf);
  const page_count = await countPrintablePages(app, serviceId, pdf);
  return createLetterAttachment(app, { ...attachment, page_count }, pdf);
}

function refuseIfTooLarge(pdf: Buffer): void {
  if (pdf.length > maximumLetterBytes) throw invalid({ content: [letterTooLarge] });
}

async function countPrintablePages(app: Deps, serviceId: string, pdf: Buffer): Promise<number> {
  const { message, page_count, invalid_pages } = await readPages(
    app.log,
    app.pdfThreads.forRequest(serviceId),
    pdf,
    'attachment',
  );
  if (message !== null) {
    throw invalid({ content: [message], ...(invalid_pages && { invalid_pages: invalid_pages.map(String) }) });
  }
  // The letter itself has at least one page.
  if (page_count === null || page_count >= maximumPages) throw invalid({ content: ['letter-too-long'] });
  return page_count;
}
