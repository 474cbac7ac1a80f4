import PDFDocument from 'pdfkit';

/**
 * The comparison for letters, in the same kind of thread: paragraphs drawn with pdfkit alone, in a font that every viewer has.
 * No logo, address window, tags or embedded fonts.
 */
export function drawPlainPdf(pages: string[][]): Promise<Uint8Array> {
  return new Promise((resolve, reject) => {
    const document = new PDFDocument({ size: 'A4', autoFirstPage: false });
    const chunks: Buffer[] = [];
    document.on('data', (chunk: Buffer) => chunks.push(chunk));
    document.on('end', () => resolve(Buffer.concat(chunks)));
    document.on('error', reject);
    for (const paragraphs of pages) {
      document.addPage().font('Helvetica').fontSize(11);
      for (const paragraph of paragraphs) document.text(paragraph).moveDown();
    }
    document.end();
  });
}
