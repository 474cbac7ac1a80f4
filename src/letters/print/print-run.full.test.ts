import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aLetter, letterRow } from '../../../test/kit/builders/letters.ts';
import { aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { NewNotification } from '../../notifications/notification.ts';
import { letterFiles } from '../../notifications/tasks-for-others.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { recordDespatches } from './despatch.ts';
import { letterFileName, letterReference } from './print-provider.ts';

const folder = await mkdtemp(join(tmpdir(), 'print-'));
const harness = useHarness({
  config: { letters: { printFolder: folder, printer: 'press' }, providers: { sandbox: { delay_ms: 0 } } },
});
let service: string;
let template: string;

beforeAll(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
});
afterAll(() => rm(folder, { recursive: true }));

async function letterAt(moment: string, fields: Partial<NewNotification> = {}): Promise<string> {
  harness.clock.set(moment);
  const id = await aLetter(harness, service, template, fields);
  await harness.runTasks();
  return id;
}

async function collateAt(moment: string): Promise<void> {
  harness.clock.set(moment);
  await harness.addTask('collate-letters');
  await harness.runTasks();
}

const statusOf = async (id: string) => (await letterRow(harness, id)).status;
const filesOf = (day: string) => readdir(join(folder, day)).catch(() => []);

describe('collate-letters', () => {
  // The dates are in the past, so that tasks scheduled for later are due at once.
  it.each([
    ['in winter', '2024-01-15T12:00:00Z', '2024-01-15T16:50:00Z', '2024-01-15T17:30:00Z'],
    ['in summer', '2024-07-15T12:00:00Z', '2024-07-15T16:20:00Z', '2024-07-15T16:30:00Z'],
    ['the day after the clocks went forward', '2024-03-31T12:00:00Z', '2024-04-02T16:20:00Z', '2024-04-02T16:30:00Z'],
    ['the day after the clocks went back', '2024-10-27T12:00:00Z', '2024-10-28T16:50:00Z', '2024-10-28T17:30:00Z'],
  ])('sends letters to the printer at 17:30 London time: %s', async (_, accepted, before, after) => {
    const id = await letterAt(accepted);
    await collateAt(before);
    expect(await statusOf(id)).toBe('created');
    await collateAt(after);
    expect(await statusOf(id)).toBe('delivered');
  });

  it.each([
    ['on a Saturday', '2024-01-20T17:30:00Z'],
    ['on a Sunday', '2024-01-21T18:00:00Z'],
    ['on a bank holiday', '2024-05-06T16:30:00Z'],
    ['on Christmas Day', '2024-12-25T17:30:00Z'],
  ])('prints nothing %s', async (_, moment) => {
    const id = await letterAt('2024-01-16T12:00:00Z');
    await collateAt(moment);
    expect(await statusOf(id)).toBe('created');
    await collateAt('2024-12-27T17:50:00Z');
    expect(await statusOf(id)).toBe('delivered');
  });

  it('prints a letter accepted at the cut-off the next day', async () => {
    const intime = await letterAt('2024-02-05T17:29:59.999Z');
    const late = await letterAt('2024-02-05T17:30:00Z');
    await collateAt('2024-02-05T17:50:00Z');
    expect([await statusOf(intime), await statusOf(late)]).toEqual(['delivered', 'created']);
    await collateAt('2024-02-06T17:30:00Z');
    expect(await statusOf(late)).toBe('delivered');
  });

  it('names the files for the printer and lists them in a manifest', async () => {
    const first = await letterAt('2024-02-07T09:08:07Z', { postage: 'first' });
    const abroad = await letterAt('2024-02-07T10:00:00Z', {
      postage: 'europe',
      recipient: 'Ada\n1 Rue\nParis\nFrance',
      international: true,
    });
    await collateAt('2024-02-07T17:30:00Z');
    const names = [
      `NOTIFY.${letterReference(first)}.D.1.C.20240207090807.PDF`,
      `NOTIFY.${letterReference(abroad)}.D.E.C.20240207100000.PDF`,
    ];
    const manifestName = `MANIFEST.${letterReference(first)}.JSON`;
    expect((await filesOf('2024-02-07')).sort()).toEqual([manifestName, ...names].sort());
    const pdf = await readFile(join(folder, '2024-02-07', names[0] ?? ''));
    expect(pdf).toEqual(harness.files.kept.get(letterFiles.finished(first)));
    const manifest = JSON.parse(await readFile(join(folder, '2024-02-07', manifestName), 'utf8'));
    expect(manifest).toEqual({
      print_run: '2024-02-07',
      letters: [
        {
          file: names[0],
          reference: letterReference(first),
          notification_id: first,
          postage: 'first',
          sheets: 1,
          bytes: pdf.length,
          callback_url: expect.stringContaining(`/notifications/letter/status?token=${first}.`),
        },
        expect.objectContaining({ file: names[1], postage: 'europe' }),
      ],
    });
    expect(await letterRow(harness, first)).toMatchObject({
      provider: 'press',
      provider_reference: letterReference(first),
      sent_at: '2024-02-07T17:30:00.000000Z',
    });
  });

  it('skips letters of test keys, cancelled letters and letters without a file', async () => {
    const test = await letterAt('2024-02-08T12:00:00Z', { key_type: 'test' });
    const cancelled = await letterAt('2024-02-08T12:00:00Z');
    await harness.admin('POST', `/service/${service}/notifications/${cancelled}/cancel`);
    const lost = await letterAt('2024-02-08T12:00:00Z');
    await harness.files.remove(letterFiles.finished(lost));
    await collateAt('2024-02-08T17:30:00Z');
    expect([await statusOf(test), await statusOf(cancelled), await statusOf(lost)]).toEqual([
      'delivered',
      'cancelled',
      'created',
    ]);
    expect(await filesOf('2024-02-08')).toEqual([]);
    expect(harness.logged.some((line) => line.includes('was not printed'))).toBe(true);
  });

  it('hands over an interrupted batch again under the same names', async () => {
    const id = await letterAt('2024-02-09T12:00:00Z');
    const { handOver } = harness.app.printer;
    harness.app.printer.handOver = async (batch) => {
      await handOver(batch);
      throw new Error('the process died here');
    };
    await collateAt('2024-02-09T17:30:00Z');
    harness.app.printer.handOver = handOver;
    expect(await statusOf(id)).toBe('created');
    const before = await filesOf('2024-02-09');
    await collateAt('2024-02-09T17:50:00Z');
    expect(await statusOf(id)).toBe('delivered');
    expect(await filesOf('2024-02-09')).toEqual(before);
  });

  it('hands over a batch that was uploaded in part in the same folder the next evening', async () => {
    const moment = '2024-02-12T12:00:00Z';
    const ids = [await letterAt(moment), await letterAt(moment), await letterAt(moment)];
    const { handOver } = harness.app.printer;
    const runs: { day: string; files: string[] }[] = [];
    harness.app.printer.handOver = async ({ day, letters }) => {
      await handOver({ day, letters: letters.slice(0, 1) });
      throw new Error('the disk of the printer is full');
    };
    await collateAt('2024-02-12T17:30:00Z');
    expect(await Promise.all(ids.map(statusOf))).toEqual(['created', 'created', 'created']);
    harness.app.printer.handOver = async (batch) => {
      runs.push({ day: batch.day, files: batch.letters.map(({ name }) => name) });
      await handOver(batch);
    };
    const added = await letterAt('2024-02-13T12:00:00Z');
    await collateAt('2024-02-13T17:30:00Z');
    harness.app.printer.handOver = handOver;
    const names = (letters: string[], accepted: string) =>
      letters.map((id) => letterFileName(harness.app.country, letterReference(id), 'second', new Date(accepted)));
    expect(runs).toEqual([
      { day: '2024-02-12', files: names(ids.toSorted(), moment) },
      { day: '2024-02-13', files: names([added], '2024-02-13T12:00:00Z') },
    ]);
    expect(await Promise.all([...ids, added].map(statusOf))).toEqual(Array(4).fill('delivered'));
  });
});

describe('despatch', () => {
  async function despatchOf(id: string) {
    return harness.app.db.selectFrom('letter_despatches').selectAll().where('notification_id', '=', id).execute();
  }

  it('is recorded once, with the London day and the sheets', async () => {
    const id = await letterAt('2024-07-22T12:00:00Z');
    await collateAt('2024-07-22T16:30:00Z');
    expect(await despatchOf(id)).toMatchObject([
      { despatched_on: '2024-07-22', postage: 'second', sheets: 1, cost_threshold: 'unsorted', service_id: service },
    ]);
    const again = { notification_id: id, despatched_at: new Date(), cost_threshold: 'sorted' as const };
    const changed = await inTransaction(harness.app.db, (tx) =>
      recordDespatches(harness.app.country, tx, [again], harness.clock.now()),
    );
    expect(changed).toEqual([]);
    expect(await despatchOf(id)).toHaveLength(1);
  });

  it('is left to the printer when receipts are held', async () => {
    const { despatchesItselfAfter_ms, ...held } = harness.app.printer;
    const own = harness.app.printer;
    harness.app.printer = held;
    const id = await letterAt('2024-07-23T12:00:00Z');
    await collateAt('2024-07-23T16:30:00Z');
    harness.app.printer = own;
    expect(await statusOf(id)).toBe('sending');
    expect(despatchesItselfAfter_ms).toBe(0);
  });
});

describe('clean-letters', () => {
  it('ends letters after 90 days: delivered if handed over to the printer, otherwise failed', async () => {
    const held = await letterAt('2024-05-02T12:00:00Z', { status: 'sending' });
    const lost = await letterAt('2024-05-02T12:00:00Z', { status: 'pending-virus-check' });
    for (const [now, statuses] of [
      ['2024-07-31T11:00:00Z', ['sending', 'pending-virus-check']],
      ['2024-07-31T13:00:00Z', ['delivered', 'technical-failure']],
    ] as const) {
      harness.clock.set(now);
      await harness.addTask('clean-letters');
      await harness.runTasks();
      expect([await statusOf(held), await statusOf(lost)]).toEqual(statuses);
    }
  });

  it('deletes files of the sandbox after a week', async () => {
    await letterAt('2024-09-02T12:00:00Z');
    await collateAt('2024-09-02T16:30:00Z');
    for (const [now, files] of [
      ['2024-09-09T04:30:00Z', 2],
      ['2024-09-10T04:30:00Z', 0],
    ] as const) {
      harness.clock.set(now);
      await harness.addTask('clean-letters');
      await harness.runTasks();
      expect(await filesOf('2024-09-02')).toHaveLength(files);
    }
  });
});

describe('file names and references', () => {
  it.each([
    ['first', '1'],
    ['second', '2'],
    ['economy', 'ECONOMY'],
    ['europe', 'E'],
    ['rest-of-world', 'N'],
  ] as const)('%s is %s', (postage, mark) => {
    expect(letterFileName(harness.app.country, 'ABCDEFGH12345678', postage, new Date('2026-07-01T22:30:00Z'))).toBe(
      `NOTIFY.ABCDEFGH12345678.D.${mark}.C.20260701233000.PDF`,
    );
  });

  it('a reference is 16 capitals and digits, and stable for a letter', () => {
    const id = '018f3a2b-0000-7000-8000-000000000001';
    expect(letterReference(id)).toMatch(/^[A-Z0-9]{16}$/);
    expect(letterReference(id)).toBe(letterReference(id.toUpperCase()));
    expect(letterReference(id)).not.toBe(letterReference('018f3a2b-0000-7000-8000-000000000002'));
  });
});
