import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { runCommand } from '../../test/kit/process/run-command.ts';
import { rowsXml, workbook } from '../../test/kit/samples/spreadsheets.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-send-'));
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let url: string;
let service: string;
let key: string;
let template: string;
let working: NodeJS.Timeout;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template = await aTemplate(harness, service, { content: 'Hello ((name))' });
  await harness.http.listen({ port: 0, host: '127.0.0.1' });
  url = `http://127.0.0.1:${(harness.http.server.address() as AddressInfo).port}`;
  working = setInterval(() => void harness.runTasks(), 200);
});
afterAll(() => {
  clearInterval(working);
  rmSync(folder, { recursive: true, force: true });
});

function file(name: string, content: string | Uint8Array): string {
  const path = join(folder, name);
  writeFileSync(path, content);
  return path;
}

async function send(args: string[], environment: Record<string, string> = { PENNYPOST_API_KEY: key }) {
  return runCommand(['send', '--template', template, '--url', url, ...args], environment);
}

async function messages(): Promise<{ recipient: string; personalisation: unknown; client_reference: string | null }[]> {
  return harness.app.db
    .selectFrom('notifications')
    .select(['recipient', 'personalisation', 'client_reference'])
    .where('service_id', '=', service)
    .orderBy('id')
    .execute();
}

const csv = 'phone number,name\n07700900001,Ada\n07700900002,Bob\n';

describe('pennypost send', () => {
  it('sends a file, shows its progress, and does not send it twice', async () => {
    const path = file('list.csv', csv);
    const first = await send([path, '--reference', 'mine']);
    expect(first.code).toBe(0);
    expect(first.err).toMatch(/Sending the file: +100%/);
    expect(first.out).toMatch(/^Accepted as send [0-9a-f-]{36}\.\n2 messages created\.\n +2 {2}created\n$/);
    expect(await messages()).toEqual([
      { recipient: '07700900001', personalisation: { name: 'Ada' }, client_reference: 'mine' },
      { recipient: '07700900002', personalisation: { name: 'Bob' }, client_reference: 'mine' },
    ]);
    const id = /send ([0-9a-f-]{36})/.exec(first.out)?.[1];
    const again = await send([path, '--reference', 'mine', '--key', key], {});
    expect(again.code).toBe(0);
    expect(again.out).toContain(`This file was sent before: showing send ${id}. Use --again`);
    expect(again.out).toContain('2 messages created.');
    expect(await messages()).toHaveLength(2);
    const otherwise = await send([path]);
    expect([otherwise.code, otherwise.err]).toEqual([1, expect.stringContaining('sent before with other options')]);
    expect((await send([path, '--again'])).code).toBe(0);
    expect(await messages()).toHaveLength(4);
  }, 120_000);

  it.each([
    [
      'list.xlsx',
      () =>
        workbook({
          sheet: rowsXml([
            ['phone number', 'name'],
            ['07700900011', ' "Zoë", \n second line'],
          ]),
        }),
    ],
    ['list.tsv', () => 'phone number\tname\n07700900011\t"""Zoë"", \n second line"\n'],
    [
      'list.ndjson',
      () => `${JSON.stringify({ phone_number: '07700900011', personalisation: { name: '"Zoë", \n second line' } })}\n`,
    ],
  ])(
    'sends %s',
    async (name, content) => {
      const ofFile = async () => (await messages()).filter(({ recipient }) => recipient === '07700900011');
      const before = await ofFile();
      const { code, err } = await send([file(name, content())]);
      expect([code, err]).toEqual([0, expect.any(String)]);
      const sent = await ofFile();
      expect(sent).toHaveLength(before.length + 1);
      const values = sent.map(({ personalisation }) => JSON.stringify(personalisation).replaceAll('\\r', ''));
      expect(new Set(values)).toEqual(new Set([JSON.stringify({ name: '"Zoë", \n second line' })]));
    },
    60_000,
  );

  it('prints the problems and sends nothing, with and without --dry-run', async () => {
    const before = (await messages()).length;
    const path = file('bad.csv', `${csv}nope,Cy\n07700900003,\n`);
    const dry = await send([path, '--dry-run']);
    expect(dry.code).toBe(2);
    expect(dry.out).toMatch(/^Row 4: phone number: .*\nRow 5: name: Missing\n4 rows, 2 with problems\.\n$/);
    const text = 'Some rows have errors. Row 3 - `phone number`: invalid recipient. Row 4 - `name`: Missing.';
    expect(dry.err).toContain(text);
    const real = await send([path]);
    expect([real.code, real.out]).toEqual([2, '']);
    expect(real.err).toContain(text);
    expect(await messages()).toHaveLength(before);
    const skipping = await send([path, '--skip-errors']);
    expect(skipping.code).toBe(0);
    expect(skipping.out).toContain('2 messages created, 2 rows skipped.');
    const good = await send([file('good.csv', csv), '--dry-run']);
    expect([good.code, good.out]).toEqual([0, '2 rows, 0 with problems.\n']);
  }, 120_000);

  it('schedules a file', async () => {
    const { code, out } = await send([
      file('later.csv', csv),
      '--scheduled-for',
      '2026-11-17T09:00:00Z',
      '--name',
      'x',
    ]);
    expect([code, out]).toEqual([0, expect.stringContaining('Scheduled for 2026-11-17T09:00:00.000000Z.')]);
  }, 60_000);

  it('explains errors', async () => {
    const path = file('list.csv', csv);
    const cases: [string[], Record<string, string>, string][] = [
      [[path], {}, 'Set PENNYPOST_API_KEY to an API key, or use --key.'],
      [[path], { PENNYPOST_API_KEY: 'wrong' }, 'Invalid token'],
      [[join(folder, 'none.csv')], { PENNYPOST_API_KEY: key }, 'is not a file'],
      [[join(folder, 'none.csv')], { PENNYPOST_API_KEY_FILE: file('key', `${key}\n`) }, 'is not a file'],
      [[path], { PENNYPOST_API_KEY: key, PENNYPOST_API_KEY_FILE: file('key', key) }, 'are both set: keep one'],
      [[file('list.doc', 'x')], { PENNYPOST_API_KEY: key }, 'must be a spreadsheet: csv'],
      [[file('broken.xlsx', 'x')], { PENNYPOST_API_KEY: key }, 'damaged'],
      [[path, '--url', 'nowhere'], { PENNYPOST_API_KEY: key }, 'is not an address'],
      [[path, '--template', 'no-id', '--again'], { PENNYPOST_API_KEY: key }, 'template_id is not a valid UUID'],
    ];
    for (const [args, environment, text] of cases) {
      const { code, err } = await send(args, environment);
      expect(err).toContain(text);
      expect(err).not.toContain('    at ');
      expect(code).toBe(1);
    }
  }, 180_000);

  it('--help says who can see a key', async () => {
    const { out } = await send(['--help']);
    expect(out).toMatch(/--key <key> .*Other users of this machine can see it/);
    expect(out).toContain('Exit codes: 0');
  });
});
