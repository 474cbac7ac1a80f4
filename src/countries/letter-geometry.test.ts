import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { gbGeometry, geometryOf } from '../../test/kit/samples/geometries.ts';
import { gb } from './gb.ts';
import { findWindowProblems } from './letter-geometry.ts';
import { loadCountry } from './loading/load-country.ts';

describe('the paper of a letter', () => {
  it('has the dimensions of the protocol in the United Kingdom', () => {
    expect(gbGeometry).toEqual({
      paper: { name: 'A4', size: 'A4', width_mm: 210, height_mm: 297 },
      printable: { left: 15, top: 5, right: 195, bottom: 292 },
      firstPage: {
        logo: { left: 15, top: 5, right: 125, bottom: 30 },
        address: { left: 24.6, top: 39.5, right: 120, bottom: 66.3 },
        contactBlock: { left: 125, top: 5, right: 195, bottom: 95 },
        body: { left: 15, top: 95, right: 195, bottom: 292 },
        more: [],
      },
      tag: { word: 'NOTIFY', area: { left: 0, top: 0, right: 15.191, bottom: 6.149 }, left: 3, baseline: 4.5 },
      layout: {
        logo: { left: 15, top: 10, width: 70, height: 18 },
        address: { left: 24.7, top: 39.6, width: 85, height: 26.6, size_pt: 8, leading_pt: 8.5 },
        contactBlock: { left: 125, top: 10, width: 70, height: 84 },
        bodyLeft: 15,
        bodyWidth: 137.5,
        firstPageBodyTop: 104,
        laterPageBodyTop: 15,
        bodyBottom: 282,
        footerRight: 195,
        footerBaseline: 288,
      },
      marks: { codes: true, folds: [], holes: [] },
    });
  });

  it('moves the right and lower edges with the paper', () => {
    const { firstPage, layout } = geometryOf('gb-c5', 'letter');
    expect(firstPage.address).toEqual(gbGeometry.firstPage.address);
    expect(firstPage.body).toEqual({ left: 15, top: 95, right: 200.9, bottom: 274.4 });
    expect(layout).toMatchObject({ footerRight: 200.9, bodyBottom: 264.4, footerBaseline: 270.4 });
  });

  it.each([
    ['nl-c5', 'a4'],
    ['din-5008-a', 'a4'],
    ['din-5008-b', 'a4'],
    ['us-10', 'letter'],
  ] as const)('%s puts the parts of a letter into areas that do not overlap', (window, paper) => {
    const { firstPage, layout } = geometryOf(window, paper);
    const { more, ...areas } = firstPage;
    const boxes = [...Object.values(areas), ...more];
    for (const [index, a] of boxes.entries()) {
      for (const b of boxes.slice(index + 1)) {
        expect(a.left >= b.right || b.left >= a.right || a.top >= b.bottom || b.top >= a.bottom).toBe(true);
      }
    }
    for (const name of ['logo', 'address', 'contactBlock'] as const) {
      const { left, top, width, height } = layout[name];
      const area = areas[name];
      expect(left).toBeGreaterThanOrEqual(area.left);
      expect(top).toBeGreaterThanOrEqual(area.top);
      expect(left + width).toBeLessThanOrEqual(area.right + 0.001);
      expect(top + height).toBeLessThanOrEqual(area.bottom + 0.001);
    }
    expect(layout.bodyLeft + layout.bodyWidth).toBeLessThanOrEqual(areas.body.right);
    expect(layout.firstPageBodyTop).toBeGreaterThanOrEqual(areas.body.top);
  });
});

describe('a window of an own profile', () => {
  const own = {
    logo: { left: 10, top: 10, right: 100, bottom: 40 },
    address: { left: 110, top: 45, right: 200, bottom: 75 },
    contactBlock: { left: 110, top: 10, right: 200, bottom: 40 },
    body: { left: 20, top: 100, right: 190, bottom: 280 },
  };

  it('gives the areas of the first page; later pages begin as high', () => {
    const geometry = geometryOf(own);
    expect(geometry.firstPage).toEqual({ ...own, more: [] });
    expect(geometry.printable).toEqual({ left: 20, top: 10, right: 190, bottom: 280 });
    expect(geometry.layout.address).toMatchObject({ left: 110.1, top: 45.1, width: 85, height: 29.8 });
    expect(geometry.marks).toEqual({ codes: false, folds: [], holes: [] });
  });

  it.each([
    ['body', { bottom: 298 }, 'must lie on the paper, which is 210 by 297 mm'],
    ['address', { right: 130 }, 'must be at least 50 mm wide and 15 mm high'],
    ['logo', { right: 120 }, 'must not overlap letter.window.contactBlock'],
  ] as const)('is refused if its %s cannot be printed', (name, change, text) => {
    const window = { ...own, [name]: { ...own[name], ...change } };
    expect(findWindowProblems({ ...gb.letter, window })).toEqual([{ path: `letter.window.${name}`, text }]);
    const file = join(mkdtempSync(join(tmpdir(), 'country-')), 'country.json');
    writeFileSync(file, JSON.stringify({ extends: 'nl', code: 'x-own', letter: { window } }));
    expect(loadCountry({ file }).problems).toEqual([expect.stringContaining(`letter.window.${name} ${text}`)]);
  });
});
