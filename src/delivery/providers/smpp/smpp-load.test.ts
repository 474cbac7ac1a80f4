import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, expect, it, onTestFinished, vi } from 'vitest';
import { someQueuedMessages } from '../../../../test/kit/builders/queued-messages.ts';
import { aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { receiptText, startMessageCentre } from '../../../../test/kit/vendors/message-centre.ts';
import { buildDelivery } from '../../delivery.ts';

const centre = await startMessageCentre();
afterAll(() => centre.close());

const harness = useHarness({
  config: {
    sms: { providers: ['smpp'] },
    delivery: { retryDelay_ms: 200 },
    providers: { smpp: { url: centre.url, systemId: 'pennypost', password: 'secret', window: 50 } },
  },
});

const count = 600;
it('the connection is cut twice: none is lost, and only what broke off is sent twice', async () => {
  const service = await aService(harness);
  const ticking = setInterval(() => harness.clock.set(new Date()), 20);
  onTestFinished(() => clearInterval(ticking));
  // A receipt that is not confirmed is repeated, as by real message centres.
  const report = async (id: string): Promise<void> => {
    const receipt = { esm_class: 0x04, text: receiptText(id, 'DELIVRD') };
    while ((await centre.deliver(receipt).catch(() => 'no response')) !== 0) await sleep(50);
  };
  centre.answer = async ({ id }, nth) => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    // Those under way at this moment get no response.
    if (nth === 150 || nth === 400) centre.cut();
    setTimeout(() => void report(id), 1);
    return 'accept' as const;
  };
  const names = Array.from({ length: count }, (_, nth) => ({ personalisation: { name: String(nth) } }));
  await someQueuedMessages(harness, service, names);
  const delivery = buildDelivery(harness.app);
  delivery.start();
  const { db } = harness.app;
  const delivered = () =>
    db.selectFrom('notifications').select('id').where('service_id', '=', service).where('status', '=', 'delivered');
  const all = () => delivered().execute();
  await vi.waitFor(async () => expect(await all()).toHaveLength(count), { timeout: 50_000, interval: 100 });
  await delivery.stop();
  const { rows: broken } = await harness.app.pool.query(
    "select personalisation ->> 'name' as name from failed_attempts a join notifications n on n.id = a.notification_id where outcome = 'unknown'",
  );
  const sends = new Map<string, number>();
  for (const { short_message } of centre.submitted) {
    const text = short_message.toString();
    sends.set(text, (sends.get(text) ?? 0) + 1);
  }
  expect(sends.size).toBe(count);
  const doubled = [...sends].filter(([, times]) => times > 1).map(([text]) => text);
  expect(doubled.length).toBeGreaterThan(0);
  expect(doubled.filter((text) => !broken.some(({ name }) => text === `Hello ${name}`))).toEqual([]);
  // Two windows at most.
  expect(broken.length).toBeLessThanOrEqual(100);
  expect(centre.mostUnderway).toBeLessThanOrEqual(50);
  expect(centre.violations).toEqual([]);
});
