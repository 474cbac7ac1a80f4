import type { Geometry } from '../../countries/letter-geometry.ts';
import type { LetterDocument } from '../letter/model.ts';
import { type DrawLetterOptions, drawLetter } from '../letter/pdf.ts';
import { readPrecompiled } from './pdf-check.ts';
import { withPdf } from './pdfium.ts';

/**
 * The tasks of the PDF threads. Arguments and results must be cloneable between threads. All tasks process untrusted files and logos, so
 * they must run in threads with a time limit: a `WorkerPool` of this module.
 */
export { readLogoPicture } from '../email/logo-picture.ts';
export { checkLogo } from '../letter/logo.ts';
export { rewritePrecompiled } from '../letter/rewrite.ts';
export { readPrecompiled } from './pdf-check.ts';
export { overlayPdf, pageToPng } from './pdf-image.ts';

type ComposeLetterOptions = DrawLetterOptions & {
  /** PDF files whose pages follow the letter. They have passed the check for attachments. */
  attachments?: Uint8Array[];
};

interface ComposedLetter {
  pdf: Uint8Array;
  /** All pages: Welsh, English and attachments. The caller limits the number. */
  page_count: number;
  welsh_page_count: number;
  attachment_page_count: number;
}

export async function composeLetter(letter: LetterDocument, options: ComposeLetterOptions): Promise<ComposedLetter> {
  const { attachments = [], ...drawing } = options;
  const drawn = await drawLetter(letter, drawing);
  if (attachments.length === 0) return { ...drawn, attachment_page_count: 0 };
  return withPdf(drawn.pdf, (file) => {
    const attachment_page_count = attachments.reduce((sum, attachment) => sum + file.append(attachment), 0);
    return { ...drawn, pdf: file.save(), page_count: file.page_count, attachment_page_count };
  });
}

/** Parses the fonts and loads PDFium, so that the first letter of a thread is as fast as the others. */
export async function warmUp(geometry: Geometry): Promise<void> {
  const { pdf } = await drawLetter(
    {
      parts: [
        {
          language: 'english',
          address: [],
          contact_block: [],
          date: '',
          subject: [{ kind: 'text', text: 'Aa' }],
          blocks: [],
        },
      ],
    },
    { purpose: 'print', geometry },
  );
  await readPrecompiled(pdf, 'letter', geometry);
}
