import { createHash, randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/commands/read-config.ts';
import { systemClock } from '../../src/platform/clock.ts';
import type { Files } from '../../src/platform/storage/files.ts';
import { objectStore } from '../../src/platform/storage/object-store.ts';
import { openFiles } from '../../src/platform/storage/open-files.ts';
import { account, region, Swift } from './kit/swift.ts';

const bucket = 'files-of-pennypost';

let swift: Swift;
/** As an installation would open it. */
let files: Files;

beforeAll(async () => {
  swift = await Swift.start();
  await swift.createBucket(bucket);
  files = openFiles(
    readConfig({
      S3_BUCKET: bucket,
      S3_ENDPOINT: swift.endpoint,
      S3_REGION: region,
      S3_PREFIX: 'one installation/',
      S3_ACCESS_KEY_ID: account.access_key_id,
      S3_SECRET_ACCESS_KEY: account.secret_access_key,
    }),
    systemClock,
  );
});

afterAll(() => swift?.close());

function storeWith(changes: Partial<Parameters<typeof objectStore>[0]>): Files {
  const { endpoint } = swift;
  return objectStore({ endpoint, bucket, region, credentials: async () => account, clock: systemClock, ...changes });
}

describe('files', () => {
  it('are stored, replaced, returned and deleted', async () => {
    await files.put('letters/a.pdf', Buffer.from([0, 1, 255, 10]));
    await files.put('letters/a.pdf', Buffer.from('second'));
    expect(String(await files.get('letters/a.pdf'))).toBe('second');
    await files.remove('letters/a.pdf');
    expect(await files.get('letters/a.pdf')).toBeUndefined();
  });

  it('that do not exist are undefined, and can be deleted', async () => {
    expect(await files.get('letters/none.pdf')).toBeUndefined();
    await files.remove('letters/none.pdf');
  });

  it('may be empty', async () => {
    await files.put('empty', Buffer.alloc(0));
    expect(await files.get('empty')).toEqual(Buffer.alloc(0));
  });

  it('may be large', async () => {
    const content = randomBytes(64 * 1024 * 1024);
    await files.put('large', content);
    const found = await files.get('large');
    expect(found && digest(found)).toBe(digest(content));
    await files.remove('large');
  });

  it('are stored at the same time', async () => {
    const names = Array.from({ length: 40 }, (_, number) => `together/${number}`);
    await Promise.all(names.map((name) => files.put(name, Buffer.from(name))));
    expect((await Promise.all(names.map((name) => files.get(name)))).map(String)).toEqual(names);
  });

  it.each([
    'a b.pdf',
    'a+b.pdf',
    'a%20b.pdf',
    '100%.pdf',
    "it's (1)*!.pdf",
    'a&b=c;d.pdf',
    'what?#.pdf',
    'a~b_c-d.e',
    'a:b@c,d$.pdf',
    '"quoted"<x>.pdf',
    'back\\slash.pdf',
    'Übergröße.pdf',
    '手紙.pdf',
    '\u{1F4EE}.pdf',
    'e\u0301.pdf',
    '.hidden',
    'name ',
    `${'long '.repeat(180)}.pdf`,
  ])('are named %j', async (name) => {
    await files.put(`odd/${name}`, Buffer.from(name));
    expect(String(await files.get(`odd/${name}`))).toBe(name);
    await files.remove(`odd/${name}`);
    expect(await files.get(`odd/${name}`)).toBeUndefined();
  });

  it('of another prefix are not found', async () => {
    await files.put('mine', Buffer.from('x'));
    expect(await storeWith({ prefix: 'another installation/' }).get('mine')).toBeUndefined();
    expect(String(await storeWith({ prefix: 'one installation/' }).get('mine'))).toBe('x');
  });
});

describe('a wrong setting is reported', () => {
  const wrong: [string, Partial<Parameters<typeof objectStore>[0]>, string][] = [
    [
      'the secret',
      { credentials: async () => ({ ...account, secret_access_key: 'wrong' }) },
      '403 SignatureDoesNotMatch',
    ],
    ['the access key', { credentials: async () => ({ ...account, access_key_id: 'nobody' }) }, '403'],
    ['the region', { region: 'us-east-9' }, '400 AuthorizationHeaderMalformed'],
    ['the bucket', { bucket: 'no-such-bucket' }, '404 NoSuchBucket'],
    ['the clock', { clock: { now: () => new Date(Date.now() - 3_600_000) } }, '403 RequestTimeTooSkewed'],
  ];

  it.each(wrong)('%s', async (_setting, changes, reason) => {
    const store = storeWith(changes);
    await expect(store.put('x', Buffer.from('x'))).rejects.toThrow(reason);
    await expect(store.get('x')).rejects.toThrow(reason);
    await expect(store.remove('x')).rejects.toThrow(reason);
  });
});

describe('a store that is away', () => {
  it('is unavailable while it is down, and works when it is back', async () => {
    await files.put('kept', Buffer.from('kept'));
    await swift.stopProxy();
    await expect(files.put('x', Buffer.from('x'))).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(files.get('kept')).rejects.toMatchObject({ kind: 'unavailable' });
    await expect(files.remove('kept')).rejects.toMatchObject({ kind: 'unavailable' });
    await swift.startProxy();
    expect(String(await files.get('kept'))).toBe('kept');
  });

  it('is unavailable when it does not respond in time', async () => {
    swift.signalProxy('SIGSTOP');
    try {
      const impatient = storeWith({ timeout_ms: 300 });
      await expect(impatient.get('x')).rejects.toMatchObject({ kind: 'unavailable' });
      await expect(impatient.put('x', Buffer.from('x'))).rejects.toMatchObject({ kind: 'unavailable' });
    } finally {
      swift.signalProxy('SIGCONT');
    }
  });
});

function digest(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}
