import { describe, expect, it } from 'vitest';
import { aQueuedMessage, messageOf, queueOf, someQueuedMessages } from '../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { metricsOf } from '../../test/kit/world/metrics.ts';
import { timestamp } from '../platform/clock.ts';
import { buildDelivery } from './delivery.ts';
import { findSource } from './sandbox/email-sources.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z', config: { demo: { enabled: true } } });

const sourceOf = async (id: string) => (await findSource(harness.app, id))?.toString() ?? '';

describe('sending to the sandbox', () => {
  it('a text message is sending, then delivered when its receipt is due', async () => {
    const service = await aService(harness, { name: 'Parking permits', prefix_sms: true });
    const id = await aQueuedMessage(harness, service);
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({
      status: 'sending',
      provider: 'sandbox',
      billable_units: 1,
      sent_at: '2026-11-15T12:00:00.000000Z',
    });
    expect(await queueOf(harness, id)).toBeUndefined();
    const { text } = await harness.request({ method: 'GET', url: `/outbox/${id}` });
    expect(text).toBe('From: TESTING\nTo: 447700900123\n\nParking permits: Hello Ada\n');

    harness.clock.advance({ ms: 199 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('sending');
    harness.clock.advance({ ms: 1 });
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status: 'delivered', billable_units: 1 });
  });

  it('an email has the sender of the service, its reply-to address and both bodies', async () => {
    const service = await aService(harness, { name: 'Café permits' });
    const id = await aQueuedMessage(harness, service, {
      notification_type: 'email',
      one_click_unsubscribe_url: 'https://example.org/stop',
    });
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status: 'sending', provider: 'sandbox', billable_units: 0 });
    const eml = await sourceOf(id);
    expect(eml).toContain('To: ada@example.org');
    expect(eml).toContain('Reply-To: reply@example.org');
    expect(eml).toContain('Subject: About engines');
    expect(eml).toContain('List-Unsubscribe: <https://example.org/stop>');
    expect(eml).toContain('List-Unsubscribe-Post: List-Unsubscribe=One-Click');
    expect(eml).toContain(`Message-ID: <${id}@notifications.example>`);
    expect(eml).toContain('Hello Ada');
    expect(eml).toContain('text/html');
  });

  it.each([
    ['ordinary values', { name: 'Ada Lovelace', link: 'https://example.org/?a=1&b=2' }],
    ['values in Markdown', { name: '* "Ada"\n* O\'Brien <b>', link: '[x](https://example.org)' }],
  ])('an email with %s equals its preview', async (_, personalisation) => {
    const service = await aService(harness);
    const template_id = await aTemplate(harness, service, {
      template_type: 'email',
      subject: "((name))'s form",
      content: 'Dear ((name)),\n\n* go to ((link))\n* [or here](https://example.com "x") - now',
    });
    const key = await anApiKey(harness, service);
    const preview = await harness.v2('POST', `/v2/template/${template_id}/preview`, key, { personalisation });
    const id = await aQueuedMessage(harness, service, { notification_type: 'email', template_id, personalisation });
    await harness.deliver();
    const eml = await sourceOf(id);
    const part = eml.slice(eml.indexOf('Content-Type: text/html'));
    const [headers = '', body = ''] = part.split('\r\n\r\n');
    expect(headers).toContain('Content-Transfer-Encoding: quoted-printable');
    const bytes = body
      .replace(/=\r\n/g, '')
      .replaceAll('\r\n', '\n')
      .replace(/=([0-9A-F]{2})/g, (__, hex) => String.fromCharCode(Number(`0x${hex}`)));
    const html = Buffer.from(bytes, 'latin1').toString();
    expect(preview.status).toBe(200);
    expect(html).toContain(`\n${preview.body.html}\n</td>`);
  });

  it('an international text message is sent', async () => {
    const id = await aQueuedMessage(harness, await aService(harness), {
      international: true,
      recipient: '+1 202 555 0104',
      normalised_recipient: '12025550104',
    });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('sent');
    // Receipts for this country are ignored.
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('sent');
  });

  it('a scheduled message waits until it is due', async () => {
    const due = timestamp(new Date(harness.clock.now().getTime() + 60_000));
    const id = await aQueuedMessage(harness, await aService(harness), { scheduled_for: due, due_at: due });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('created');
    harness.clock.advance({ minutes: 1 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('sending');
  });

  it.each([
    ['447700900003', 'temporary-failure'],
    ['447700900002', 'permanent-failure'],
    ['447700900001', 'delivered'],
  ])('a message of a test key to %s is %s, and is not sent', async (number, status) => {
    const id = await aQueuedMessage(harness, await aService(harness), {
      key_type: 'test',
      normalised_recipient: number,
    });
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status, provider: 'sandbox', billable_units: 1 });
    expect((await harness.request({ method: 'GET', url: `/outbox/${id}` })).status).toBe(404);
  });

  it.each([
    ['temp-fail@simulator.notify', 'temporary-failure'],
    ['perm-fail@simulator.notify', 'permanent-failure'],
    ['ada@example.org', 'delivered'],
  ])('an email of a test key to %s is %s', async (address, status) => {
    const id = await aQueuedMessage(harness, await aService(harness), {
      notification_type: 'email',
      key_type: 'test',
      normalised_recipient: address,
    });
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status, provider: 'sandbox' });
    expect(await sourceOf(id)).toBe('');
  });

  it('messages of an inactive service become technical failures', async () => {
    const id = await aQueuedMessage(harness, await aService(harness, { active: false }));
    await harness.deliver();
    expect(await messageOf(harness, id)).toMatchObject({ status: 'technical-failure', provider: null });
    expect(await queueOf(harness, id)).toBeUndefined();
  });

  it('a message older than three days is not sent', async () => {
    const id = await aQueuedMessage(harness, await aService(harness));
    harness.clock.advance({ hours: 72 });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('technical-failure');
  });

  it('only messages in status created are sent', async () => {
    const id = await aQueuedMessage(harness, await aService(harness), { status: 'cancelled' });
    await harness.deliver();
    expect((await messageOf(harness, id)).status).toBe('cancelled');
    expect(await queueOf(harness, id)).toBeUndefined();
  });

  it('many concurrent messages are sent once each', async () => {
    const service = await aService(harness);
    const ids = await someQueuedMessages(
      harness,
      service,
      Array.from({ length: 700 }, () => ({})),
    );
    await harness.deliver();
    const rows = await harness.app.db
      .selectFrom('sandbox_messages')
      .select('times_sent')
      .where('reference', 'in', ids)
      .execute();
    expect(rows.map(({ times_sent }) => times_sent)).toEqual(ids.map(() => 1));
  });
});

describe('GET /metrics', () => {
  it('200 with queues, hand-overs, calls, receipts and callbacks', async () => {
    const delivery = buildDelivery(harness.app);
    delivery.start();
    await delivery.stop();
    const service = await aService(harness);
    await aQueuedMessage(harness, service);
    await harness.deliver();
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    await aQueuedMessage(harness, service, { lane: 2 });
    harness.clock.advance({ seconds: 3 });
    const text = await metricsOf(harness);
    for (const line of [
      'delivery_queue_messages{notification_type="sms",lane="bulk"} 1',
      'delivery_queue_age_seconds{notification_type="sms",lane="bulk"} 3',
      'service_callbacks_waiting 0',
    ]) {
      expect(text).toContain(line);
    }
    expect(text).toMatch(
      /^provider_calls_total\{notification_type="\w+",provider="sandbox",outcome="accepted"\} \d+$/m,
    );
    expect(text).toMatch(/^provider_receipts_total\{provider="sandbox",outcome="known"\} \d+$/m);
    expect(text).toMatch(/^notifications_handed_over_total\{within_10_s="true"\} \d+$/m);
    expect(text).toMatch(/^notification_send_duration_seconds_count\{notification_type="sms",lane="normal"\} \d+$/m);
    expect(text).toMatch(
      /^notification_deliver_duration_seconds_count\{notification_type="sms",provider="sandbox"\} \d+$/m,
    );
  });
});
