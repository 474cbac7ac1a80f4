import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { longLetter } from '../../../test/kit/samples/letter-samples.ts';
import { address, firstPage, laterPage, makePdf, rawPdf } from '../../../test/kit/samples/pdf-samples.ts';
import { readPrecompiled } from '../pdf/pdf-check.ts';
import { linesIn } from '../pdf/pdf-text.ts';
import { withPdf } from '../pdf/pdfium.ts';
import { drawLetter } from './pdf.ts';
import { rewritePrecompiled } from './rewrite.ts';

const corner = { left: 0, top: 0, right: 15.191, bottom: 6.149 };
const paper = { left: 0, top: 0, right: 210, bottom: 297 };
const linesOf = (pdf: Uint8Array, page: number, box = paper) =>
  withPdf(pdf, (file) => file.page(page, (shown) => linesIn(shown, box)));

describe('rewritePrecompiled', () => {
  it('replaces the address and keeps everything else', async () => {
    const checked = ['MS A PENNY', '12 Post Office Lane', 'LL61 5UJ'];
    const pdf = await rewritePrecompiled(await makePdf([firstPage(), laterPage()]), checked, gbGeometry);
    expect(await readPrecompiled(pdf, 'letter', gbGeometry)).toMatchObject({
      page_count: 2,
      message: null,
      address_lines: checked,
    });
    expect(await linesOf(pdf, 1)).toEqual(['NOTIFY', ...checked, 'Dear Ms Penny']);
    expect(await linesOf(pdf, 2)).toEqual(['More of the letter']);
    expect(await linesOf(pdf, 2, corner)).toEqual([]);
  });

  it('keeps a long line inside the window', async () => {
    const long = ['A'.repeat(90), 'B', 'LL61 5UJ'];
    const pdf = await rewritePrecompiled(await makePdf([firstPage()]), long, gbGeometry);
    expect(await readPrecompiled(pdf, 'letter', gbGeometry)).toMatchObject({ message: null, address_lines: long });
  });

  it.each([90, 270] as const)('does so on a page rotated by %i degrees', async (rotate) => {
    const pdf = await rewritePrecompiled(await makePdf([{ width: 297, height: 210, rotate }]), address, gbGeometry);
    expect(await readPrecompiled(pdf, 'letter', gbGeometry)).toMatchObject({ message: null, address_lines: address });
    expect(await linesOf(pdf, 1, corner)).toEqual(['NOTIFY']);
  });

  it('adds no second tag', async () => {
    const { pdf } = await drawLetter(longLetter, { purpose: 'print', geometry: gbGeometry });
    expect(await linesOf(await rewritePrecompiled(pdf, address, gbGeometry), 1, corner)).toEqual(['NOTIFY']);
  });

  it('drops scripts and links, and keeps form values', async () => {
    const appearance = 'BT /F 10 Tf 2 2 Td (Filled in) Tj ET';
    const pdf = rawPdf([
      '<< /Type /Catalog /Pages 2 0 R /OpenAction << /S /JavaScript /JS (app.alert\\(1\\)) >> /AcroForm << /Fields [4 0 R] >> >>',
      '<< /Type /Pages /Kids [3 0 R] /Count 1 >>',
      '<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595.28 841.89] /Annots [4 0 R] >>',
      `<< /Type /Annot /Subtype /Widget /FT /Tx /T (a) /V (Filled in) /F 4 /Rect [60 400 200 420] /AP << /N 5 0 R >>
        /A << /S /JavaScript /JS (app.alert\\(2\\)) >> >>`,
      `<< /Type /XObject /Subtype /Form /BBox [0 0 140 20] /Resources << /Font << /F 6 0 R >> >> /Length ${appearance.length} >>\nstream\n${appearance}\nendstream`,
      '<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>',
    ]);
    const rewritten = await rewritePrecompiled(pdf, address, gbGeometry);
    expect(Buffer.from(rewritten).toString('latin1')).not.toContain('JavaScript');
    expect(await linesOf(rewritten, 1)).toEqual(['NOTIFY', ...address, 'Filled in']);
  });

  it('is deterministic', async () => {
    const pdf = await makePdf([firstPage()]);
    expect(
      Buffer.compare(
        await rewritePrecompiled(pdf, address, gbGeometry),
        await rewritePrecompiled(pdf, address, gbGeometry),
      ),
    ).toBe(0);
  });
});
