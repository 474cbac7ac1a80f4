import { once } from 'node:events';
import { type AddressInfo, connect } from 'node:net';
import { Type } from 'typebox';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { ConsoleVisitor } from '../../test/kit/world/console-visitor.ts';
import { asIs } from '../language/text.ts';
import { formats } from '../operations/text-formats.ts';
import { buildServer } from '../platform/http/server.ts';
import type { Http } from '../platform/http/surface.ts';
import { api, surfaces } from '../routes.ts';
import { servePages } from './console.routes.ts';
import type { ConsoleApp } from './console-app.ts';
import { Pages } from './page.ts';
import { Field, FileField } from './parts/field.tsx';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const kib = 1024;
let http: Http;
let browser: ConsoleVisitor;
/** What the page's form did, in the order it happened. */
const acted: unknown[] = [];

beforeAll(async () => {
  const pages = new Pages();
  pages.add('/upload', {
    who: 'anyone',
    show: (_asked, formState) => ({
      title: asIs('Upload'),
      content: (
        <form method="post" encType="multipart/form-data" noValidate>
          <Field formState={formState} name="name" label={asIs('Name')} />
          <FileField formState={formState} name="file" label={asIs('File')} accept=".csv" />
        </form>
      ),
    }),
    form: Type.Object({ name: Type.String({ minLength: 3 }), tags: Type.Optional(Type.Array(Type.String())) }),
    needs: { name: asIs('Enter a name.') },
    file: { name: 'file', max_bytes: 100 * kib, needs: asIs('Choose a file.') },
    act: async ({ query }, { name, tags }, file) => {
      if (query('ignore')) return { to: '/ignored' };
      const bytes = Buffer.from(await file.bytes());
      acted.push({ name, tags, filename: file.filename, length: bytes.length, begin: bytes.toString().slice(0, 20) });
      return { to: '/done' };
    },
  });
  pages.add('/optional', {
    who: 'anyone',
    show: () => ({ title: asIs('Optional'), content: '' }),
    form: Type.Object({}),
    file: { name: 'file', max_bytes: kib },
    act: (_asked, _form, file) => ({ to: file ? '/with' : '/without' }),
  });
  const surface = surfaces.find(({ name }) => name === 'console');
  if (!surface) throw new Error('no console');
  const routes = [(scope: Http, app: ConsoleApp) => servePages(scope, app, async () => pages.all)];
  http = await buildServer({
    app: harness.app,
    surfaces: [{ ...surface, routes }],
    formats,
    api: { ...api, version: 'test' },
  });
  await http.listen({ port: 0, host: '127.0.0.1' });
  browser = new ConsoleVisitor({
    request: async (options) => {
      const { statusCode, headers, body } = await http.inject(options);
      return { status: statusCode, headers, body, text: body };
    },
  });
});
afterAll(() => http?.close());

const file = (content: string | Uint8Array<ArrayBuffer>, name = 'people.csv') => ({ field: 'file', name, content });
const send = (form: Record<string, string>, content: string) =>
  browser.postFile('/console/upload', form, file(content));

describe('a form with a file', () => {
  it('303, and gives the page its fields and its file', async () => {
    acted.length = 0;
    const form = { name: ' Ada ', 'tags[]': 'one', other: 'x' };
    const sent = await browser.postFile('/console/upload', form, file('name\nÉlodie', 'C:\\temp\\Männer.csv'));
    expect([sent.status, sent.location]).toEqual([303, '/console/done']);
    expect(acted).toEqual([{ name: 'Ada', tags: ['one'], filename: 'Männer.csv', length: 12, begin: 'name\nÉlodie' }]);
  });

  it('400 beside the field without a file, keeping what was typed', async () => {
    const without = await browser.postFile('/console/upload', { name: 'Grace' }, file('', ''));
    expect([without.status, without.problems]).toEqual([400, { file: 'Choose a file.' }]);
    expect(without.text).toContain('value="Grace"');
    const plain = await browser.post('/console/upload', { name: '' });
    expect(plain.problems).toEqual({ name: asIs('Enter a name.'), file: 'Choose a file.' });
  });

  it('400 for wrong fields; the file is not read', async () => {
    acted.length = 0;
    const { status, problems } = await send({ name: 'a' }, 'x'.repeat(90 * kib));
    expect([status, Object.keys(problems)]).toEqual([400, ['name']]);
    expect(acted).toEqual([]);
  });

  it('400 for a file that is too large, keeping what was typed', async () => {
    expect((await send({ name: 'Ada' }, 'x'.repeat(100 * kib))).status).toBe(303);
    const { status, problems, text } = await send({ name: 'Grace' }, 'x'.repeat(100 * kib + 1));
    expect([status, problems]).toEqual([400, { file: 'The file must not be larger than 100 kB.' }]);
    expect(text).toContain('value="Grace"');
  });

  it('takes a form without its optional file', async () => {
    expect((await browser.postFile('/console/optional', {}, file('', ''))).location).toBe('/console/without');
    expect((await browser.postFile('/console/optional', {}, file('x'))).location).toBe('/console/with');
    expect((await browser.postFile('/console/optional', {}, { ...file('x'), field: 'z' })).location).toMatch(/without/);
  });

  it('403 from another site', async () => {
    const headers = { 'sec-fetch-site': 'cross-site' };
    expect((await browser.postFile('/console/upload', { name: 'Ada' }, file('x'), headers)).status).toBe(403);
  });

  it.each([
    ['without a boundary', 'multipart/form-data', 'x'],
    [
      'cut off in a field',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nA',
    ],
    [
      'cut off in the file',
      'multipart/form-data; boundary=b',
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\nx',
    ],
    ['that is empty', 'multipart/form-data; boundary=b', ''],
  ])('400 for a form %s', async (_what, type, payload) => {
    acted.length = 0;
    const headers = { 'content-type': type, 'sec-fetch-site': 'same-origin' };
    const { statusCode, body } = await http.inject({ method: 'POST', url: '/console/upload', headers, payload });
    expect(statusCode).toBe(400);
    expect(body).toContain('The form did not arrive completely. Send it again.');
    expect(acted).toEqual([]);
  });

  it('4xx for too many or too long fields', async () => {
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, index) => [`f${index}`, '']));
    expect((await send(many, 'x')).status).toBe(400);
    expect((await send({ name: 'x'.repeat(400 * kib) }, 'x')).status).toBe(413);
  });
});

describe('a large file over the network', () => {
  /** Sends a file of 20 MB in one connection, then another request. */
  async function sendTwice(path: string): Promise<string[]> {
    const socket = connect((http.server.address() as AddressInfo).port, '127.0.0.1');
    const head =
      '--b\r\nContent-Disposition: form-data; name="name"\r\n\r\nAda\r\n--b\r\nContent-Disposition: form-data; name="file"; filename="a.csv"\r\n\r\n';
    const body = Buffer.concat([Buffer.from(head), Buffer.alloc(20_000 * kib, 'x'), Buffer.from('\r\n--b--\r\n')]);
    const headers = `host: localhost\r\nsec-fetch-site: same-origin\r\ncontent-type: multipart/form-data; boundary=b\r\ncontent-length: ${body.length}`;
    socket.write(`POST ${path} HTTP/1.1\r\n${headers}\r\n\r\n`);
    socket.write(body);
    let received = '';
    socket.on('data', (data) => {
      received += data;
    });
    await expect.poll(() => received.length, { timeout: 10_000 }).toBeGreaterThan(0);
    socket.write('GET /console/upload HTTP/1.1\r\nhost: localhost\r\nconnection: close\r\n\r\n');
    await once(socket, 'close');
    return [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status = '']) => status);
  }

  it.each([
    ['is too large', '/console/upload', ['400', '200']],
    ['is not needed', '/console/upload?ignore=1', ['303', '200']],
  ])('is answered when it %s, and the rest is discarded', async (_what, path, statuses) => {
    expect(await sendTwice(path)).toEqual(statuses);
  });
});
