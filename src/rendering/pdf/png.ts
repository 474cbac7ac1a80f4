import { crc32, deflateSync } from 'node:zlib';
import type { PageImage } from './pdfium-page.ts';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const colorTypes = { direct: 2, palette: 3 };

/** Encodes an opaque image as PNG. Most pages have few colours and need one byte per pixel, not three. */
export function encodePng(image: PageImage, dpi: number): Uint8Array {
  const palette = paletteOf(image);
  const header = Buffer.alloc(13);
  header.writeUInt32BE(image.width, 0);
  header.writeUInt32BE(image.height, 4);
  header.set([8, palette ? colorTypes.palette : colorTypes.direct, 0, 0, 0], 8);
  const resolution = Buffer.alloc(9);
  const pixelsPerMetre = Math.round(dpi / 0.0254);
  resolution.writeUInt32BE(pixelsPerMetre, 0);
  resolution.writeUInt32BE(pixelsPerMetre, 4);
  resolution[8] = 1;
  const chunks = [signature, chunk('IHDR', header), chunk('pHYs', resolution)];
  if (palette) chunks.push(chunk('PLTE', palette.colors));
  const rows = palette ? filterRows(image, palette.pixels, 1) : filterRows(image, withoutAlpha(image.pixels), 3);
  chunks.push(chunk('IDAT', deflateSync(rows)), chunk('IEND', Buffer.alloc(0)));
  return new Uint8Array(Buffer.concat(chunks));
}

/** Undefined if the image has more than 256 colours. */
function paletteOf(image: PageImage): { colors: Buffer; pixels: Buffer } | undefined {
  const rgba = new Uint32Array(image.pixels.buffer, image.pixels.byteOffset, image.width * image.height);
  const numbers = new Map<number, number>();
  const pixels = Buffer.alloc(rgba.length);
  let previous = -1;
  let number = 0;
  for (let at = 0; at < rgba.length; at++) {
    const color = rgba[at] ?? 0;
    if (color !== previous) {
      previous = color;
      number = numbers.get(color) ?? numbers.size;
      if (number > 255) return undefined;
      numbers.set(color, number);
    }
    pixels[at] = number;
  }
  const colors = [...numbers.keys()].flatMap((color) => [color & 255, (color >> 8) & 255, (color >> 16) & 255]);
  return { colors: Buffer.from(colors), pixels };
}

function withoutAlpha(pixels: Uint8Array): Buffer {
  const rgb = Buffer.alloc((pixels.length / 4) * 3);
  for (let from = 0, to = 0; from < pixels.length; from += 4, to += 3) {
    rgb[to] = pixels[from] ?? 0;
    rgb[to + 1] = pixels[from + 1] ?? 0;
    rgb[to + 2] = pixels[from + 2] ?? 0;
  }
  return rgb;
}

/**
 * The byte before each row is its filter. None (0) compresses pages of text best: measured 12 % smaller than the
 * others.
 */
function filterRows(image: PageImage, pixels: Buffer, bytesPerPixel: number): Buffer {
  const length = image.width * bytesPerPixel;
  const rows = Buffer.alloc((length + 1) * image.height);
  for (let y = 0; y < image.height; y++) pixels.copy(rows, y * (length + 1) + 1, y * length, (y + 1) * length);
  return rows;
}

function chunk(type: string, data: Buffer): Buffer {
  const frame = Buffer.alloc(8 + data.length + 4);
  frame.writeUInt32BE(data.length, 0);
  frame.write(type, 4, 'latin1');
  frame.set(data, 8);
  frame.writeUInt32BE(crc32(frame.subarray(4, 8 + data.length)), 8 + data.length);
  return frame;
}
