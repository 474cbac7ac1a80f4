import { connect, type NetConnectOpts } from 'node:net';
import { promisify } from 'node:util';
import { constants, inflate } from 'node:zlib';
import { Failure, invalid } from '../failure.ts';

type VirusVerdict = 'clean' | 'infected';

/** Throws when the scanner cannot be asked: unknown is neither clean nor infected, and the caller tries again later. */
export type VirusScanner = {
  /** `marker-only`: nothing is scanned except for the harmless test file that every installation must refuse. */
  readonly mode: 'marker-only' | 'clamav';
  scan(bytes: Uint8Array): Promise<VirusVerdict>;
};

type VirusScanOptions = {
  /** Where clamd listens: a socket's path (`/run/clamav/clamd.ctl`) or `host:port`. Empty or absent: scanning is off. */
  clamav?: string;
  timeout_ms?: number;
};

// In two pieces, so that this source file is not itself taken for the test file.
const testFile = Buffer.from(['EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE'].join(''), 'latin1');
// Without a scanner the test file is all that can be found, so what only speaks of it (droppers do) is refused too.
const testWord = testFile.subarray(0, 'EICAR'.length);
// clamd refuses a chunk above its StreamMaxLength (25 MB by default), never a small one.
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
  };
}

/** For a file that somebody waits for; what is scanned later takes the verdict as it comes. */
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
const mostStreams = 500;
const mostUnpackedBytes = 256 * 1024;

/** A PDF packs its text and what is attached to it. Only the beginning of each part is looked at. */
async function isPackedInside(bytes: Buffer, word: Buffer): Promise<boolean> {
  if (bytes.subarray(0, 1024).indexOf('%PDF-') < 0) return false;
  let at = 0;
  for (let streams = 0; streams < mostStreams; streams += 1) {
    const keyword = bytes.indexOf('stream', at);
    if (keyword < 0) return false;
    let start = keyword + 'stream'.length;
    while (bytes[start] === 0x0d || bytes[start] === 0x0a) start += 1;
    const end = bytes.indexOf('endstream', start);
    if (end < 0) return false;
    at = end + 'endstream'.length;
    // zlib's first byte; anything else is packed differently, or not at all.
    if (((bytes[start] ?? 0) & 0x0f) !== 8) continue;
    const unpacked = await unpack(bytes.subarray(start, Math.min(end, start + mostUnpackedBytes)), {
      maxOutputLength: mostUnpackedBytes,
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

/** The INSTREAM command: chunks preceded by their length, ended by a length of zero; one answer, ended by a NUL. */
function askClamd(address: NetConnectOpts, timeout_ms: number): (bytes: Buffer) => Promise<VirusVerdict> {
  return (bytes) =>
    new Promise((resolve, reject) => {
      const socket = connect(address);
      let answer = '';
      const settle = (outcome: () => void) => {
        clearTimeout(timer);
        socket.destroy();
        outcome();
      };
      const timer = setTimeout(
        () => settle(() => reject(new Error(`clamd did not answer within ${timeout_ms} ms`))),
        timeout_ms,
      );
      const finish = () => {
        const text = answer.split('\0')[0]?.trim() ?? '';
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
        answer += data.toString('latin1');
        if (answer.includes('\0')) finish();
      });
      socket.on('end', finish);
      // clamd hangs up in the middle of a stream that is too large for it; what it said before that counts.
      socket.on('error', (error) => (answer ? finish() : settle(() => reject(error))));
    });
}

function lengthPrefix(length: number): Buffer {
  const prefix = Buffer.alloc(4);
  prefix.writeUInt32BE(length);
  return prefix;
}
