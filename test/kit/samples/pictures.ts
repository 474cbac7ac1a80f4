import { crc32 } from 'node:zlib';
import { PNG } from 'pngjs';

/** A PNG of one colour. */
export function aPicture(width: number, height: number, color = [10, 80, 160, 255]): Buffer {
  const picture = new PNG({ width, height });
  picture.data.fill(Buffer.from(color));
  return PNG.sync.write(picture);
}

/** A chunk of a PNG, for files that no program writes. */
export function chunkOf(type: string, content: string | Buffer): Buffer {
  const data = Buffer.concat([Buffer.from(type, 'latin1'), Buffer.from(content)]);
  const chunk = Buffer.alloc(data.length + 8);
  chunk.writeUInt32BE(data.length - 4, 0);
  data.copy(chunk, 4);
  chunk.writeUInt32BE(crc32(data), data.length + 4);
  return chunk;
}
