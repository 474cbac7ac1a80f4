import SVGtoPDF from 'svg-to-pdfkit';
import { letterLayout, mm } from '../pdf/letter-geometry.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import { type Ink, inkFor } from './ink.ts';
import { findSvgProblem, type SvgProblem } from './svg-check.ts';

/** A logo of a few hundred kilobytes is already unusual; larger drawings would slow down every letter. */
const limit_characters = 1_000_000;

export type LogoProblem = 'too-large' | 'cannot-be-drawn' | SvgProblem;

/**
 * Draws an SVG logo as vector shapes at its position, from the top left corner, keeping its proportions. Images inside
 * the SVG are ignored: a link would let the file read from the server's disk or network.
 */
export function drawLogo(document: PDFKit.PDFDocument, svg: string, ink: Ink): void {
  const { left, top, width, height } = letterLayout.logo;
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

/** Called when a logo is uploaded, so that no letter fails because of it later. */
export async function checkLogo(svg: string): Promise<LogoProblem | null> {
  if (svg.length > limit_characters) return 'too-large';
  const problem = findSvgProblem(svg);
  if (problem) return problem;
  try {
    const { document, bytes } = openDocument({ size: 'A4' });
    document.addPage();
    drawLogo(document, svg, inkFor('print'));
    document.end();
    await bytes;
    return null;
  } catch {
    return 'cannot-be-drawn';
  }
}

/** In two steps: a single pattern would search for the end again from every start. */
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
