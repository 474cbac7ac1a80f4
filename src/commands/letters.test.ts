import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, describe, expect, it, vi } from 'vitest';
import { createCountry } from '../countries/country.ts';
import { linesIn } from '../rendering/pdf/pdf-text.ts';
import { withPdf } from '../rendering/pdf/pdfium.ts';
import { letters } from './letters.ts';
import { readCountry } from './read-config.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-grid-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
afterEach(() => vi.unstubAllEnvs());

describe('pennypost letters grid', () => {
  it.each([
    ['gb', 'A4, gb-c5, United Kingdom'],
    ['nl', 'A4, nl-c5, Netherlands'],
    ['de', 'A4, din-5008-b, Germany'],
    ['us', 'US Letter, us-10, United States'],
  ])('writes a page for an envelope of %s', async (code, described) => {
    vi.stubEnv('COUNTRY', code);
    const printed = vi.spyOn(process.stdout, 'write').mockReturnValue(true);
    const file = join(folder, `${code}.pdf`);
    await letters.run(['grid', file], {});
    const text = printed.mock.calls.join('');
    printed.mockRestore();
    expect(text).toBe(`Wrote ${file}: ${described}.\n`);
    const { geometry } = createCountry(readCountry({ COUNTRY: code }).profile).letter;
    const page = await withPdf(readFileSync(file), (pdf) =>
      pdf.page(1, (shown) => ({
        size: [Math.round(shown.width_mm * 10) / 10, Math.round(shown.height_mm * 10) / 10],
        inWindow: linesIn(shown, geometry.firstPage.address),
      })),
    );
    expect(page.size).toEqual([geometry.paper.width_mm, geometry.paper.height_mm]);
    expect(page.inWindow).toEqual([
      'FIRST LINE OF THE ADDRESS',
      'SECOND LINE',
      'THIRD LINE',
      'FOURTH LINE',
      'FIFTH LINE',
    ]);
  });

  it('knows no other action', async () => {
    await expect(letters.run(['print', 'x.pdf'], {})).rejects.toThrow('Unknown action "print"');
  });
});
