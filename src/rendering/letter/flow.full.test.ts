import { createRequire } from 'node:module';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { letter, paragraph, qrCode, qrLetter } from '../../../test/kit/samples/letter-samples.ts';
import { readPrecompiled } from '../pdf/pdf-check.ts';
import { pageToPng } from '../pdf/pdf-image.ts';
import { type DrawLetterOptions, drawLetter } from './pdf.ts';

// A CommonJS module, which TypeScript and the test runner import differently.
const readQrCode: typeof import('jsqr').default = createRequire(import.meta.url)('jsqr');
const print: DrawLetterOptions = { purpose: 'print', geometry: gbGeometry };

describe('QR codes', () => {
  const decode = async (data: string) => {
    const { pdf } = await drawLetter(
      letter({ blocks: [paragraph('Scan this:'), qrCode(data), paragraph('Thank you')] }),
      print,
    );
    expect((await readPrecompiled(pdf, 'letter', gbGeometry)).message).toBeNull();
    const { data: pixels, width, height } = PNG.sync.read(Buffer.from(await pageToPng(pdf, 1)));
    return readQrCode(new Uint8ClampedArray(pixels), width, height);
  };

  it.each([
    ['a link', 'https://www.example.gov.uk/decision?claim=AB123456C'],
    ['one letter', 'A'],
    ['digits', '01234567890123456789'],
    ['a link of 499 bytes', `https://example.gov.uk/${'a1-'.repeat(159)}`.slice(0, 499)],
    ['500 bytes', 'x'.repeat(500)],
    ['500 characters of two bytes', 'ŵ'.repeat(500)],
    ['500 characters of four bytes', '👍'.repeat(500)],
    ['signs of many kinds', 'Tŷ’r Gŵyl £5 & “more” – ünïcödé ✓'],
  ])('of %s can be scanned from the image', async (_, data) => {
    const code = await decode(data);
    expect(Buffer.from(code?.binaryData ?? []).toString('utf8')).toBe(data);
  });

  it('has its data as alternative text', async () => {
    const { pdf } = await drawLetter(qrLetter, print);
    expect(Buffer.from(pdf).toString('latin1')).toContain(
      '/Alt (QR code: https://www.example.gov.uk/decision?claim=AB123456C)',
    );
  });
});
