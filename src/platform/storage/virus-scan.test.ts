import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { deflateSync } from 'node:zlib';
import { afterEach, describe, expect, it } from 'vitest';
import { createVirusScanner } from './virus-scan.ts';

const eicar = Buffer.from(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', '-ANTIVIRUS-TEST-FILE!$H+H*'].join(''));

/** The server side of INSTREAM: reads the whole stream, then responds. */
function fakeClamd(reply: (received: Buffer, socket: Socket) => void): Server {
  const server = createServer((socket) => {
    let data = Buffer.alloc(0);
    socket.on('error', () => {});
    socket.on('data', (more) => {
      data = Buffer.concat([data, more]);
      const body: Buffer[] = [];
      let at = 'zINSTREAM\0'.length;
      if (data.toString('latin1', 0, at) !== 'zINSTREAM\0') return;
      while (data.length >= at + 4) {
        const length = data.readUInt32BE(at);
        if (length === 0) return reply(Buffer.concat(body), socket);
        if (data.length < at + 4 + length) return;
        body.push(data.subarray(at + 4, at + 4 + length));
        at += 4 + length;
      }
    });
  });
  servers.push(server);
  return server;
}

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
});

async function listen(server: Server): Promise<string> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

describe('scanning switched off', () => {
  const scanner = createVirusScanner();

  it('reports it', () => expect(scanner.mode).toBe('marker-only'));
  it('accepts any file', async () => expect(await scanner.scan(Buffer.from('%PDF-1.7'))).toBe('clean'));
  it('rejects the EICAR test file', async () => expect(await scanner.scan(eicar)).toBe('infected'));
  it('rejects it inside another file and in a plain Uint8Array', async () => {
    const wrapped = new Uint8Array(Buffer.concat([Buffer.alloc(5000, 32), eicar, Buffer.alloc(5000, 32)]));
    expect(await scanner.scan(wrapped.subarray(10))).toBe('infected');
  });
  it('rejects it compressed in a PDF, and files that mention it', async () => {
    const pdf = (part: Buffer) =>
      Buffer.concat([Buffer.from('%PDF-1.7\n1 0 obj\n<< >>\nstream\r\n'), part, Buffer.from('\nendstream\nendobj')]);
    expect(await scanner.scan(pdf(deflateSync(eicar)))).toBe('infected');
    expect(await scanner.scan(pdf(deflateSync('(eicar-dropper: EICAR) Tj')))).toBe('infected');
    expect(await scanner.scan(pdf(deflateSync('(a letter) Tj')))).toBe('clean');
    expect(await scanner.scan(pdf(Buffer.from('x not packed at all')))).toBe('clean');
  });
});

describe('scanning with clamd', () => {
  it('sends the whole file in order and accepts OK', async () => {
    const file = Buffer.from(Array.from({ length: 200_000 }, (_, i) => i % 251));
    let received: Buffer = Buffer.alloc(0);
    const server = fakeClamd((body, socket) => {
      received = body;
      socket.end('stream: OK\0');
    });
    const scanner = createVirusScanner({ clamav: await listen(server) });
    expect(scanner.mode).toBe('clamav');
    expect(await scanner.scan(file)).toBe('clean');
    expect(received.equals(file)).toBe(true);
  });

  it('rejects on FOUND', async () => {
    const server = fakeClamd((_, socket) => socket.end('stream: Win.Test.EICAR_HDB-1 FOUND\0'));
    expect(await createVirusScanner({ clamav: await listen(server) }).scan(Buffer.from('x'))).toBe('infected');
  });

  it('connects through a unix socket', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'clamd-'));
    const server = fakeClamd((_, socket) => socket.end('stream: OK\0'));
    const path = join(folder, 'clamd.ctl');
    await new Promise<void>((resolve) => server.listen(path, resolve));
    expect(await createVirusScanner({ clamav: path }).scan(Buffer.from('x'))).toBe('clean');
    rmSync(folder, { recursive: true });
  });

  it('rejects the EICAR test file without calling clamd', async () => {
    expect(await createVirusScanner({ clamav: '127.0.0.1:1' }).scan(eicar)).toBe('infected');
  });

  it.each([
    ['INSTREAM size limit exceeded. ERROR\0', 'clamd answered: INSTREAM size limit exceeded. ERROR'],
    ['', 'clamd answered: nothing'],
  ])('throws when the response is %j', async (response, message) => {
    const server = fakeClamd((_, socket) => socket.end(response));
    await expect(createVirusScanner({ clamav: await listen(server) }).scan(Buffer.from('x'))).rejects.toThrow(message);
  });

  it('throws when clamd is not listening', async () => {
    const server = createServer();
    const address = await listen(server);
    await new Promise((resolve) => server.close(resolve));
    await expect(createVirusScanner({ clamav: address }).scan(Buffer.from('x'))).rejects.toThrow('ECONNREFUSED');
  });

  it('throws when clamd does not respond in time', async () => {
    const sockets: Socket[] = [];
    const server = fakeClamd((_, socket) => sockets.push(socket));
    const scanner = createVirusScanner({ clamav: await listen(server), timeout_ms: 100 });
    await expect(scanner.scan(Buffer.from('x'))).rejects.toThrow('within 100 ms');
    for (const socket of sockets) socket.destroy();
  });

  it('throws immediately for an invalid address', () => {
    expect(() => createVirusScanner({ clamav: 'clamd' })).toThrow('not a socket path or host:port');
  });
});
