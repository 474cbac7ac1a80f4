import { fontAscent } from '../pdf/letter-fonts.ts';
import { firstPageAreas, letterLayout, mm } from '../pdf/letter-geometry.ts';
import { drawTag, hasTag } from '../pdf/pdf-text.ts';
import { withPdf } from '../pdf/pdfium.ts';
import { openDocument } from '../pdf/pdfkit-document.ts';
import { inkFor } from './ink.ts';

/** The same as on composed letters: a size that sorting machines read reliably. */
const addressSize_pt = 8;
const addressLeading_pt = 8.5;

/**
 * An uploaded letter in the printer's format. Its pages are copied to a new file, which drops scripts, attachments and
 * links; the address in the window is replaced by the parsed and validated one, and the tag is added.
 */
export async function rewritePrecompiled(pdf: Uint8Array, address: string[]): Promise<Uint8Array> {
  const tagged = await withPdf(pdf, (file) => file.page(1, hasTag));
  const overlay = await drawOverlay(address, { tag: !tagged });
  return withPdf(overlay, (file) => {
    file.append(pdf);
    file.remove(1);
    file.page(1, (page) => page.clear(firstPageAreas.address));
    file.stamp(1, overlay);
    return file.save();
  });
}

function drawOverlay(address: string[], { tag }: { tag: boolean }): Promise<Uint8Array> {
  const { document, bytes } = openDocument({ size: 'A4' });
  const { left, top, width } = letterLayout.address;
  document.addPage();
  document.font('regular').fontSize(addressSize_pt).fillColor(inkFor('print').black);
  for (const [index, line] of address.entries()) {
    const baseline = mm(top) + addressSize_pt * fontAscent + index * addressLeading_pt;
    const squeeze = Math.min(1, mm(width) / document.widthOfString(line));
    document.fontSize(addressSize_pt * squeeze);
    document.text(line, mm(left), baseline, { lineBreak: false, baseline: 'alphabetic' });
    document.fontSize(addressSize_pt);
  }
  if (tag) drawTag(document);
  document.end();
  return bytes;
}
