import { createServer, type IncomingMessage, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { systemClock } from '../clock.ts';
import { signedHeaders } from './aws-signature.ts';
import type { Files } from './files.ts';
import { objectStore } from './object-store.ts';

const region = 'eu-west-2';
const account = { access_key_id: 'AKID', secret_access_key: 'secret', session_token: 'for an hour' };
const kept = new Map<string, Buffer>();
/** Error statuses to return before succeeding. */
let stumbles: number[] = [];
let server: Server;
let endpoint: string;
let files: Files;

/** A store that verifies signatures, as a real one does. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const stumble = stumbles.shift();
    const path = request.url ?? '';
    if (stumble) response.writeHead(stumble).end('<Error><Code>SlowDown</Code></Error>');
    else if (!(await isSigned(request, body))) {
      response.writeHead(403).end('<Error><Code>SignatureDoesNotMatch</Code></Error>');
    } else if (!path.startsWith('/letters/')) response.writeHead(404).end('<Error><Code>NoSuchBucket</Code></Error>');
    else if (request.method === 'PUT') {
      kept.set(path, body);
      response.writeHead(200).end();
    } else if (request.method === 'DELETE') {
      kept.delete(path);
      response.writeHead(204).end();
    } else {
      const found = kept.get(path);
      response.writeHead(found ? 200 : 404).end(found);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  files = objectStore({
    endpoint,
    bucket: 'letters',
    prefix: 'here/',
    region,
    credentials: async () => account,
    clock: systemClock,
  });
});
afterAll(() => new Promise((resolve) => server.close(resolve)));
beforeEach(() => {
  stumbles = [];
});

async function isSigned(request: IncomingMessage, body: Buffer): Promise<boolean> {
  const stamp = String(request.headers['x-amz-date']);
  const moment = stamp.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, '$1-$2-$3T$4:$5:$6Z');
  const expected = await signedHeaders(
    { ...account, region, service: 's3' },
    { method: request.method ?? '', url: `${endpoint}${request.url}`, headers: {}, body },
    new Date(moment),
  );
  return expected.authorization === request.headers.authorization;
}

describe('object store', () => {
  it('stores, returns and deletes a file', async () => {
    const content = Buffer.from([0, 1, 255, 10]);
    await files.put('letters/finished/a b.pdf', content);
    expect([...kept.keys()]).toEqual(['/letters/here/letters/finished/a%20b.pdf']);
    expect(await files.get('letters/finished/a b.pdf')).toEqual(content);
    await files.remove('letters/finished/a b.pdf');
    expect(await files.get('letters/finished/a b.pdf')).toBeUndefined();
    await files.remove('letters/finished/a b.pdf');
  });

  it('retries server errors, up to a limit', async () => {
    stumbles = [503, 500];
    await files.put('x', Buffer.from('x'));
    stumbles = [503, 503, 503];
    const reason = new Error('the object store did not return a file: 503 SlowDown');
    await expect(files.get('x')).rejects.toMatchObject({ kind: 'unavailable', cause: reason });
  });

  it('is unavailable, not broken, if it cannot be reached', async () => {
    const away = objectStore({
      ...{ endpoint: 'http://127.0.0.1:9', bucket: 'letters', region, clock: systemClock },
      credentials: async () => account,
    });
    await expect(away.put('x', Buffer.from('x'))).rejects.toMatchObject({ kind: 'unavailable' });
  });

  it('reports why a request was rejected, without secrets', async () => {
    const stranger = objectStore({
      endpoint,
      bucket: 'letters',
      region,
      credentials: async () => ({ ...account, secret_access_key: 'wrong' }),
      clock: systemClock,
    });
    await expect(stranger.put('x', Buffer.from('x'))).rejects.toThrow('403 SignatureDoesNotMatch');
  });

  it('reports a bucket that does not exist, instead of a missing file', async () => {
    const elsewhere = objectStore({
      ...{ endpoint, bucket: 'wrong', region, clock: systemClock },
      credentials: async () => account,
    });
    await expect(elsewhere.get('x')).rejects.toThrow('404 NoSuchBucket');
    await expect(elsewhere.remove('x')).rejects.toThrow('404 NoSuchBucket');
  });

  it.each(['../../x', 'a//b', 'a/./b', ''])('rejects the path %j', async (path) => {
    await expect(files.get(path)).rejects.toThrow('Not a path of a file');
  });
});
