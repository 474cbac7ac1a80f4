import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { aNotification, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { metricsOf } from '../../../test/kit/world/metrics.ts';
import type { NewNotification } from '../../notifications/notification.ts';
import { measureLetters } from './late-letters.ts';

const harness = useHarness();
let service: string;
let template: string;

beforeAll(() => measureLetters(harness.app));

beforeEach(async () => {
  service = await aService(harness);
  template = await aTemplate(harness, service, { template_type: 'letter' });
  await harness.app.pool.query('delete from notifications');
});

/** A letter created at this time with this status. */
async function letter(created: string, status: NewNotification['status'], sent_at?: string): Promise<void> {
  harness.clock.set(created);
  const id = await aNotification(harness, service, template, { notification_type: 'letter', status });
  if (sent_at) await harness.app.pool.query('update notifications set sent_at = $2 where id = $1', [id, sent_at]);
}

async function problemsAt(moment: string): Promise<Record<string, number>> {
  harness.clock.set(moment);
  harness.logged.length = 0;
  await harness.addTask('check-letters');
  await harness.runTasks();
  const lines = harness.logged.map((line) => JSON.parse(line)).filter(({ problem }) => problem);
  const text = await metricsOf(harness);
  for (const { problem, letters } of lines) expect(text).toContain(`late_letters{problem="${problem}"} ${letters}`);
  return Object.fromEntries(lines.map(({ problem, letters }) => [problem, letters]));
}

// 15 July 2024 is a Monday; London is an hour ahead of UTC.
describe('check-letters', () => {
  it('reports letters that missed their print run, after the end of the run', async () => {
    await letter('2024-07-15T16:29:00Z', 'created');
    expect(await problemsAt('2024-07-15T19:00:00Z')).toEqual({});
    expect(await problemsAt('2024-07-16T07:00:00Z')).toEqual({ not_printed: 1 });
  });

  it('does not report the letters of a weekend before Monday evening', async () => {
    await letter('2024-07-12T16:30:00Z', 'created');
    expect(await problemsAt('2024-07-15T07:00:00Z')).toEqual({});
    expect(await problemsAt('2024-07-16T07:00:00Z')).toEqual({ not_printed: 1 });
  });

  it('reports letters that have been at the printer for two working days', async () => {
    await letter('2024-07-12T12:00:00Z', 'sending', '2024-07-12T16:30:10Z');
    expect(await problemsAt('2024-07-15T19:00:00Z')).toEqual({});
    expect(await problemsAt('2024-07-16T07:00:00Z')).toEqual({});
    expect(await problemsAt('2024-07-17T07:00:00Z')).toEqual({ not_despatched: 1 });
  });

  it('reports uploads that are not scanned, and failures of the last three days', async () => {
    await letter('2024-07-15T06:49:00Z', 'pending-virus-check');
    await letter('2024-07-15T06:55:00Z', 'pending-virus-check');
    await letter('2024-07-13T12:00:00Z', 'technical-failure');
    expect(await problemsAt('2024-07-15T07:00:00Z')).toEqual({ not_scanned: 1, failed: 1 });
    expect(await problemsAt('2024-07-17T07:00:00Z')).not.toHaveProperty('failed');
  });
});
