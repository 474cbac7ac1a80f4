import { beforeAll, describe, expect, it } from 'vitest';
import { aPlan, changeStepStatus, planRecipient } from '../../../../test/kit/builders/plans.ts';
import { anApiKey, aService } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { costOfLetter, costOfTexts } from '../../../billing/rates.ts';
import { findRateOf } from '../../../notifications/rates-abroad.ts';
import { parsePhoneNumber } from '../../../recipients/phone-number.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' } } },
});
let service: string;
let key: string;
let plan_id: string;
let list: string;
let sender: ConsoleVisitor;
let reader: ConsoleVisitor;

beforeAll(async () => {
  service = await aService(harness);
  list = `/console/services/${service}/plan-messages`;
  key = await anApiKey(harness, service);
  plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }, { channel: 'letter' }]);
  const join = async (permissions: string[]) => {
    const { id } = await aPerson(harness);
    await joinService(harness, service, id, permissions);
    return signedIn(harness, id);
  };
  sender = await join(['send_messages', 'view_activity']);
  reader = await join(['view_activity']);
});

function numberOf(text: string) {
  const parsed = parsePhoneNumber(harness.app.country.phone, text);
  if (!parsed.ok) throw new Error(`${text} is no number`);
  return parsed.number;
}

async function accepted(change: object = {}): Promise<string> {
  const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' }, ...change };
  const { status, body } = await harness.v2('POST', '/v2/messages', key, request);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

const read = async (id: string) => (await harness.v2('GET', `/v2/messages/${id}`, key)).body;

describe('a message with a channel plan', () => {
  it('has a page with the times and outcomes of its steps, and each step leads to it and back', async () => {
    const { address_line_1: _, ...withoutLetter } = planRecipient;
    const recipient = { email_address: withoutLetter.email_address, phone_number: withoutLetter.phone_number };
    const id = await accepted({ recipient, reference: 'case <7>' });
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    harness.clock.advance({ minutes: 5 });
    await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure' });
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    const { text } = await reader.get(`${list}/${id}`);
    const [email, sms] = (await read(id)).steps;
    for (const shown of [
      'In progress',
      'case &lt;7>',
      'The email address does not exist.',
      'Email: Failed',
      'Text handed over',
      'Waits until <time datetime="2026-11-17T12:05:00Z"',
      'Not started yet',
      '12:05:00',
      `href="/console/services/${service}/messages/${email.notification_id}"`,
      `href="/console/services/${service}/messages/${sms.notification_id}"`,
    ])
      expect(text).toContain(shown);
    const step = await reader.get(`/console/services/${service}/messages/${sms.notification_id}`);
    expect(step.text).toContain(`href="${list}/${id}"`);
    const stopped = await accepted({ recipient });
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    await harness.v2('POST', `/v2/messages/${stopped}/cancel`, key);
    expect((await reader.get(`${list}/${stopped}`)).text).not.toContain('Waits until');
    await changeStepStatus(harness, { id, step: 2, status: 'temporary-failure' });
    await harness.deliver();
    const ended = (await reader.get(`${list}/${id}`)).text;
    for (const shown of ['Letter: Skipped', 'The request had no postal address.']) expect(ended).toContain(shown);
    const delivered = await accepted();
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    await changeStepStatus(harness, { id: delivered, step: 1, status: 'delivered' });
    await harness.deliver();
    expect((await reader.get(`${list}/${delivered}`)).text).toContain('It was not needed.');
  });

  it('says that a step was skipped because an earlier one could be sent', async () => {
    const steps = [{ channel: 'email' }, { channel: 'sms', only_if_missing: true }] as const;
    const id = await accepted({ plan_id: await aPlan(harness, service, [...steps], 'Only if missing') });
    await harness.deliver();
    await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure' });
    await harness.deliver();
    const { text } = await reader.get(`${list}/${id}`);
    expect(text).toContain('An earlier step could be sent.');
    expect(text).not.toContain('It was not needed.');
  });

  it('is in a list by status, and older ones on the next page', async () => {
    const id = await accepted({ reference: 'first', scheduled_for: '2026-11-16T20:00:00Z' });
    const page = await reader.get(`${list}?status=created`);
    expect(page.text).toContain(`href="${list}/${id}"`);
    expect((await reader.get(`${list}?status=created&plan=${service}`)).text).toContain('No messages found');
    expect((await reader.get(`${list}?status=created&older_than=${id}`)).text).not.toContain(`href="${list}/${id}"`);
  });

  it('says what it has cost, and what its steps may still cost', async () => {
    const { price } = harness.app.country.money;
    const texts = async (parts: number) => (await costOfTexts(harness.app, parts)) ?? 0;
    const post = (await costOfLetter(harness.app, 1, 'second')) ?? 0;
    const costOf = async (id: string) =>
      /<dt>Cost<\/dt><dd>([^<]*)/.exec((await reader.get(`${list}/${id}`)).text)?.[1];
    // The name makes the text longer.
    const id = await accepted({ personalisation: { name: 'A'.repeat(200) } });
    expect(await costOf(id)).toBe(`0p so far, at most ${price((await texts(2)) + post)} more`);
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure' });
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    expect(await costOf(id)).toBe(`${price(await texts(2))} so far, at most ${price(post)} more`);
    await changeStepStatus(harness, { id, step: 2, status: 'delivered' });
    await harness.deliver();
    expect(await costOf(id)).toBe(price(await texts(2)));
    // Nobody gets a letter, because there is no address. A text to France costs more.
    const recipient = { email_address: 'ada@example.org', phone_number: '+33612345678' };
    const toFrance = Number((await findRateOf(harness.app.country.phone, numberOf('+33612345678')))?.multiplier);
    expect(toFrance).toBeGreaterThan(1);
    const abroad = await accepted({ recipient, scheduled_for: '2026-11-16T20:00:00Z' });
    expect(await costOf(abroad)).toBe(`0p so far, at most ${price(await texts(toFrance))} more`);
    await harness.v2('POST', `/v2/messages/${abroad}/cancel`, key);
    expect(await costOf(abroad)).toBe('0p');
    // Only for people whom no other step could be sent to.
    const fallback = await aPlan(
      harness,
      service,
      [{ channel: 'email' }, { channel: 'letter', only_if_missing: true }],
      'Fallback',
    );
    const later = { plan_id: fallback, scheduled_for: '2026-11-16T20:00:00Z' };
    expect(await costOf(await accepted(later))).toBe(`0p so far, at most ${price(post)} more`);
    const test = await anApiKey(harness, service, { key_type: 'test' });
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
    expect(await costOf((await harness.v2('POST', '/v2/messages', test, request)).body.id)).toBeUndefined();
  });

  it('is found by its whole reference, and by its plan, together with a status', async () => {
    const other = await aPlan(harness, service, [{ channel: 'sms' }, { channel: 'email' }], 'Reminders');
    const later = { scheduled_for: '2026-11-16T20:00:00Z' };
    const [mine, same, elsewhere] = [
      await accepted({ ...later, reference: 'Ada & co' }),
      await accepted({ ...later, reference: 'Ada & co 2' }),
      await accepted({ ...later, reference: 'Ada & co', plan_id: other }),
    ];
    const idsOn = ({ text }: { text: string }) =>
      [mine, same, elsewhere].filter((id) => text.includes(`${list}/${id}`));
    const find = async (form: Record<string, string>) => reader.follow(await reader.post(list, form));
    const page = await find({ find: ' Ada & co ' });
    expect(idsOn(page)).toEqual([mine, elsewhere]);
    expect(page.text).toContain('value="Ada &amp; co"');
    expect(idsOn(await find({ find: 'Ada & co', plan: other }))).toEqual([elsewhere]);
    const byPlan = await find({ plan: other });
    expect(idsOn(byPlan)).toEqual([elsewhere]);
    expect(byPlan.text).toContain(`?plan=${other}&amp;status=failed`);
    expect(idsOn(await reader.get(`${list}?plan=${other}&status=created`))).toEqual([elsewhere]);
    expect(idsOn(await reader.get(`${list}?plan=${other}&status=failed`))).toEqual([]);
    expect((await find({ find: 'Ada' })).text).toContain('No messages found');
    // The reference stays out of addresses.
    expect((await reader.post(list, { find: 'Ada & co' })).location).not.toContain('Ada');
    await harness.admin('DELETE', `/service/${service}/channel-plan/${other}`);
    expect((await reader.get(`${list}?plan=${other}`)).text).toMatch(/<option[^>]* selected[^>]*>Archived plan/);
    // Not a plan, and one of another service.
    expect((await reader.get(`${list}?plan=x`)).status).toBe(200);
    const foreign = await aPlan(harness, await aService(harness), [{ channel: 'sms' }, { channel: 'email' }]);
    expect(idsOn(await reader.get(`${list}?plan=${foreign}`))).toEqual([]);
    expect((await reader.post(list, { plan: 'x' })).status).toBe(400);
  });

  it('is cancelled by those who may send, and only while it is open', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T20:00:00Z' });
    const page = `${list}/${id}`;
    expect((await reader.get(page)).text).not.toContain(`${page}/cancel`);
    expect((await reader.post(`${page}/cancel`, {})).status).toBe(403);
    expect((await sender.get(page)).text).toContain(`${page}/cancel`);
    const cancelled = await sender.follow(await sender.post(`${page}/cancel`, {}));
    expect(cancelled.text).toContain('Message cancelled.');
    expect((await read(id)).status).toBe('cancelled');
    const log = await harness.admin('GET', `/platform-admin/audit-log?thing_id=${id}`);
    expect(log.text).toContain('plan_message');
    const done = await accepted();
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    await changeStepStatus(harness, { id: done, step: 1, status: 'delivered' });
    await harness.deliver();
    const refused = await sender.post(`${list}/${done}/cancel`, {});
    expect([refused.status, refused.problems]).toEqual([
      400,
      { '': 'This message has ended, so it cannot be cancelled' },
    ]);
    expect(refused.text).not.toContain(`action="${list}/${done}/cancel"`);
  });

  it('of another service is not found', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T20:00:00Z' });
    const { id: stranger } = await aPerson(harness);
    const other = await aService(harness);
    await joinService(harness, other, stranger);
    const browser = await signedIn(harness, stranger);
    expect((await browser.get(`/console/services/${other}/plan-messages/${id}`)).status).toBe(404);
    expect((await browser.post(`/console/services/${other}/plan-messages/${id}/cancel`, {})).status).toBe(404);
    expect((await read(id)).status).toBe('created');
  });
});
