import { createSocket, type Socket } from 'node:dgram';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { FakeDns } from '../../../test/kit/fakes/fake-dns.ts';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { boundedResolver, dnsResolver } from './resolver.ts';

/** A name server that answers by the first label of the question. */
let server: Socket;
let asked = 0;

beforeAll(async () => {
  server = createSocket('udp4');
  server.on('message', (query, { port, address }) => {
    asked += 1;
    const answer = answerTo(query);
    if (answer) server.send(answer, port, address);
  });
  await new Promise<void>((resolve) => server.bind(0, '127.0.0.1', resolve));
});

afterAll(() => new Promise<void>((resolve) => server.close(() => resolve())));

const codes = new Map([
  ['servfail', 2],
  ['nxdomain', 3],
  ['refused', 5],
]);

function answerTo(query: Buffer): Buffer | undefined {
  const label = query.subarray(13, 13 + query.readUInt8(12)).toString();
  if (label === 'silent') return undefined;
  const question = query.subarray(12, query.indexOf(0, 12) + 5);
  const records = label === 'two' ? [['one ', 'record'], ['another']] : [];
  const header = Buffer.alloc(12);
  query.copy(header, 0, 0, 2);
  header.writeUInt16BE(0x8180 | (codes.get(label) ?? 0), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question, ...records.map(textRecord)]);
}

/** Its name is that of the question, its type TXT. */
function textRecord(strings: string[]): Buffer {
  const data = Buffer.concat(strings.map((text) => Buffer.from([text.length, ...Buffer.from(text)])));
  const length = Buffer.alloc(2);
  length.writeUInt16BE(data.length);
  return Buffer.concat([Buffer.from([0xc0, 12, 0, 16, 0, 1, 0, 0, 0, 60]), length, data]);
}

const resolver = (count?: (type: string, outcome: string) => void) =>
  dnsResolver({ servers: [`127.0.0.1:${server.address().port}`], count });

it.each([
  ['nxdomain', 'nxdomain'],
  ['nodata', 'nodata'],
  ['servfail', 'failure'],
  ['refused', 'failure'],
])('%s: %s', async (label, outcome) => {
  expect(await resolver().query('TXT', `${label}.council.example`)).toEqual({ outcome });
});

it('joins the strings of a record, and counts questions', async () => {
  const counts: string[] = [];
  const answer = await resolver((type, outcome) => counts.push(`${type} ${outcome}`)).query(
    'TXT',
    'two.council.example',
  );
  expect(answer).toEqual({ outcome: 'records', records: ['one record', 'another'] });
  expect(counts).toEqual(['TXT records']);
});

if (isLongRun)
  it('waits half a minute for a name server at most', { timeout: 60_000 }, async () => {
    const begin = performance.now();
    expect(await resolver().query('TXT', 'silent.council.example')).toEqual({ outcome: 'failure' });
    expect(performance.now() - begin).toBeLessThan(30_000);
  });

it.each([`${'a'.repeat(64)}.example`, 'a..example', `${'a.'.repeat(126)}example`])(
  'asks nobody about %s',
  async (name) => {
    const before = asked;
    expect(await resolver().query('TXT', name)).toEqual({ outcome: 'nxdomain' });
    expect(asked).toBe(before);
  },
);

it('stops asking when enough was asked, and knows what it asked before', async () => {
  const dns = new FakeDns({ 'A one.example': ['192.0.2.1'] });
  const bounded = boundedResolver(dns, { maxQueries: 1, timeout_ms: 60_000 });
  expect(await bounded.query('A', 'One.example.')).toEqual({ outcome: 'records', records: ['192.0.2.1'] });
  expect(await bounded.query('A', 'two.example')).toEqual({ outcome: 'failure' });
  expect(await bounded.query('A', 'one.example')).toMatchObject({ outcome: 'records' });
  expect(dns.asked).toEqual(['A one.example']);
});
