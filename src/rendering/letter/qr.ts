import { create } from 'qrcode';
import { mm } from '../pdf/letter-geometry.ts';

/** Points, from the code's own top left corner. */
export type QrDrawing = {
  size: number;
  module: number;
  squares: { x: number; y: number; width: number; height: number }[];
};

// A printed module below half a millimetre is hard on old phone cameras; above one, a short link would fill the page.
const smallestModule = mm(0.5);
const largestModule = mm(1);
const usualSize = mm(36);

/** The empty margin a reader needs on each side, in modules, by the standard. */
export const quietModules = 4;

/** A QR code as squares in points, neighbours in a row joined: vector shapes stay sharp at any printer's resolution. */
export function drawQrCode(data: string): QrDrawing {
  const { modules } = create(data, { errorCorrectionLevel: 'M' });
  const module = Math.min(largestModule, Math.max(smallestModule, usualSize / modules.size));
  const squares: QrDrawing['squares'] = [];
  for (let row = 0; row < modules.size; row++) {
    for (let column = 0; column < modules.size; column++) {
      const start = column;
      while (column < modules.size && modules.get(row, column)) column++;
      if (column > start) {
        squares.push({ x: start * module, y: row * module, width: (column - start) * module, height: module });
      }
    }
  }
  return { size: modules.size * module, module, squares };
}

/** The side of the dashed box that stands for a code whose data is not known yet. */
export const unfilledQrSize = usualSize;
