import { beforeAll, describe, expect, it } from 'vitest';
import { aHeldMessage } from '../../../../test/kit/builders/queued-messages.ts';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';

const harness = useHarness({ now: '2026-11-16T08:00:00Z' });

let service: string;
let template: string;
let sender: ConsoleVisitor;
let reader: ConsoleVisitor;
beforeAll(async () => {
  service = await aService(harness, { name: 'Town Hall' });
  template = await aTemplate(harness, service, { content: 'Hello' });
  const join = async (permissions: string[]) => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, permissions);
    return signedIn(harness, id);
  };
  sender = await join(['send_messages', 'view_activity']);
  reader = await join(['view_activity']);
});

const pageOf = (id: string) => `/console/services/${service}/messages/${id}`;
const statusOf = async (id: string) =>
  (await harness.admin('GET', `/service/${service}/notifications/${id}`)).body.status;

describe('the page of a message that waits for its sending time', () => {
  it('says until when and why, and offers to send or cancel it to those who may send', async () => {
    const id = await aHeldMessage(harness, service, template);
    const { text } = await sender.get(pageOf(id));
    expect(text).toMatch(/Waits until <time [^>]*>17 Nov, 08:00<\/time> \(their time\)/);
    expect(text).toContain('are closed where the recipient is');
    expect(text).toContain(`action="${pageOf(id)}/send-now"`);
    expect(text).toContain(`action="${pageOf(id)}/cancel-waiting"`);
    const seen = await reader.get(pageOf(id));
    expect(seen.text).toContain('Waits until');
    expect(seen.text).not.toContain('send-now');
    for (const what of ['send-now', 'cancel-waiting']) {
      expect((await reader.post(`${pageOf(id)}/${what}`, {})).status).toBe(403);
    }
  });

  it('sends it now, once', async () => {
    const id = await aHeldMessage(harness, service, template);
    const sent = await sender.follow(await sender.post(`${pageOf(id)}/send-now`, {}));
    expect(sent.text).toContain('The message goes out now.');
    expect(sent.text).not.toContain('Waits until');
    await harness.deliver();
    expect(await statusOf(id)).not.toBe('created');
    const again = await sender.post(`${pageOf(id)}/send-now`, {});
    expect([again.status, again.problems]).toEqual([400, { '': 'This message does not wait for its sending time.' }]);
  });

  it('cancels it', async () => {
    const id = await aHeldMessage(harness, service, template);
    const cancelled = await sender.follow(await sender.post(`${pageOf(id)}/cancel-waiting`, {}));
    expect(cancelled.text).toContain('Message cancelled.');
    harness.clock.advance({ days: 2 });
    await harness.deliver();
    expect(await statusOf(id)).toBe('cancelled');
  });
});
