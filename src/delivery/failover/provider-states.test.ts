import { beforeAll, describe, expect, it } from 'vitest';
import { someQueuedMessages } from '../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../test/kit/world/console-visitor.ts';

/** The sandbox takes texts and emails under one name. */
const harness = useHarness({ now: '2026-11-16T12:00:00Z' });

let operator: ConsoleVisitor;
beforeAll(async () => {
  operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
  const service = await aService(harness);
  await someQueuedMessages(harness, service, [...Array(3).fill({}), { notification_type: 'email' }]);
  await harness.deliver();
});

const rowsOf = (text: string) =>
  [...text.matchAll(/<tr><th scope="row">(.*?)<\/tr>/gs)].map(([row]) => row).filter((row) => row.includes('Sandbox'));
const lastHour = (row: string) => /data-label="Last hour">(\d+)</.exec(row)?.[1];

describe('the last hour of a provider', () => {
  it.each(['', '/providers'])('counts the messages of one channel, at /operator%s', async (path) => {
    const { text } = await operator.get(`/console/operator${path}`);
    const rows = rowsOf(text).map(lastHour);
    expect(rows.filter((amount) => amount !== undefined && amount !== '0').toSorted()).toEqual(['1', '3']);
  });

  it('knows the receipts of one channel', async () => {
    harness.clock.advance({ seconds: 5 });
    await harness.deliver();
    const { rows } = await harness.app.pool.query(
      'select provider, sum(delivered_in_time)::int as delivered from provider_health_counts group by 1 order by 1',
    );
    expect(rows).toEqual([
      { provider: 'sandbox', delivered: 3 },
      { provider: 'sandbox-email', delivered: 1 },
    ]);
  });
});
