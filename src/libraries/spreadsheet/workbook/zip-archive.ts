import { type Entry, fromBuffer, type ZipFile } from 'yauzl';
import { megabytes, type SpreadsheetLimits } from '../sheet.ts';
import { SpreadsheetError } from '../spreadsheet-error.ts';

const maxEntries = 10_000;
/** No real data is compressed this much in a large part. Inflating a zip bomb would take a minute. */
const bomb = { unpackedBytes: 64 * 1024 * 1024, ratio: 200 };
/** The container of old Excel files and of password-protected new ones. */
const compoundFile = [0xd0, 0xcf, 0x11, 0xe0];

/** The parts of a workbook, each inflated as a stream. */
export class ZipArchive {
  private readonly zip: ZipFile;
  private readonly entries: ReadonlyMap<string, Entry>;
  private readonly limits: SpreadsheetLimits;
  private readonly counted = new Set<Entry>();
  private unpackedBytes = 0;

  private constructor(zip: ZipFile, entries: ReadonlyMap<string, Entry>, limits: SpreadsheetLimits) {
    this.zip = zip;
    this.entries = entries;
    this.limits = limits;
  }

  static async open(bytes: AsyncIterable<Uint8Array>, limits: SpreadsheetLimits): Promise<ZipArchive> {
    const buffer = await collect(bytes, limits.packedBytes);
    if (compoundFile.every((byte, index) => buffer[index] === byte)) throw new SpreadsheetError('password-protected');
    const zip = await openZip(buffer).catch(unreadable);
    const entries = await listEntries(zip).catch(unreadable);
    return new ZipArchive(zip, entries, limits);
  }

  has(name: string): boolean {
    return this.entries.has(name.toLowerCase());
  }

  /** The archive's directory states the size of each part; yauzl ends the stream with an error if the actual size differs. */
  async *read(name: string): AsyncGenerator<Uint8Array> {
    const entry = this.entries.get(name.toLowerCase());
    if (!entry) throw new SpreadsheetError('unreadable');
    if (entry.isEncrypted()) throw new SpreadsheetError('password-protected');
    this.count(entry);
    const stream = await this.openStream(entry);
    try {
      yield* stream;
    } catch (cause) {
      throw new SpreadsheetError('unreadable', {}, { cause });
    }
  }

  private count(entry: Entry): void {
    if (this.counted.has(entry)) return;
    this.counted.add(entry);
    const { uncompressedSize: size, compressedSize } = entry;
    this.unpackedBytes += size;
    const isBomb = size > bomb.unpackedBytes && size > compressedSize * bomb.ratio;
    if (isBomb || this.unpackedBytes > this.limits.unpackedBytes) throw new SpreadsheetError('too-large-unpacked');
  }

  private openStream(entry: Entry): Promise<AsyncIterable<Uint8Array>> {
    return new Promise<AsyncIterable<Uint8Array>>((resolve, reject) => {
      this.zip.openReadStream(entry, (error, stream) => (error ? reject(error) : resolve(stream)));
    }).catch(unreadable);
  }
}

async function collect(bytes: AsyncIterable<Uint8Array>, limit: number): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of bytes) {
    size += chunk.length;
    if (size > limit) throw new SpreadsheetError('too-large', { limit: megabytes(limit) });
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

function openZip(buffer: Buffer): Promise<ZipFile> {
  return new Promise((resolve, reject) => {
    fromBuffer(buffer, { lazyEntries: true, autoClose: false }, (error, zip) => (error ? reject(error) : resolve(zip)));
  });
}

function listEntries(zip: ZipFile): Promise<ReadonlyMap<string, Entry>> {
  return new Promise((resolve, reject) => {
    if (zip.entryCount > maxEntries) throw new Error('too many entries');
    const entries = new Map<string, Entry>();
    zip.on('error', reject);
    zip.on('end', () => resolve(entries));
    zip.on('entry', (entry: Entry) => {
      entries.set(entry.fileName.toLowerCase(), entry);
      zip.readEntry();
    });
    zip.readEntry();
  });
}

function unreadable(cause: unknown): never {
  throw new SpreadsheetError('unreadable', {}, { cause });
}
