import { SaxesParser, type SaxesTagPlain } from 'saxes';
import SVGtoPDF from 'svg-to-pdfkit';
import type { Geometry } from '../../countries/letter-geometry.ts';
import { mm } from '../pdf/letter-geometry.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import { type Ink, inkFor } from './ink.ts';

/** Logos of a few hundred kilobytes are already unusual; larger drawings would slow down every letter. */
const limit_characters = 1_000_000;

export type LogoProblem = 'too-large' | 'cannot-be-drawn' | SvgProblem;

/**
 * Draws an SVG logo as vector shapes at its position, from the top left corner, keeping its proportions. Images in the SVG are ignored: a
 * link would let the file read from the server's disk or network.
 */
export function drawLogo(
  document: PDFKit.PDFDocument,
  svg: string,
  ink: Ink,
  { left, top, width, height }: Geometry['layout']['logo'],
): void {
  SVGtoPDF(document, withViewBox(svg), mm(left), mm(top), {
    width: mm(width),
    height: mm(height),
    preserveAspectRatio: 'xMinYMin meet',
    fontCallback: (_family, bold) => (bold ? 'bold' : 'regular'),
    imageCallback: () => '',
    colorCallback: (color) => color && [ink.fromRgb(color[0]), color[1]],
    // Anything that cannot be drawn is also missing from the preview, where the uploader sees it.
    warningCallback: () => {},
  });
}

/** Checks a logo when it is uploaded, so that no letter fails because of it later. */
export async function checkLogo(svg: string): Promise<LogoProblem | null> {
  if (svg.length > limit_characters) return 'too-large';
  const problem = findSvgProblem(svg);
  if (problem) return problem;
  try {
    const { document, bytes } = openDocument({ size: 'A4' });
    document.addPage();
    drawLogo(document, svg, inkFor('print'), { left: 0, top: 0, width: 70, height: 18 });
    document.end();
    await bytes;
    return null;
  } catch {
    return 'cannot-be-drawn';
  }
}

/** Two steps, because a single pattern would search for the end again from every start. */
function rootOf(svg: string): string | undefined {
  const start = svg.search(/<svg\b/i);
  const end = start === -1 ? -1 : svg.indexOf('>', start);
  return end === -1 ? undefined : svg.slice(start, end + 1);
}

/** An SVG without a viewBox would be cropped instead of scaled. */
function withViewBox(svg: string): string {
  const root = rootOf(svg);
  if (!root || /\sviewBox\s*=/i.test(root)) return svg;
  const width = pixels(root, 'width');
  const height = pixels(root, 'height');
  if (!width || !height) return svg;
  return svg.replace(
    root,
    root.replace(/^<svg/i, (tag) => `${tag} viewBox="0 0 ${width} ${height}"`),
  );
}

const pixelsPerUnit: Record<string, number> = { px: 1, pt: 96 / 72, mm: 96 / 25.4, cm: 96 / 2.54, in: 96 };

function pixels(tag: string, attribute: string): number | undefined {
  const match = tag.match(
    new RegExp(`\\s${attribute}\\s*=\\s*["']\\s*([0-9.]+)\\s*(?:(px|pt|mm|cm|in)\\s*)?["']`, 'i'),
  );
  return match ? Number(match[1]) * (pixelsPerUnit[match[2]?.toLowerCase() ?? 'px'] ?? 1) : undefined;
}

type SvgProblem =
  | 'not-an-svg'
  | 'has-script'
  | 'has-event-handler'
  | 'has-foreign-content'
  | 'has-picture'
  | 'has-animation'
  | 'has-reference'
  | 'has-entities';

const refusedElements = new Map<string, SvgProblem>([
  ['script', 'has-script'],
  ['handler', 'has-script'],
  ['listener', 'has-script'],
  ['foreignobject', 'has-foreign-content'],
  ['iframe', 'has-foreign-content'],
  ['embed', 'has-foreign-content'],
  ['object', 'has-foreign-content'],
  ['audio', 'has-foreign-content'],
  ['video', 'has-foreign-content'],
  ['image', 'has-picture'],
  ['feimage', 'has-picture'],
  ['animate', 'has-animation'],
  ['animatecolor', 'has-animation'],
  ['animatemotion', 'has-animation'],
  ['animatetransform', 'has-animation'],
  ['set', 'has-animation'],
]);

const maxDepth = 100;

class Refused extends Error {
  readonly problem: SvgProblem;
  constructor(problem: SvgProblem) {
    super(problem);
    this.problem = problem;
  }
}

/**
 * A logo is shapes and text. Anything that could run, load or embed something is refused even where it would do nothing here, because logos
 * are also shown in browsers and sent to printers.
 */
function findSvgProblem(svg: string): SvgProblem | null {
  const parser = new SaxesParser({ xmlns: false, position: false });
  let depth = 0;
  parser.on('opentag', (tag: SaxesTagPlain) => {
    depth += 1;
    const name = localName(tag.name);
    if (depth > maxDepth || (depth === 1 && name !== 'svg')) throw new Refused('not-an-svg');
    const problem = refusedElements.get(name) ?? problemOfAttributes(tag.attributes);
    if (problem) throw new Refused(problem);
  });
  parser.on('closetag', () => {
    depth -= 1;
  });
  parser.on('text', refuseReferences);
  parser.on('cdata', refuseReferences);
  parser.on('doctype', (text) => {
    if (text.includes('[')) throw new Refused('has-entities');
  });
  parser.on('processinginstruction', ({ target }) => {
    if (target.toLowerCase() !== 'xml') throw new Refused('has-reference');
  });
  try {
    parser.write(svg.replace(/^\uFEFF/, '')).close();
    return null;
  } catch (error) {
    return error instanceof Refused ? error.problem : 'not-an-svg';
  }
}

function problemOfAttributes(attributes: Record<string, string>): SvgProblem | undefined {
  for (const [name, value] of Object.entries(attributes)) {
    const local = localName(name);
    if (local.startsWith('on')) return 'has-event-handler';
    if (/j\s*a\s*v\s*a\s*s\s*c\s*r\s*i\s*p\s*t\s*:/i.test(value)) return 'has-script';
    if ((local === 'href' || local === 'src') && !value.trim().startsWith('#')) return 'has-reference';
    if (hasReference(value)) return 'has-reference';
  }
  return undefined;
}

function refuseReferences(text: string): void {
  if (hasReference(text)) throw new Refused('has-reference');
}

/** Style sheets may hide a word behind escapes. No program writes escapes into a logo, so an escape counts as a reference. */
function hasReference(text: string): boolean {
  return /url\(\s*(?!['"]?\s*#)|@import|\\[0-9a-f]/i.test(text);
}

function localName(name: string): string {
  return name.slice(name.indexOf(':') + 1).toLowerCase();
}
