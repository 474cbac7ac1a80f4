import { create } from 'qrcode';
import { mm } from '../pdf/letter-geometry.ts';

/** Points, from the code's top left corner. */
export interface QrDrawing {
  size: number;
  module: number;
  squares: { x: number; y: number; width: number; height: number }[];
}

// A module below half a millimetre is hard to scan with old phone cameras; above one, a short link would fill the page.
const minModule = mm(0.5);
const maxModule = mm(1);
const usualSize = mm(36);

/** The quiet zone on each side, in modules, by the standard. */
export const quietModules = 4;

/** A QR code as rectangles in points, adjacent modules of a row joined: vector shapes stay sharp at any resolution. */
export function drawQrCode(data: string): QrDrawing {
  const { modules } = create(data, { errorCorrectionLevel: 'M' });
  const module = Math.min(maxModule, Math.max(minModule, usualSize / modules.size));
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

/** The side of the dashed box for a code with missing data. */
export const unfilledQrSize = usualSize;
