import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { recordInboundText } from '../../../inbound/inbound-texts.ts';
import { inTransaction } from '../../../platform/db/database.ts';

const harness = useHarness({ now: '2026-11-13T12:00:00Z' });

let service: string;
let browser: ConsoleVisitor;
let received: string;

beforeAll(async () => {
  const { id } = await aPerson(harness);
  service = await aService(harness);
  await joinService(harness, service, id);
  browser = await signedIn(harness, id);
  received = `/console/services/${service}/received`;
});

async function receive(user_number: string, content: string, serviceId = service): Promise<string> {
  harness.clock.advance({ seconds: 1 });
  const text = { service_id: serviceId, notify_number: '447900900001', user_number, content, provider: 'any' };
  const { id } = await inTransaction(harness.app.db, (tx) =>
    recordInboundText(tx, harness.app.country.phone, text, harness.clock.now()),
  );
  return id;
}

describe('received texts', () => {
  it('200 without any', async () => {
    const page = await browser.get(received);
    expect(page.text).toContain('No texts received');
    expect(page.text).toContain(`href="/console/services/${service}/settings/text/receive"`);
  });

  it('200 and says who can start to receive them', async () => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['view_activity']);
    const { text } = await (await signedIn(harness, id)).get(received);
    expect(text).toContain('Ask someone with the permission “Manage settings, team and usage” to switch it on.');
    expect(text).not.toContain('settings/text/receive');
  });

  it('are listed by number, newest first, with no number in an address', async () => {
    await receive('07700 900123', 'Yes please');
    const other = await receive('07700 900456', '<b>=1+1</b>');
    const newest = await receive('07700 900123', 'And thank you');
    const page = await browser.get(received);
    expect([...page.text.matchAll(/href="([^"]+\/received\/[0-9a-f-]{36})"/g)].map(([, address]) => address)).toEqual([
      `${received}/${newest}`,
      `${received}/${other}`,
    ]);
    expect(page.text).toContain('07700 900456');
    expect(page.text).toContain('&lt;b>=1+1&lt;/b>');
    expect((await browser.get(`${received}/csv`)).text).toContain('And thank you');
  });

  it('404 for a text of another service', async () => {
    const foreign = await receive('07700 900123', 'Hello', await aService(harness));
    expect((await browser.get(`${received}/${foreign}`)).status).toBe(404);
    expect((await browser.get(`${received}/${foreign}/reply`)).status).toBe(404);
  });
});

describe('a conversation', () => {
  it('is answered with a template, and shows both sides', async () => {
    const id = await receive('07700 900789', 'Can I come on Friday?');
    const template = await aTemplate(harness, service, { name: 'Answer', content: 'Hello ((name)), yes.' });
    const choose = await browser.get(`${received}/${id}/reply`);
    expect(choose.text).toContain(`${received}/${id}/reply/${template}`);
    const form = `${received}/${id}/reply/${template}`;
    const missing = await browser.post(form, { 'names[]': ['name'], 'values[]': [''] });
    expect(missing.problems).toEqual({ value_0: 'Enter a value for name.' });
    const sent = await browser.post(form, { 'names[]': ['name'], 'values[]': ['Ada'] });
    expect(sent.location).toBe(`${received}/${id}`);
    const page = await browser.follow(sent);
    expect(page.h1).toBe('Conversation with 07700 900789');
    expect(page.text.indexOf('Can I come on Friday?')).toBeLessThan(page.text.indexOf('Hello Ada, yes.'));
    expect(page.text).toContain('Reply sent.');
  });
});
