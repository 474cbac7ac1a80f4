import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import {
  heading,
  item,
  letter,
  list,
  longLetter,
  pageBreak,
  paragraph,
  part,
  plainLetter,
  qrLetter,
  sampleLetters,
  sampleLogo,
  welshLetter,
} from '../../../test/kit/samples/letter-samples.ts';
import { printableBoxes, sheetsOf } from '../pdf/letter-geometry.ts';
import { readPrecompiled } from '../pdf/pdf-check.ts';
import { pageToPng } from '../pdf/pdf-image.ts';
import { linesIn } from '../pdf/pdf-text.ts';
import { withPdf } from '../pdf/pdfium.ts';
import type { LetterDocument } from './model.ts';
import { type DrawLetterOptions, drawLetter } from './pdf.ts';

const print: DrawLetterOptions = { purpose: 'print', geometry: gbGeometry };
const everything = { left: 0, top: 0, right: 210, bottom: 297 };

const pageLines = (pdf: Uint8Array, page: number, box = everything) =>
  withPdf(pdf, (file) => file.page(page, (shown) => linesIn(shown, box)));

async function textOf(document: LetterDocument, options = print): Promise<string[]> {
  const { pdf, page_count } = await drawLetter(document, options);
  const pages = Array.from({ length: page_count }, (_, index) => pageLines(pdf, index + 1));
  return (await Promise.all(pages)).map((lines) => lines.join('\n'));
}

describe('a printed letter passes the checks of the printer', () => {
  const printed = sampleLetters.filter(([, , options]) => options.purpose === 'print');

  it.each(printed)(
    '%s: the check for uploaded letters passes and finds the address in the window',
    async (_, document, options) => {
      const { pdf, page_count } = await drawLetter(document, options);
      expect(await readPrecompiled(pdf, 'letter', gbGeometry)).toEqual({
        page_count,
        message: null,
        invalid_pages: null,
        address_lines: ['MS ANGHARAD PENNY', '12 POST OFFICE LANE', 'LLANFAIR PWLLGWYNGYLL', 'YNYS MÔN', 'LL61 5UJ'],
      });
    },
  );

  it('keeps the longest lines inside the printable area', async () => {
    const wide = 'Llanfairpwllgwyngyllgogerychwyrndrobwllllantysiliogogogoch '.repeat(6);
    const document = letter({
      address: [1, 2, 3, 4, 5, 6, 7].map((n) => [{ kind: 'text', text: `${n} ${wide.slice(0, 100)}` }]),
      contact_block: Array.from({ length: 30 }, () => [{ kind: 'text' as const, text: wide.slice(0, 60) }]),
      subject: [{ kind: 'text', text: wide.replaceAll(' ', '') }],
      blocks: [
        paragraph(wide.replaceAll(' ', '')),
        list(true, ...Array.from({ length: 120 }, () => item(wide, list(false, wide)))),
      ],
    });
    const { pdf, page_count } = await drawLetter(document, print);
    expect(page_count).toBeGreaterThan(10);
    const outside = await withPdf(pdf, (file) =>
      Array.from({ length: page_count }, (_, index) =>
        file.page(index + 1, (page) => {
          const boxes = printableBoxes(gbGeometry, { first_of_letter: index === 0 });
          return page.characters().filter(({ character, left, right, baseline }) => {
            const tag = baseline < 5 && left < 15;
            const inside = boxes.some(
              (box) =>
                left >= box.left - 0.2 && right <= box.right + 0.2 && baseline > box.top && baseline < box.bottom,
            );
            return character !== ' ' && !tag && !inside;
          });
        }),
      ).flat(),
    );
    expect(outside).toEqual([]);
  });

  it('has the tag in white on its first page only, the second language included', async () => {
    const { pdf } = await drawLetter(welshLetter, print);
    const corner = { left: 0, top: 0, right: 15.191, bottom: 6.149 };
    expect(await pageLines(pdf, 1, corner)).toEqual(['NOTIFY']);
    expect(await pageLines(pdf, 2, corner)).toEqual([]);
    const image = PNG.sync.read(Buffer.from(await pageToPng(pdf, 1)));
    for (let y = 0; y < 40; y++) {
      for (let x = 0; x < 90; x++) expect(image.data[(y * image.width + x) * 4]).toBe(255);
    }
  });

  it('has no tag in a preview, but sample machine marks', async () => {
    const { pdf } = await drawLetter(plainLetter, { purpose: 'preview', geometry: gbGeometry });
    expect(await pageLines(pdf, 1, { left: 0, top: 0, right: 20, bottom: 10 })).toEqual([]);
    expect((await readPrecompiled(pdf, 'letter', gbGeometry)).message).toBe('content-outside-printable-area');
  });

  it('embeds its fonts, names no other, and uses inks rather than screen colours', async () => {
    const { pdf } = await drawLetter(welshLetter, { ...print, logo: sampleLogo });
    const source = Buffer.from(pdf).toString('latin1');
    expect(source.startsWith('%PDF-1.7')).toBe(true);
    expect(source.match(/\/FontFile2/g)).toHaveLength(2);
    expect([...new Set(source.match(/\/BaseFont \/\S+/g))]).toEqual([
      expect.stringMatching(/^\/BaseFont \/[A-Z]{6}\+Arimo-Regular$/),
      expect.stringMatching(/^\/BaseFont \/[A-Z]{6}\+Arimo-Bold$/),
    ]);
    expect(source).not.toContain('/DeviceRGB');
  });
});

describe('determinism', () => {
  it.each(sampleLetters)('%s gives the same bytes', async (_, document, options) => {
    const [first, second] = [await drawLetter(document, options), await drawLetter(structuredClone(document), options)];
    expect(Buffer.compare(first.pdf, second.pdf)).toBe(0);
  });

  it('contains the given date', async () => {
    const created_at = new Date('2026-11-14T12:34:56Z');
    const { pdf } = await drawLetter(plainLetter, { ...print, created_at });
    expect(Buffer.from(pdf).toString('latin1')).toContain('D:20261114123456Z');
  });
});

describe('what assistive technology reads', () => {
  it('has the parts of the letter as structure, in their languages', async () => {
    const { pdf } = await drawLetter(welshLetter, { ...print, logo: sampleLogo });
    const source = Buffer.from(pdf).toString('latin1');
    expect(source).toMatch(/\/MarkInfo|\/Marked true/);
    const roles = [...source.matchAll(/\/S \/(\w+)/g)].map((match) => match[1]);
    const once = [
      'Figure',
      'P',
      'P',
      'P',
      'H1',
      'P',
      'P',
      'LI',
      'Lbl',
      'LBody',
      'LI',
      'Lbl',
      'LBody',
      'L',
      'P',
      'P',
      'Part',
    ];
    expect(roles.filter((role) => role === 'Part')).toHaveLength(2);
    expect(roles.filter((role) => role === 'H1')).toHaveLength(2);
    expect(roles.filter((role) => role === 'LBody')).toHaveLength(4);
    expect(roles.filter((role) => role === 'Figure')).toHaveLength(2);
    expect(new Set(roles)).toEqual(new Set([...once, 'Document']));
    expect(source).toContain('/Lang (cy)');
    expect(source).toContain('/Lang (en-GB)');
    expect(source).toContain('/Alt (Borough of Example)');
    expect(source).toContain('/DisplayDocTitle true');
  });

  it('reads every word, Welsh letters included, with spaces between lines', async () => {
    const [welsh] = await textOf(welshLetter);
    expect(welsh?.replace(/\s+/g, ' ')).toContain('ÂÊÎÔÛŴŶ âêîôûŵŷ ẁẃẅ ỳýÿ.');
    expect(welsh?.replace(/\s+/g, ' ')).toContain('Mae’r gŵr yn y tŷ hŷn yn gwybod am y cynllun');
  });
});

describe('pages', () => {
  it('are numbered per part, in its language', async () => {
    const pages = await textOf(welshLetter);
    expect(pages.map((page) => page.split('\n').at(-1))).toEqual(['Tudalen 1 o 1', 'Page 1 of 1']);
    const long = await textOf(longLetter);
    expect(long.map((page) => page.split('\n').at(-1))).toEqual(['Page 1 of 3', 'Page 2 of 3', 'Page 3 of 3']);
  });

  it('are counted in total and for Welsh', async () => {
    expect(await drawLetter(welshLetter, print)).toMatchObject({ page_count: 2, welsh_page_count: 1 });
    expect(await drawLetter(longLetter, print)).toMatchObject({ page_count: 3, welsh_page_count: 0 });
  });

  it.each([
    ['at the end', [paragraph('a'), pageBreak], 1],
    ['twice in a row', [paragraph('a'), pageBreak, pageBreak, paragraph('b')], 2],
    ['first', [pageBreak, paragraph('a')], 2],
    ['nowhere', [], 1],
  ])('breaks %s', async (_, blocks, count) => {
    expect(await drawLetter(letter({ blocks }), print)).toMatchObject({ page_count: count });
  });

  it('never end with a heading', async () => {
    for (let lines = 20; lines < 30; lines++) {
      const blocks = [
        ...Array.from({ length: lines }, (_, n) => paragraph(`Line ${n}`)),
        heading('Below'),
        paragraph('Text'),
      ];
      const pages = await textOf(letter({ blocks }));
      const [page] = pages.filter((text) => text.includes('Below'));
      expect(page).toMatch(/Below\nText/);
    }
  });

  it('have no widows or orphans', async () => {
    const lines = 'Every one of these lines is about as wide as the page of this letter. '.repeat(5);
    for (let before = 18; before < 28; before++) {
      const blocks = [...Array.from({ length: before }, (_, n) => paragraph(`Line ${n}`)), paragraph(lines)];
      const pages = await textOf(letter({ blocks }));
      for (const page of pages) {
        const here = page.split('\n').filter((line) => /Every|these|page of|letter/.test(line) && !/^Line/.test(line));
        expect(here.length, page).not.toBe(1);
      }
    }
  });

  it('number list items from one, next to their first line', async () => {
    const [page] = await textOf(
      letter({ blocks: [list(true, ...Array.from({ length: 12 }, (_, n) => `item ${n + 1}`))] }),
    );
    for (let n = 1; n <= 12; n++) expect(page).toContain(`${n}. item ${n}`);
  });

  it.each([
    [1, 1],
    [2, 1],
    [3, 2],
    [10, 5],
  ])('%i fit on %i sheets', (pages, sheets) => expect(sheetsOf(pages)).toBe(sheets));
});

describe('address and contact block', () => {
  it('scale a long address down to fit the window', async () => {
    const line = 'A very long line of an address that does not fit into the width of the window at all';
    const { pdf } = await drawLetter(
      letter({ address: Array.from({ length: 7 }, () => [{ kind: 'text', text: line }]) }),
      print,
    );
    const inside = await pageLines(pdf, 1, gbGeometry.firstPage.address);
    expect(inside.join(' ')).toBe(Array.from({ length: 7 }, () => line.toUpperCase()).join(' '));
  });

  it('keep the empty lines of a contact block', async () => {
    const { pdf } = await drawLetter(qrLetter, print);
    const block = await withPdf(pdf, (file) =>
      file.page(1, (page) => page.characters().filter(({ left, baseline }) => left > 125 && baseline < 95)),
    );
    const baselines = [...new Set(block.map(({ baseline }) => Math.round(baseline * 100) / 100))].sort((a, b) => a - b);
    const gaps = baselines.slice(1).map((y, index) => Math.round(((y - (baselines[index] ?? 0)) / 25.4) * 72));
    expect(gaps).toEqual([12, 12, 12, 12, 24, 12]);
  });
});

describe('unusual letters', () => {
  it('need at least one part', async () => {
    await expect(drawLetter({ parts: [] }, print)).rejects.toThrow('at least one part');
  });

  it('may be empty', async () => {
    const document = { parts: [part({ address: [], subject: [], date: '', blocks: [] })] };
    expect(await textOf(document)).toEqual(['NOTIFY\nPage 1 of 1']);
  });

  it('may contain list items without text, and paragraphs inside items', async () => {
    const odd = list(
      false,
      { inlines: [], blocks: [] },
      { inlines: [], blocks: [paragraph('borrowed')] },
      item('own', paragraph('more')),
    );
    const [page] = await textOf(letter({ blocks: [odd] }));
    expect(page).toContain('•\n• borrowed\n• own\nmore');
  });

  it('may contain characters that the font lacks', async () => {
    expect((await drawLetter(letter({ blocks: [paragraph('日本語 👍 ‮ \u{10ffff}')] }), print)).page_count).toBe(1);
  });
});

// poppler is optional; where it is installed, it must extract the same text and fonts.
const poppler = spawnSync('pdftotext', ['-v']).error === undefined;
if (poppler) {
  describe('poppler reads the same letter', () => {
    const read = async (command: string, ...after: string[]) => {
      const folder = mkdtempSync(join(tmpdir(), 'letter-'));
      const file = join(folder, 'letter.pdf');
      writeFileSync(file, (await drawLetter(welshLetter, { ...print, logo: sampleLogo })).pdf);
      const output = execFileSync(command, [file, ...after], { encoding: 'utf8' });
      rmSync(folder, { recursive: true });
      return output;
    };

    it('pdffonts: every font is embedded and maps to Unicode', async () => {
      const rows = (await read('pdffonts')).trim().split('\n').slice(2);
      expect(rows).toHaveLength(2);
      for (const row of rows) expect(row).toMatch(/\+Arimo-(Regular|Bold)\s.*\byes yes yes\b/);
    });

    it('pdftotext: the text is there, in reading order', async () => {
      const words = (await read('pdftotext', '-')).replace(/\s+/g, ' ');
      expect(words).toContain('LL61 5UJ');
      expect(words).toContain('Mae’r gŵr yn y tŷ hŷn');
      expect(words.indexOf('Annwyl')).toBeLessThan(words.indexOf('Dear'));
    });
  });
} else {
  it('poppler (pdffonts, pdftotext) is not installed: skipped', () => {
    expect(poppler).toBe(false);
  });
}
