import type { Geometry } from '../../countries/letter-geometry.ts';
import { fontAscent } from '../pdf/letter-fonts.ts';
import { mm } from '../pdf/letter-geometry.ts';
import { drawTag, hasTag } from '../pdf/pdf-text.ts';
import { withPdf } from '../pdf/pdfium.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import { inkFor } from './ink.ts';

/**
 * Converts an uploaded letter to the printer's format. Its pages are copied to a new file, which drops scripts, attachments and links. The
 * parsed and validated address replaces the one in the window, and the tag is added.
 */
export async function rewritePrecompiled(pdf: Uint8Array, address: string[], geometry: Geometry): Promise<Uint8Array> {
  const tagged = await withPdf(pdf, (file) => file.page(1, (page) => hasTag(page, geometry)));
  const overlay = await drawOverlay(address, geometry, { tag: !tagged });
  return withPdf(overlay, (file) => {
    file.append(pdf);
    file.remove(1);
    file.page(1, (page) => page.clear(geometry.firstPage.address));
    file.stamp(1, overlay);
    return file.save();
  });
}

function drawOverlay(address: string[], geometry: Geometry, { tag }: { tag: boolean }): Promise<Uint8Array> {
  const { paper, layout } = geometry;
  const { document, bytes } = openDocument({ size: paper.size });
  const { left, top, width, height, size_pt } = layout.address;
  // The leading of composed letters, which sorting machines read reliably, unless there are too many lines.
  const leading_pt = Math.min(layout.address.leading_pt, mm(height) / address.length);
  const addressSize_pt = Math.min(size_pt, leading_pt);
  document.addPage();
  document.font('regular').fontSize(addressSize_pt).fillColor(inkFor('print').black);
  for (const [index, line] of address.entries()) {
    const baseline = mm(top) + addressSize_pt * fontAscent + index * leading_pt;
    const squeeze = Math.min(1, mm(width) / document.widthOfString(line));
    document.fontSize(addressSize_pt * squeeze);
    document.text(line, mm(left), baseline, { lineBreak: false, baseline: 'alphabetic' });
    document.fontSize(addressSize_pt);
  }
  if (tag) drawTag(document, geometry);
  document.end();
  return bytes;
}
