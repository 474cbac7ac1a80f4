import { inflateSync } from 'node:zlib';
import { PNG } from 'pngjs';

/** Emails show it at most 54 pixels high: four times as many are enough for every screen. */
const shown = { width: 640, height: 216 };
export const logoLimits = { min_height: 108, max_side: 3_000 };

export type PictureProblem = 'not-a-png' | 'damaged' | 'too-low' | 'too-large';

const signature = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]);
const headerStart = Buffer.from('\0\0\0\x0dIHDR', 'latin1');

/**
 * Decodes an uploaded PNG and encodes it again, scaled down if emails show it smaller. The result has only pixels: no metadata and no
 * second file hidden in it.
 */
export function readLogoPicture(file: Uint8Array): Uint8Array | PictureProblem {
  const bytes = Buffer.from(file.buffer, file.byteOffset, file.length);
  if (!bytes.subarray(0, 8).equals(signature) || !bytes.subarray(8, 16).equals(headerStart)) return 'not-a-png';
  if (bytes.length < 33) return 'damaged';
  const [width, height] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
  if (width === 0 || height === 0) return 'damaged';
  if (width > logoLimits.max_side || height > logoLimits.max_side) return 'too-large';
  if (height < logoLimits.min_height) return 'too-low';
  try {
    const { end, pixels } = readChunks(bytes);
    // The library inflates interlaced pictures without a limit: two megabytes may become two gigabytes. The limit is eight bytes per pixel,
    // plus one byte per row: the seven passes of an interlaced picture have at most twice as many rows.
    inflateSync(pixels, { maxOutputLength: width * height * 8 + height * 2 + 64 });
    const picture = PNG.sync.read(bytes.subarray(0, end));
    const factor = Math.min(1, shown.width / width, shown.height / height);
    return new Uint8Array(PNG.sync.write(factor < 1 ? scaledDown(picture, factor) : withoutMetadata(picture)));
  } catch {
    return 'damaged';
  }
}

/** Returns the compressed pixels and the end of the picture. Anything after that does not belong to it. */
function readChunks(bytes: Buffer): { end: number; pixels: Buffer } {
  const pixels: Buffer[] = [];
  for (let at = 8; at + 12 <= bytes.length; ) {
    const end = at + 12 + bytes.readUInt32BE(at);
    const type = bytes.toString('latin1', at + 4, at + 8);
    if (type === 'IDAT') pixels.push(bytes.subarray(at + 8, end - 4));
    if (type === 'IEND') return { end, pixels: Buffer.concat(pixels) };
    at = end;
  }
  throw new Error('The picture has no end');
}

function withoutMetadata({ width, height, data }: PNG): PNG {
  const copy = new PNG({ width, height });
  data.copy(copy.data);
  return copy;
}

/** Each new pixel is the average of the pixels that it covers; transparent ones add no colour. */
function scaledDown({ width, height, data }: PNG, factor: number): PNG {
  const small = new PNG({ width: Math.max(1, Math.round(width * factor)), height: Math.round(height * factor) });
  const edge = (at: number, size: number, of: number) => Math.floor((at * of) / size);
  for (let y = 0; y < small.height; y += 1) {
    const [top, bottom] = [edge(y, small.height, height), edge(y + 1, small.height, height)];
    for (let x = 0; x < small.width; x += 1) {
      const [left, right] = [edge(x, small.width, width), edge(x + 1, small.width, width)];
      let [red, green, blue, opacity] = [0, 0, 0, 0];
      for (let fromY = top; fromY < bottom; fromY += 1) {
        for (let at = (fromY * width + left) * 4; at < (fromY * width + right) * 4; at += 4) {
          const alpha = data[at + 3] ?? 0;
          red += (data[at] ?? 0) * alpha;
          green += (data[at + 1] ?? 0) * alpha;
          blue += (data[at + 2] ?? 0) * alpha;
          opacity += alpha;
        }
      }
      const color = (sum: number) => (opacity === 0 ? 0 : Math.round(sum / opacity));
      const alpha = Math.round(opacity / ((bottom - top) * (right - left)));
      small.data.set([color(red), color(green), color(blue), alpha], (y * small.width + x) * 4);
    }
  }
  return small;
}
