import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aLetter, letterRow } from '../../../test/kit/builders/letters.ts';
import { aNotification, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../test/kit/world/console-people.ts';
import { gb } from '../../countries/gb.ts';
import { later } from '../../platform/clock.ts';
import { collatingTimes } from './print-run.ts';

const folder = await mkdtemp(join(tmpdir(), 'cut-off-'));
afterAll(() => rm(folder, { recursive: true }));

const minute_ms = 60_000;

/** The cut-offs of a Sunday on which clocks change, and of the Monday after. */
const examples = [
  {
    ...{ zone: 'Europe/London', cutOff: '17:30', words: '5.30pm' },
    changes: [
      { sunday: '2026-03-29T16:30Z', monday: '2026-03-30T16:30Z' },
      { sunday: '2025-10-26T17:30Z', monday: '2025-10-27T17:30Z' },
    ],
  },
  {
    ...{ zone: 'Europe/Amsterdam', cutOff: '17:00', words: '5pm' },
    changes: [
      { sunday: '2026-03-29T15:00Z', monday: '2026-03-30T15:00Z' },
      { sunday: '2025-10-26T16:00Z', monday: '2025-10-27T16:00Z' },
    ],
  },
  {
    ...{ zone: 'America/New_York', cutOff: '11:45', words: '11.45am' },
    changes: [
      { sunday: '2026-03-08T15:45Z', monday: '2026-03-09T15:45Z' },
      { sunday: '2025-11-02T16:45Z', monday: '2025-11-03T16:45Z' },
    ],
  },
];

describe.each(examples)('the cut-off at $cutOff in $zone', ({ zone, cutOff, words, changes }) => {
  const harness = useHarness({
    country: { ...gb, calendar: { ...gb.calendar, zone }, letter: { ...gb.letter, cutOff } },
    config: { letters: { printFolder: folder, printer: 'press' }, providers: { sandbox: { delay_ms: 0 } } },
  });
  let service: string;
  let uploads: string;

  beforeAll(async () => {
    service = await aService(harness);
    uploads = await aTemplate(harness, service, { template_type: 'letter', hidden: true });
  });

  const uploadedAt = (moment: Date) => {
    harness.clock.set(moment.toISOString());
    return aNotification(harness, service, uploads, { notification_type: 'letter' });
  };
  const cancelAt = (moment: Date, id: string) => {
    harness.clock.set(moment.toISOString());
    return harness.admin('POST', `/service/${service}/notifications/${id}/cancel`);
  };
  const seconds = (moment: Date) => moment.toISOString().slice(0, 19).replace('T', ' ');

  it.each(changes)('is when a letter can no longer be cancelled: $sunday', async ({ sunday }) => {
    const at = new Date(sunday);
    const [first, second] = [await uploadedAt(later(at, -minute_ms)), await uploadedAt(later(at, -minute_ms))];
    expect((await cancelAt(later(at, -1), first)).status).toBe(200);
    const refused = await cancelAt(at, second);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      `It’s too late to cancel this letter. Printing started today at ${words}`,
    ]);
  });

  it.each(changes)('divides the days of uploaded letters: $sunday', async ({ sunday, monday }) => {
    service = await aService(harness);
    uploads = await aTemplate(harness, service, { template_type: 'letter', hidden: true });
    const at = new Date(sunday);
    const before = await uploadedAt(later(at, -minute_ms));
    const after = await uploadedAt(later(at, minute_ms));
    const { body } = await harness.admin('GET', `/service/${service}/upload`);
    expect(body.data).toMatchObject([
      { upload_type: 'letter_day', notification_count: 1, created_at: seconds(new Date(monday)) },
      { upload_type: 'letter_day', notification_count: 1, created_at: seconds(at) },
    ]);
    for (const [day, id] of [
      [sunday, before],
      [monday, after],
    ] as const) {
      const url = `/service/${service}/upload/uploaded-letters/${day.slice(0, 10)}`;
      expect((await harness.admin('GET', url)).body.notifications).toMatchObject([{ id }]);
    }
  });

  it.each(changes)('is when letters are printed: $monday', async ({ sunday, monday }) => {
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const letterAt = async (moment: Date) => {
      harness.clock.set(moment.toISOString());
      const id = await aLetter(harness, service, template);
      await harness.runTasks();
      return id;
    };
    const statusesAt = async (moment: Date, ids: string[]) => {
      harness.clock.set(moment.toISOString());
      await harness.addTask('collate-letters');
      await harness.runTasks();
      return Promise.all(ids.map(async (id) => (await letterRow(harness, id)).status));
    };
    const at = new Date(monday);
    const ids = [await letterAt(new Date(sunday)), await letterAt(later(at, -minute_ms)), await letterAt(at)];
    expect(await statusesAt(later(at, -1), ids)).toEqual(['created', 'created', 'created']);
    expect(await statusesAt(later(at, minute_ms), ids)).toEqual(['delivered', 'delivered', 'created']);
  });
});

describe('continuous printing', () => {
  const harness = useHarness({
    now: '2026-11-18T20:01:00Z',
    country: { ...gb, letter: { ...gb.letter, cutOff: 'continuous' } },
    config: { letters: { printFolder: folder, printer: 'press' }, providers: { sandbox: { delay_ms: 0 } } },
  });

  it('prints a letter within five minutes, until when it can be cancelled', async () => {
    const service = await aService(harness);
    const template = await aTemplate(harness, service, { template_type: 'letter' });
    const [printed, cancelled, late] = [
      await aLetter(harness, service, template),
      await aLetter(harness, service, template),
      await aLetter(harness, service, template),
    ];
    await harness.runTasks();
    const cancel = (id: string) => harness.admin('POST', `/service/${service}/notifications/${id}/cancel`);
    const collate = async () => {
      await harness.addTask('collate-letters');
      await harness.runTasks();
      return (await letterRow(harness, printed)).status;
    };
    expect(await collate()).toBe('created');
    harness.clock.set('2026-11-18T20:04:59Z');
    expect((await cancel(cancelled)).status).toBe(200);
    harness.clock.set('2026-11-18T20:05:00Z');
    const refused = await cancel(late);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'It’s too late to cancel this letter. Printing started today at 8.05pm',
    ]);
    expect(await collate()).toBe('delivered');
    expect((await letterRow(harness, cancelled)).status).toBe('cancelled');
  });

  it('shows the day in the console, without a time', async () => {
    const { id } = await aPerson(harness);
    const service = await aService(harness);
    await joinService(harness, service, id);
    harness.clock.set('2026-11-21T12:00:00Z');
    const letter = await aLetter(harness, service, await aTemplate(harness, service, { template_type: 'letter' }));
    await harness.runTasks();
    const { text } = await (await signedIn(harness, id)).get(`/console/services/${service}/messages/${letter}`);
    expect(text).toContain('Monday 23 November');
    expect(text).not.toContain('November after');
  });

  it('collates every five minutes', () => {
    expect(collatingTimes(harness.app.country, harness.clock.now())).toBe('*/5 * * * *');
  });
});
