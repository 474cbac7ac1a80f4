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

async function receive(
  user_number: string,
  content: string,
  serviceId = service,
  asked?: Parameters<typeof recordInboundText>[4],
): Promise<string> {
  harness.clock.advance({ seconds: 1 });
  const text = { service_id: serviceId, notify_number: '447900900001', user_number, content, provider: 'any' };
  const { id } = await inTransaction(harness.app.db, (tx) =>
    recordInboundText(tx, harness.app.country.phone, text, harness.clock.now(), asked),
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

describe('a reply', () => {
  it('is not offered, shown or sent with a template in a hidden folder, nor with one that is archived', async () => {
    const received_id = await receive('07700 900790', 'Hello?');
    const made = await harness.admin('POST', `/service/${service}/template-folder`, { name: 'HR', parent_id: null });
    const hidden = await aTemplate(harness, service, { name: 'Dismissal', content: 'Go', folder: made.body.data.id });
    const archived = await aTemplate(harness, service, { name: 'Retired', archived: true });
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['view_activity', 'send_messages']);
    const member = await signedIn(harness, id);
    const reply = `${received}/${received_id}/reply`;
    const offered = (await member.get(reply)).text;
    expect(offered).toContain('Answer');
    expect(offered).not.toMatch(/Dismissal|Retired/);
    for (const template of [hidden, archived]) {
      expect((await member.get(`${reply}/${template}`)).status).toBe(404);
      expect((await member.post(`${reply}/${template}`, { 'names[]': [], 'values[]': [] })).status).toBe(404);
    }
    expect((await member.get(`${received}/${received_id}`)).text).not.toContain('Go');
  });
});

describe('a text that is perhaps an opt-out', () => {
  const unclear = { action: 'review' as const, keyword: 'STOP' };
  let asked: string;
  const optOuts = () =>
    harness.app.db
      .selectFrom('sms_opt_outs')
      .select(['user_number', 'sender', 'keyword', 'reason', 'inbound_sms_id'])
      .where('service_id', '=', service)
      .execute();

  beforeAll(async () => {
    asked = await receive('07700 900789', 'Can you stop my appointment?', service, unclear);
  });

  it('is marked in the list and in its conversation, with the way to decide', async () => {
    expect((await browser.get(received)).text).toContain('Possible opt-out');
    const { text } = await browser.get(`${received}/${asked}`);
    expect(text).toContain('Possible opt-out');
    expect(text).toContain(`href="${received}/${asked}/opt-out"`);
  });

  it('cannot be decided by those who cannot send', async () => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, ['view_activity']);
    const reader = await signedIn(harness, id);
    expect((await reader.get(`${received}/${asked}`)).text).not.toContain('/opt-out');
    expect((await reader.post(`${received}/${asked}/opt-out`, { decision: 'go-on' })).status).toBe(403);
    expect(await optOuts()).toEqual([]);
  });

  it('stops texts to the number when a person says so, once, with a confirmation', async () => {
    const decide = () => browser.post(`${received}/${asked}/opt-out`, { decision: 'stop' });
    const decided = await browser.follow(await decide());
    expect(decided.text).toContain('Stopped. Your service sends no more texts to this number.');
    expect(decided.text).not.toContain('Possible opt-out');
    expect(decided.text).toContain('Reply START to get them again.');
    const stopped = { user_number: '447700900789', sender: '447900900001', keyword: 'STOP', reason: 'keyword' };
    expect(await optOuts()).toEqual([{ ...stopped, inbound_sms_id: asked }]);
    const again = await decide();
    expect(again.status).toBe(400);
    expect(again.text).toContain('This text is not waiting for a decision.');
    expect(await optOuts()).toHaveLength(1);
  });

  it('loses the mark, and nothing else happens, when a person says that it asks for nothing', async () => {
    const harmless = await receive('07700 900788', 'When does it stop raining?', service, unclear);
    const decided = await browser.follow(await browser.post(`${received}/${harmless}/opt-out`, { decision: 'go-on' }));
    expect(decided.text).toContain('Mark removed.');
    expect(decided.text).not.toContain('Possible opt-out');
    expect((await optOuts()).map(({ user_number }) => user_number)).not.toContain('447700900788');
    const again = await browser.post(`${received}/${harmless}/opt-out`, { decision: 'go-on' });
    expect([again.status, again.text.includes('This text is not waiting for a decision.')]).toEqual([400, true]);
    expect((await browser.post(`${received}/${harmless}/opt-out`, {})).status).toBe(400);
  });

  it('404 in another service', async () => {
    const other = await receive('07700 900789', 'stop maybe', await aService(harness), unclear);
    expect((await browser.post(`${received}/${other}/opt-out`, {})).status).toBe(404);
  });
});
