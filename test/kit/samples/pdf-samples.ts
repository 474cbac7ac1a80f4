import PDFDocument from 'pdfkit';

/** Untrusted PDF uploads, valid and invalid. Distances in millimetres from the top left corner. */

const mm = (value: number) => (value * 72) / 25.4;

interface Page {
  width?: number;
  height?: number;
  /** Rotation of the page when it is displayed. */
  rotate?: 0 | 90 | 180 | 270;
  draw?: (page: ReturnType<typeof pen>) => void;
}

interface Options {
  password?: string;
  ownerPassword?: string;
}

export function makePdf(pages: Page[], options: Options = {}): Promise<Uint8Array> {
  const document = new PDFDocument({
    autoFirstPage: false,
    margin: 0,
    font: 'Helvetica',
    userPassword: options.password,
    ownerPassword: options.ownerPassword,
  });
  const chunks: Buffer[] = [];
  document.on('data', (chunk) => chunks.push(chunk));
  const done = new Promise<Uint8Array>((resolve) => {
    document.on('end', () => resolve(new Uint8Array(Buffer.concat(chunks))));
  });
  for (const page of pages) {
    document.addPage({ size: [mm(page.width ?? 210), mm(page.height ?? 297)], margin: 0 });
    if (page.rotate) Object.assign(document.page.dictionary.data, { Rotate: page.rotate });
    page.draw?.(pen(document));
  }
  document.end();
  return done;
}

function pen(document: PDFKit.PDFDocument) {
  return {
    document,
    text(words: string, left: number, baseline: number, { size = 10, color = 'black' } = {}): void {
      document.fillColor(color).fontSize(size);
      document.text(words, mm(left), mm(baseline), { lineBreak: false, baseline: 'alphabetic' });
    },
    rectangle(left: number, top: number, width: number, height: number, color = 'black'): void {
      document.rect(mm(left), mm(top), mm(width), mm(height)).fill(color);
    },
  };
}

export const address = ['Ms Angharad Penny', '12 Post Office Lane', 'Llanfair Pwllgwyngyll', 'LL61 5UJ'];

/** A valid first page, with space for more content. */
export const firstPage = (lines = address, more: Page['draw'] = () => {}): Page => ({
  draw(page) {
    for (const [index, line] of lines.entries()) page.text(line, 26, 44 + index * 3.2, { size: 8 });
    page.text('Dear Ms Penny', 20, 110);
    more(page);
  },
});

export const laterPage = (more: Page['draw'] = () => {}): Page => ({
  draw(page) {
    page.text('More of the letter', 20, 30);
    more(page);
  },
});

/** A PDF written by hand: objects as text, numbered from 1, the first one the catalogue. */
export function rawPdf(objects: string[], trailer = ''): Uint8Array {
  let body = '%PDF-1.7\n';
  const offsets = objects.map((object, index) => {
    const offset = body.length;
    body += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return offset;
  });
  const start = body.length;
  const entries = offsets.map((offset) => `${String(offset).padStart(10, '0')} 00000 n \n`).join('');
  body += `xref\n0 ${objects.length + 1}\n0000000000 65535 f \n${entries}`;
  body += `trailer\n<< /Size ${objects.length + 1} /Root 1 0 R ${trailer} >>\nstartxref\n${start}\n%%EOF\n`;
  return new Uint8Array(Buffer.from(body, 'latin1'));
}
