import { connect, type NetConnectOpts } from 'node:net';
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';
import { Failure, invalid } from '../failure.ts';

type VirusVerdict = 'clean' | 'infected';

/** Throws if the scanner is unavailable: the result is then unknown, and the caller retries later. */
export interface VirusScanner {
  /** `marker-only`: detects only the EICAR test file, which every installation must reject. */
  readonly mode: 'marker-only' | 'clamav';
  scan(bytes: Uint8Array): Promise<VirusVerdict>;
  /** Throws, with advice, if it cannot scan a small file now. */
  check(): Promise<void>;
}

interface VirusScanOptions {
  /** Address of clamd: a socket path (`/run/clamav/clamd.ctl`) or `host:port`. Empty or absent to disable scanning. */
  clamav?: string;
  timeout_ms?: number;
}

// Split in two, so that this source file is not itself detected as the test file.
const testFile = Buffer.from(['EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE'].join(''), 'latin1');
// Without a scanner only the test file can be detected, so files that merely mention it (as droppers do) are rejected
// too.
const testWord = testFile.subarray(0, 'EICAR'.length);
// clamd rejects a chunk above its StreamMaxLength (25 MB by default).
const chunkBytes = 64 * 1024;

export function createVirusScanner(options: VirusScanOptions = {}): VirusScanner {
  const { clamav, timeout_ms = 30_000 } = options;
  const ask = clamav ? askClamd(addressOf(clamav), timeout_ms) : lookForTestWord;
  return {
    mode: clamav ? 'clamav' : 'marker-only',
    async scan(bytes) {
      const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
      return view.includes(testFile) ? 'infected' : ask(view);
    },
    async check() {
      try {
        await ask(Buffer.from('Pennypost checks whether files are scanned'));
      } catch (error) {
        const { code, message } = error as NodeJS.ErrnoException;
        throw new Error(`${code ?? message}: start clamd, or correct CLAMAV_ADDRESS`, { cause: error });
      }
    },
  };
}

/** For uploads with a waiting client; background scans handle the verdict themselves. */
export async function refuseIfInfected(scanner: VirusScanner, bytes: Uint8Array): Promise<void> {
  const verdict = await scanner.scan(bytes).catch((cause: unknown) => {
    throw new Failure('unavailable', 'ServiceUnavailableError', 'The virus scanner cannot be reached', { cause });
  });
  if (verdict === 'infected') throw invalid('File did not pass the virus scan');
}

async function lookForTestWord(bytes: Buffer): Promise<VirusVerdict> {
  return bytes.includes(testWord) || (await isPackedInside(bytes, testWord)) ? 'infected' : 'clean';
}

const unpack = promisify(inflate);
const maxStreams = 500;
const maxUnpacked_bytes = 256 * 1024;

/** Looks into compressed streams of a PDF, which hold its text and attachments. Checks only the beginning of each stream. */
async function isPackedInside(bytes: Buffer, word: Buffer): Promise<boolean> {
  if (bytes.subarray(0, 1024).indexOf('%PDF-') < 0) return false;
  let at = 0;
  for (let streams = 0; streams < maxStreams; streams += 1) {
    const keyword = bytes.indexOf('stream', at);
    if (keyword < 0) return false;
    let start = keyword + 'stream'.length;
    while (bytes[start] === 0x0d || bytes[start] === 0x0a) start += 1;
    const end = bytes.indexOf('endstream', start);
    if (end < 0) return false;
    at = end + 'endstream'.length;
    // The first byte of a zlib stream. Other streams use another compression, or none.
    if (((bytes[start] ?? 0) & 0x0f) !== 8) continue;
    const unpacked = await unpack(bytes.subarray(start, Math.min(end, start + maxUnpacked_bytes)), {
      maxOutputLength: maxUnpacked_bytes,
      finishFlush: constants.Z_SYNC_FLUSH,
    }).catch(() => undefined);
    if (unpacked?.includes(word)) return true;
  }
  return false;
}

function addressOf(clamav: string): NetConnectOpts {
  if (clamav.startsWith('/')) return { path: clamav };
  const colon = clamav.lastIndexOf(':');
  const port = Number(clamav.slice(colon + 1));
  if (colon < 1 || !Number.isInteger(port)) throw new Error(`not a socket path or host:port: ${clamav}`);
  return { host: clamav.slice(0, colon).replace(/^\[|\]$/g, ''), port };
}

/** The INSTREAM command: chunks preceded by their length, ended by a length of zero; one response, ended by a NUL. */
function askClamd(address: NetConnectOpts, timeout_ms: number): (bytes: Buffer) => Promise<VirusVerdict> {
  return (bytes) =>
    new Promise((resolve, reject) => {
      const socket = connect(address);
      let response = '';
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        socket.destroy();
        outcome();
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error(`clamd did not respond within ${timeout_ms} ms`))),
        timeout_ms,
      );
      const finish = () => {
        const text = response.split('\0')[0]?.trim() ?? '';
        if (text.endsWith(' FOUND')) settle(() => resolve('infected'));
        else if (text === 'stream: OK') settle(() => resolve('clean'));
        else settle(() => reject(new Error(`clamd answered: ${text || 'nothing'}`)));
      };
      socket.on('connect', () => {
        socket.write('zINSTREAM\0');
        for (let start = 0; start < bytes.length; start += chunkBytes) {
          const chunk = bytes.subarray(start, start + chunkBytes);
          socket.write(lengthPrefix(chunk.length));
          socket.write(chunk);
        }
        socket.write(lengthPrefix(0));
      });
      socket.on('data', (data) => {
        response += data.toString('latin1');
        if (response.includes('\0')) finish();
      });
      socket.on('end', finish);
      // clamd closes the connection in the middle of a stream that is too large. A response before that counts.
      socket.on('error', (error) => (response ? finish() : settle(() => reject(error))));
    });
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length);
  return prefix;
}
