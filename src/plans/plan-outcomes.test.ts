import { beforeEach, expect, it } from 'vitest';
import { aPlan, changeStepStatus, planRecipient } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import { measurePlans } from './plan-messages.ts';
import { selectLateness, sumByStatus } from './plan-outcomes.sql.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' } } },
});
let service: string;
let key: string;
let plan_id: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  key = await anApiKey(harness, service);
  plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }]);
});

async function accepted(withKey = key): Promise<string> {
  const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
  const { status, body } = await harness.v2('POST', '/v2/messages', withKey, request);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

async function figures(of = service) {
  const { status, body } = await harness.admin('GET', `/service/${of}/channel-plan/${plan_id}/figures`);
  return status === 200 ? body.data : status;
}
const forward = async () => {
  for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
};
const nothing = { delivered: [], failed: 0, cancelled: 0, ended: 0, open: 0 };

it('counts each message where it stands, before and after the changes are added up, and no test', async () => {
  const [byEmail, byText, lost, cancelled] = [await accepted(), await accepted(), await accepted(), await accepted()];
  await accepted(await anApiKey(harness, service, { key_type: 'test' }));
  expect(await figures()).toEqual({ ...nothing, open: 4 });
  await harness.v2('POST', `/v2/messages/${cancelled}/cancel`, key);
  await harness.v2('POST', `/v2/messages/${cancelled}/cancel`, key);
  expect(await figures()).toEqual({ ...nothing, cancelled: 1, ended: 1, open: 3 });
  await forward();
  expect(await figures()).toEqual({ ...nothing, cancelled: 1, ended: 1, open: 3 });
  await changeStepStatus(harness, { id: byEmail, step: 1, status: 'delivered', event: 'assumedDelivered' });
  for (const id of [byText, lost]) await changeStepStatus(harness, { id, step: 1, status: 'temporary-failure' });
  await forward();
  await changeStepStatus(harness, { id: byText, step: 2, status: 'delivered' });
  await changeStepStatus(harness, { id: lost, step: 2, status: 'permanent-failure' });
  await forward();
  const email = { step: 1, channel: 'email', messages: 1 };
  const text = { step: 2, channel: 'sms', messages: 1 };
  expect(await figures()).toEqual({ delivered: [email, text], failed: 1, cancelled: 1, ended: 4, open: 0 });
  const rows = harness.app.db.selectFrom('plan_outcome_changes').select('plan_id').where('plan_id', '=', plan_id);
  expect(await rows.execute()).toEqual([]);
  // It bounces, and the text reaches the person.
  await changeStepStatus(harness, { id: byEmail, step: 1, status: 'permanent-failure', event: 'bounced' });
  await forward();
  expect(await figures()).toEqual({ delivered: [text], failed: 1, cancelled: 1, ended: 3, open: 1 });
  await changeStepStatus(harness, { id: byEmail, step: 2, status: 'delivered' });
  await forward();
  const all = { delivered: [{ ...text, messages: 2 }], failed: 1, cancelled: 1, ended: 4, open: 0 };
  expect(await figures()).toEqual(all);
  // Of an archived plan, too; of another service it is not found.
  expect((await harness.admin('DELETE', `/service/${service}/channel-plan/${plan_id}`)).status).toBe(204);
  expect(await figures()).toEqual(all);
  expect(await figures(await aService(harness))).toBe(404);
});

it('counts a message once when two of its steps are delivered, with the first of them', async () => {
  const id = await accepted();
  await forward();
  harness.clock.advance({ hours: 24 });
  await forward();
  await changeStepStatus(harness, { id, step: 2, status: 'delivered' });
  await forward();
  const byText = { ...nothing, delivered: [{ step: 2, channel: 'sms', messages: 1 }], ended: 1 };
  expect(await figures()).toEqual(byText);
  harness.clock.advance({ hours: 1 });
  await changeStepStatus(harness, { id, step: 1, status: 'delivered' });
  await forward();
  expect(await figures()).toEqual(byText);
  const { body } = await harness.v2('GET', `/v2/messages/${id}`, key);
  expect([body.how, body.steps[0].state]).toEqual(['sms', 'delivered']);
});

it('is measured by status, and says for how long the next step is late', async () => {
  const before = new Map((await sumByStatus(harness.app.db)).map(({ status, messages }) => [status, messages]));
  await accepted();
  const after = new Map((await sumByStatus(harness.app.db)).map(({ status, messages }) => [status, messages]));
  expect((after.get('created') ?? 0) - (before.get('created') ?? 0)).toBe(1);
  harness.clock.advance({ minutes: 11 });
  measurePlans(harness.app);
  const shown = `plan_messages{status="created"} ${after.get('created')}`;
  expect(await metricOf(harness, 'plan_messages')).toContain(shown);
  expect(await metricOf(harness, 'plan_oldest_due_seconds')).toContain('plan_oldest_due_seconds 660');
  await forward();
  expect(await selectLateness(harness.app.db, harness.clock.now().toISOString())).toBe(0);
});
