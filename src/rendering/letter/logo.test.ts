import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { gbGeometry } from '../../../test/kit/samples/geometries.ts';
import { plainLetter, sampleLogo } from '../../../test/kit/samples/letter-samples.ts';
import { pageToPng } from '../pdf/pdf-image.ts';
import { checkLogo } from './logo.ts';
import { drawLetter } from './pdf.ts';

describe('logos', () => {
  const withLogo = (svg: string) =>
    drawLetter(plainLetter, { purpose: 'preview', geometry: gbGeometry, logo: { svg, name: 'Logo' } });
  /** Bounding box of everything drawn in the logo area, in millimetres. */
  const inkBox = async (svg: string) => {
    const { pdf } = await withLogo(svg);
    const { data, width } = PNG.sync.read(Buffer.from(await pageToPng(pdf, 1)));
    const found = { left: 999, top: 999, right: 0, bottom: 0 };
    const perMm = 150 / 25.4;
    for (let y = 0; y < 33 * perMm; y++) {
      for (let x = Math.round(11 * perMm); x < 124 * perMm; x++) {
        if ((data[(Math.floor(y) * width + x) * 4] ?? 255) > 200) continue;
        found.left = Math.min(found.left, x / perMm);
        found.right = Math.max(found.right, (x + 1) / perMm);
        found.top = Math.min(found.top, y / perMm);
        found.bottom = Math.max(found.bottom, (y + 1) / perMm);
      }
    }
    return Object.fromEntries(Object.entries(found).map(([side, mm]) => [side, Math.round(mm)]));
  };
  const box = (attributes: string, w: number, h: number) =>
    `<svg xmlns="http://www.w3.org/2000/svg" ${attributes}><rect width="${w}" height="${h}" fill="#000"/></svg>`;

  it.each([
    ['wide', box('viewBox="0 0 700 100"', 700, 100), { left: 15, top: 10, right: 85, bottom: 20 }],
    ['tall', box('viewBox="0 0 100 100"', 100, 100), { left: 15, top: 10, right: 33, bottom: 28 }],
    [
      'sized in pixels, without a viewBox',
      box('width="1400px" height="360px"', 1400, 360),
      { left: 15, top: 10, right: 85, bottom: 28 },
    ],
    [
      'sized in millimetres, without a viewBox',
      box('width="35mm" height="9mm"', 200, 200),
      { left: 15, top: 10, right: 85, bottom: 28 },
    ],
    ['larger than its frame', box('viewBox="0 0 700 180"', 9000, 9000), { left: 15, top: 10, right: 85, bottom: 28 }],
  ])('%s: fill their area from the top left corner', async (_, svg, expected) => {
    expect(await inkBox(svg)).toEqual(expected);
  });

  it('do not load files or URLs referenced by an SVG', async () => {
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 70 18"><image href="/etc/passwd" width="70" height="18"/><image href="http://127.0.0.1:9/x.png" width="70" height="18"/><rect width="10" height="10"/></svg>`;
    expect(await inkBox(svg)).toEqual({ left: 15, top: 10, right: 25, bottom: 20 });
  });

  const harmless = `<?xml version="1.0"?>
    <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
    <svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" viewBox="0 0 9 9">
    <style>.a { fill: url(#g) }</style><defs><linearGradient id="g"><stop stop-color="#000"/></linearGradient></defs>
    <rect id="r" class="a" width="4" height="4" fill="url('#g')"/><use xlink:href="#r"/><text y="9">Ink &amp; paper</text></svg>`;

  it.each([
    ['a good one', sampleLogo.svg, null],
    ['text, styles and references to itself', harmless, null],
    ['a picture', '<svg viewBox="0 0 9 9"><image href="x.png"/></svg>', 'has-picture'],
    [
      'a picture inside of it',
      '<svg viewBox="0 0 9 9"><svg:image xlink:href="data:image/png;base64,AA"/></svg>',
      'has-picture',
    ],
    ['a script', '<svg viewBox="0 0 9 9"><script>alert(1)</script></svg>', 'has-script'],
    ['a script with a prefix', '<svg><s:SCRIPT xmlns:s="http://www.w3.org/2000/svg"/></svg>', 'has-script'],
    ['a link that runs', '<svg><a href="&#106;ava&#10;script:alert(1)"><rect/></a></svg>', 'has-script'],
    ['an event handler', '<svg viewBox="0 0 9 9" onload="alert(1)"/>', 'has-event-handler'],
    ['HTML', '<svg viewBox="0 0 9 9"><foreignObject><p>Hello</p></foreignObject></svg>', 'has-foreign-content'],
    ['an animation', '<svg><rect><set attributeName="href" to="x"/></rect></svg>', 'has-animation'],
    ['a reference', '<svg><use href="https://evil.example/a.svg#x"/></svg>', 'has-reference'],
    ['a reference in a style', '<svg><rect style="fill: url(https://evil.example/x)"/></svg>', 'has-reference'],
    ['an import', '<svg><style>@import "https://evil.example";</style></svg>', 'has-reference'],
    ['an import, hidden', '<svg><style><![CDATA[@\\69mport "x";]]></style></svg>', 'has-reference'],
    ['a style sheet', '<?xml-stylesheet href="x.css"?><svg/>', 'has-reference'],
    ['entities', '<!DOCTYPE svg [<!ENTITY a "b">]><svg>&a;</svg>', 'has-entities'],
    ['another root', '<html><svg viewBox="0 0 9 9"/></html>', 'not-an-svg'],
    ['an open element', '<svg viewBox="0 0 9 9"><g></svg>', 'not-an-svg'],
    ['no text at all', '', 'not-an-svg'],
    ['text', 'not an svg at all', 'not-an-svg'],
    ['a beginning', '<svg', 'not-an-svg'],
    ['no size', '<svg viewBox="0 0 0 0"><path d="M0 0L1 1"/></svg>', 'cannot-be-drawn'],
    ['itself inside itself', '<svg viewBox="0 0 9 9"><g id="a"><use href="#a"/></g></svg>', null],
    ['many beginnings', '<svg '.repeat(199_000), 'not-an-svg'],
    ['too much', `<svg>${' '.repeat(1_000_001)}</svg>`, 'too-large'],
  ])('are validated: %s', async (_, svg, problem) => {
    expect(await checkLogo(svg)).toBe(problem);
  });
});
