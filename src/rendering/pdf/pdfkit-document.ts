import PDFDocument from 'pdfkit';
import { registerFonts } from './letter-fonts.ts';

/** The default date of a file. It is fixed, so that the same letter always gives the same bytes. */
const fixedDate = new Date('2000-01-01T00:00:00Z');

/** Returns an empty PDF with the letter fonts, and a promise of its bytes. The output depends only on the input. */
export function openDocument(
  options: PDFKit.PDFDocumentOptions,
  created_at = fixedDate,
): { document: PDFKit.PDFDocument; bytes: Promise<Uint8Array> } {
  const document = new PDFDocument({
    margin: 0,
    autoFirstPage: false,
    // Without this, the file would refer to Helvetica without embedding it.
    font: '',
    pdfVersion: '1.7',
    ...options,
    info: { Producer: 'Pennypost', Creator: 'Pennypost', CreationDate: created_at, ...options.info },
  });
  registerFonts(document);
  const chunks: Uint8Array[] = [];
  const bytes = new Promise<Uint8Array>((resolve, reject) => {
    document.on('data', (chunk: Uint8Array) => chunks.push(chunk));
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
    document.on('error', reject);
  });
  return { document, bytes };
}
