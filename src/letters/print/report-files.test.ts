import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { letterRow } from '../../../test/kit/builders/letters.ts';
import { aNotification, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { startSftpServer } from '../../../test/kit/vendors/sftp-server.ts';
import { metricsOf } from '../../../test/kit/world/metrics.ts';
import { readConfig } from '../../commands/read-config.ts';
import { timestamp } from '../../platform/clock.ts';
import { letterReference } from './print-provider.ts';
import { readReportFiles } from './report-files.ts';

const root = mkdtempSync(join(tmpdir(), 'sftp-reports-'));
const server = await startSftpServer(root, { password: 'secret' });
afterAll(async () => {
  await server.close();
  rmSync(root, { recursive: true });
});
const environment = {
  PRINT_HAND_OFF: 'sftp',
  PRINT_SFTP_URL: server.url,
  PRINT_SFTP_PASSWORD: 'secret',
  PRINT_SFTP_HOST_KEY: server.hostKey,
  PRINT_SFTP_REPORTS_FOLDER: '/reports',
};
const harness = useHarness({ now: '2024-07-24T12:00:00Z', environment });
const [reports, done, quarantine] = ['', 'done', 'quarantine'].map((name) => join(root, 'reports', name)) as [
  string,
  string,
  string,
];
const read = () => readReportFiles(harness.app);

let service: string;
let template: string;
beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});
beforeEach(() => {
  rmSync(reports, { recursive: true, force: true });
  mkdirSync(reports);
  harness.clock.set('2024-07-24T12:00:00Z');
  harness.logged.length = 0;
  Object.assign(server, { cutAt: undefined, inventedNames: [], listsWithoutEnd: false, readsWithoutEnd: undefined });
});

/** Letters that the printer has. */
async function printed(count: number): Promise<{ id: string; reference: string }[]> {
  const letters: { id: string; reference: string }[] = [];
  for (let number = 0; number < count; number++) {
    const fields = { notification_type: 'letter', status: 'sending' } as const;
    const id = await aNotification(harness, service, template, fields, { billable_units: 1 });
    const reference = letterReference(id);
    const at = timestamp(harness.clock.now());
    const letter = { service_id: service, template_id: template, template_version: 1, created_at: at, printed_at: at };
    await harness.app.db
      .insertInto('printed_letters')
      .values({ ...letter, notification_id: id, reference })
      .execute();
    letters.push({ id, reference });
  }
  return letters;
}

function put(name: string, lines: string[] | string, age_s = 300): void {
  const path = join(reports, name);
  writeFileSync(path, Array.isArray(lines) ? `${lines.join('\r\n')}\r\n` : lines);
  const at = new Date(Date.now() - age_s * 1_000);
  utimesSync(path, at, at);
}

const header = 'reference,jobStatus,transitionDate,totalSheets,postageClass,mailingProduct';
const despatched = (reference: string) => `${reference},DESPATCHED,2024-07-23T23:30:00Z,1,2ND,MM`;
const statusOf = async (id: string) => (await letterRow(harness, id)).status;
const logged = (event: string) => harness.logged.map((line) => JSON.parse(line)).filter((line) => line.event === event);
const filesIn = (folder: string) => (existsSync(folder) ? readdirSync(folder).sort() : []);
const despatches = (ids: string[]) =>
  harness.app.db.selectFrom('letter_despatches').selectAll().where('notification_id', 'in', ids).execute();
const returns = (ids: string[]) =>
  harness.app.db.selectFrom('returned_letters').selectAll().where('notification_id', 'in', ids).execute();

describe('reports of the printer over SFTP', () => {
  it('records letters as posted, rejected and returned by the rules of calls, and moves the files', async () => {
    const [first, second, third, fourth] = await printed(4);
    put(
      'despatch 24.CSV',
      [
        header,
        despatched(first?.reference ?? ''),
        `${second?.reference},REJECTED,2024-07-23,,,`,
        despatched(third?.reference ?? ''),
        `${third?.reference},REJECTED,2024-07-23,,,`,
        despatched('AAAAAAAAAAAAAAAA'),
      ],
      900,
    );
    put('returned.csv', [
      'returnedDate,reference',
      `2024-07-24,${third?.reference}`,
      `2024-07-20,${fourth?.reference}`,
    ]);
    await harness.addTask('read-printer-reports');
    await harness.runTasks();
    const ids = [first, second, third, fourth].map((letter) => letter?.id ?? '');
    expect(await Promise.all(ids.map(statusOf))).toEqual([
      'delivered',
      'technical-failure',
      'returned-letter',
      'returned-letter',
    ]);
    expect(await despatches(ids)).toMatchObject([
      { notification_id: ids[0], despatched_on: '2024-07-24', sheets: 1, cost_threshold: 'sorted' },
      { notification_id: ids[2], despatched_on: '2024-07-24' },
    ]);
    expect((await returns(ids)).map(({ reported_on }) => reported_on)).toEqual(['2024-07-24', '2024-07-24']);
    expect([filesIn(reports), filesIn(done)]).toEqual([
      ['done', 'quarantine'],
      ['20240724120000.despatch 24.CSV', '20240724120000.returned.csv'],
    ]);
    expect(logged('printer_report.stored')).toMatchObject([
      { file: 'despatch 24.CSV', letters: 4, recorded: 3, unknown: 1 },
      { file: 'returned.csv', letters: 2, recorded: 2, unknown: 0 },
    ]);
    expect(await metricsOf(harness)).toContain('printer_report_files_total{outcome="stored"} 2');
  });

  it('reads the examples of the guide', async () => {
    harness.clock.set('2026-07-24T12:00:00Z');
    const guide = readFileSync('docs/guides/providers/sftp.md', 'utf8');
    const examples = [...guide.matchAll(/```\n(reference,[^`]*)```/g)].map(([, text = '']) => text);
    for (const [number, text] of examples.entries()) put(`${number}.csv`, text);
    await read();
    expect(filesIn(done)).toEqual(['20260724120000.0.csv', '20260724120000.1.csv']);
  });

  it('changes nothing when a file is read a second time, because the connection was lost before it was moved', async () => {
    const letters = await printed(2);
    const ids = letters.map(({ id }) => id);
    put('despatch.csv', [header, ...letters.map(({ reference }) => despatched(reference))], 900);
    put('returned.csv', ['reference,returnedDate', `${letters[0]?.reference},2024-07-24`]);
    const state = async () => [
      await Promise.all(ids.map((id) => letterRow(harness, id))),
      await despatches(ids),
      await returns(ids),
      await rollups(),
    ];
    server.cutAt = 'done/20240724120000.despatch';
    await expect(read()).rejects.toThrow();
    const stored = await despatches(ids);
    expect(stored).toHaveLength(2);
    server.cutAt = 'done/20240724120000.returned';
    await expect(read()).rejects.toThrow();
    expect(filesIn(reports)).toContain('returned.csv');
    const before = await state();
    expect(before[2]).toHaveLength(1);
    harness.clock.set('2024-07-25T12:00:00Z');
    await read();
    expect(await state()).toEqual(before);
    expect(await despatches(ids)).toEqual(stored);
    expect(filesIn(done)).toEqual(['20240724120000.despatch.csv', '20240725120000.returned.csv']);
  });

  it.each([
    ['other columns', 'reference,status\nA,B\n', 'Row 1: the columns must be reference,jobStatus,transitionDate,'],
    ['no text', '', 'Row 1: the columns must be'],
    [
      'a wrong reference',
      'reference,returnedDate\n{known},2024-07-24\nabc,2024-07-24\n',
      'Row 3: reference must be 16 capital letters and digits',
    ],
    [
      'a day in the future',
      'reference,returnedDate\n{known},2024-07-25\n',
      'Row 2: returnedDate must be a day such as 2026-07-02, and not in the future',
    ],
    [
      'wrong values',
      `${header}\n${despatched('{known}')}\n{known},LOST,yesterday,one,3RD,MM\n`,
      'Row 3: jobStatus must be one of DESPATCHED, REJECTED\nRow 3: transitionDate must be a datetime such as 2026-07-02T14:30:00Z\nRow 3: totalSheets must be a whole number\nRow 3: postageClass must be one of 1ST, 2ND, INTERNATIONAL\n',
    ],
    [
      'a posted letter without its sheets',
      `${header}\n{known},DESPATCHED,2024-07-23,,2ND,MM\n`,
      'Row 2: totalSheets must be a whole number',
    ],
    ['a row that broke off', `${header}\n${despatched('{known}')}\n{known},DESP`, 'Row 3: jobStatus must be one of'],
    ['too many cells', 'reference,returnedDate\n{known},2024-07-24,x\n', 'Row 2: has more cells than the header'],
    ['control characters', 'reference,returnedDate\n\u0000\u0001\u00ff', 'Row 2: reference must be'],
    [
      'a quotation mark that is not closed',
      `reference,returnedDate\n"${'x'.repeat(20_000)}`,
      'Row 2 is longer than 10,000 characters. Check that every quotation mark has been closed',
    ],
  ])('moves a file with %s to quarantine, with the reason, and changes nothing', async (_, content, reason) => {
    const [letter] = await printed(1);
    put('report.csv', content.replaceAll('{known}', letter?.reference ?? ''));
    await read();
    expect(await statusOf(letter?.id ?? '')).toBe('sending');
    const name = '20240724120000.report.csv';
    expect([filesIn(done), filesIn(quarantine)]).toEqual([[], [name, `${name}.txt`]]);
    const text = readFileSync(join(quarantine, `${name}.txt`), 'utf8');
    expect(text).toContain(
      `report.csv was not read. Nothing in it was recorded. Correct it and put it back.\n${reason}`,
    );
    expect(logged('printer_report.quarantined')).toMatchObject([{ file: 'report.csv', level: 'error' }]);
  });

  it('moves a file that is too large without reading it, and reads a file no further than allowed', async () => {
    put('large.csv', '');
    truncateSync(join(reports, 'large.csv'), 6 * 1024 * 1024);
    utimesSync(join(reports, 'large.csv'), new Date(0), new Date(0));
    put('endless.csv', 'reference,returnedDate\n');
    server.readsWithoutEnd = 'endless';
    server.log.length = 0;
    await read();
    expect(readFileSync(join(quarantine, '20240724120000.large.csv.txt'), 'utf8')).toContain(
      'The file must be smaller than 5 MB',
    );
    expect(server.log).not.toContain('read /reports/large.csv');
    expect([filesIn(reports), filesIn(done)]).toEqual([['done', 'endless.csv', 'quarantine'], []]);
  });

  it('leaves files alone that are being written', async () => {
    const [letter] = await printed(1);
    const lines = [header, despatched(letter?.reference ?? '')];
    put('growing.csv', lines, 10);
    put('report.csv.part', lines);
    put('.hidden.csv', lines);
    await read();
    expect(await statusOf(letter?.id ?? '')).toBe('sending');
    expect(filesIn(reports)).toEqual(['.hidden.csv', 'done', 'growing.csv', 'quarantine', 'report.csv.part']);
    put('growing.csv', lines);
    await read();
    expect(await statusOf(letter?.id ?? '')).toBe('delivered');
  });

  it('comes to no harm at a hostile server', async () => {
    const [letter] = await printed(1);
    const lines = [header, despatched(letter?.reference ?? '')];
    put('good.csv', lines, 1_000);
    symlinkSync('/etc/passwd', join(reports, 'link.csv'));
    mkdirSync(join(reports, 'folder.csv'));
    server.inventedNames = ['../../outside.csv', 'a/b.csv', 'line\nbreak.csv', `${'x'.repeat(200)}.csv`, 'missing.csv'];
    server.inventedNames.push(...Array.from({ length: 500 }, (_, number) => `file ${number}`));
    server.listsWithoutEnd = true;
    await expect(read()).rejects.toThrow('missing.csv');
    expect(await statusOf(letter?.id ?? '')).toBe('delivered');
    expect(server.log.filter((line) => /outside|a\/b|break|xxxx|link|folder/.test(line))).toEqual([]);
    expect(logged('printer_report.ignored')).toMatchObject([{ entries: 10_000 }]);
    Object.assign(server, { inventedNames: [], listsWithoutEnd: false });

    server.cutAt = '/reports';
    await expect(read()).rejects.toThrow();
    const [other] = await printed(1);
    put('cut.csv', [header, despatched(other?.reference ?? '')]);
    server.cutAt = 'cut.csv';
    await expect(read()).rejects.toThrow();
    expect(await statusOf(other?.id ?? '')).toBe('sending');
    await read();
    expect(await statusOf(other?.id ?? '')).toBe('delivered');
  });

  it('gives up a call that a server never answers', async () => {
    server.listsNothing = true;
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const reading = read();
      const failed = expect(reading).rejects.toThrow('SFTP server of the printer');
      await vi.waitFor(() => expect(server.log.at(-1)).toBe('list /reports'), 10_000);
      await vi.advanceTimersByTimeAsync(60_000);
      await failed;
    } finally {
      vi.useRealTimers();
      server.listsNothing = false;
    }
  });

  it('needs a folder that is a path, and SFTP', () => {
    const given = { DATA_DIR: root, SECRET_KEY: 's'.repeat(32), ADMIN_CLIENT_SECRETS: 'a'.repeat(32), ...environment };
    for (const folder of ['reports', '/', '/a/../b', '/a//b']) {
      expect(() => readConfig({ ...given, PRINT_SFTP_REPORTS_FOLDER: folder }), folder).toThrow(
        'PRINT_SFTP_REPORTS_FOLDER must be the path',
      );
    }
    expect(() => readConfig({ ...given, PRINT_HAND_OFF: 'folder' })).toThrow(
      'PRINT_SFTP_REPORTS_FOLDER needs PRINT_HAND_OFF=sftp',
    );
  });
});

async function rollups() {
  const { rows } = await harness.app.pool.query('select * from status_counts order by 1, 2, 3');
  return rows;
}
