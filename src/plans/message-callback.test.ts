import { createHmac } from 'node:crypto';
import { afterAll, beforeEach, expect, it } from 'vitest';
import { aPlan, changeStepStatus, planRecipient } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { startCallbackSink } from '../../test/kit/vendors/stub-gateways.ts';
import { PlanWorker } from './advance.ts';

const sink = await startCallbackSink();
afterAll(() => sink.close());

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: {
    callbacks: { allowPrivate: true, retryDelays_ms: [5_000] },
    providers: { sandbox: { receipts: 'hold' } },
  },
});
const token = 'a-bearer-token';
let service: string;
let key: string;
let plan_id: string;

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  sink.calls.length = 0;
  sink.answer = () => 204;
  service = await aService(harness);
  key = await anApiKey(harness, service);
  plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }, { channel: 'letter' }]);
});

async function aCallback(callback_type = 'message_status') {
  const callback = { url: `${sink.url}/${callback_type}`, bearer_token: token, callback_type };
  const by = { updated_by_id: await aUser(harness) };
  expect((await harness.admin('POST', `/service/${service}/callback-api`, { ...callback, ...by })).status).toBe(201);
}

async function accepted(change: object = {}): Promise<string> {
  const request = {
    plan_id,
    recipient: planRecipient,
    personalisation: { name: 'Ada' },
    reference: 'case 7',
    ...change,
  };
  const { status, body } = await harness.v2('POST', '/v2/messages', key, request);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

const read = async (id: string) => (await harness.v2('GET', `/v2/messages/${id}`, key)).body;
const stored = async () => (await harness.admin('GET', `/service/${service}/callbacks`)).body.callbacks;
const told = () => sink.calls.map(({ body }) => JSON.parse(body));
/** In short: the status and the step, in the order in which they came. */
const news = () => told().map(({ status, step, channel }) => [status, step, channel]);

it('tells when a step starts and when the message ends, signed, with what is told of a notification', async () => {
  await aCallback();
  const id = await accepted();
  await harness.deliver();
  const [first] = (await read(id)).steps;
  const { template_id } = (await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}`)).body.data
    .steps[0];
  expect(told()).toEqual([
    {
      message_id: id,
      id: first.notification_id,
      reference: 'case 7',
      to: 'ada@example.org',
      status: 'in-progress',
      step: 1,
      channel: 'email',
      created_at: '2026-11-16T12:00:00.000000Z',
      completed_at: null,
      sent_at: null,
      notification_type: 'email',
      template_id,
      template_version: 1,
    },
  ]);
  const [{ headers, body }] = sink.calls as [(typeof sink.calls)[number]];
  expect(headers.authorization).toBe(`Bearer ${token}`);
  const signed = `${headers['webhook-id']}.${headers['webhook-timestamp']}.${body}`;
  expect(headers['webhook-signature']).toBe(`v1,${createHmac('sha256', token).update(signed).digest('base64')}`);
  await harness.deliver();
  harness.clock.advance({ hours: 1 });
  await changeStepStatus(harness, { id, step: 1, status: 'delivered' });
  await harness.deliver();
  expect(told().slice(1)).toMatchObject([
    {
      ...{ message_id: id, id: first.notification_id, status: 'delivered', step: 1, channel: 'email' },
      ...{ completed_at: '2026-11-16T13:00:00.000000Z', sent_at: '2026-11-16T12:00:00.000000Z' },
    },
  ]);
  expect(await stored()).toMatchObject([
    { callback_type: 'message_status', subject_id: id, status: 'delivered' },
    { callback_type: 'message_status', subject_id: id, status: 'delivered' },
  ]);
});

it('tells every step in order, and of a bounce that starts the next one', async () => {
  await aCallback();
  const id = await accepted();
  for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
  await changeStepStatus(harness, { id, step: 1, status: 'delivered', event: 'assumedDelivered' });
  await harness.deliver();
  harness.clock.advance({ hours: 1 });
  await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure', event: 'bounced' });
  for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
  await changeStepStatus(harness, { id, step: 2, status: 'temporary-failure' });
  await harness.deliver();
  await changeStepStatus(harness, { id, step: 3, status: 'sending', event: 'handedOver' });
  await harness.deliver();
  expect(news()).toEqual([
    ['in-progress', 1, 'email'],
    ['delivered', 1, 'email'],
    ['in-progress', 1, 'email'],
    ['in-progress', 2, 'sms'],
    ['in-progress', 3, 'letter'],
    ['delivered', 3, 'letter'],
  ]);
  expect(told().at(-1).to).toBeNull();
});

it('tells once, whoever advances the message, also of one that was cancelled before its first step', async () => {
  await aCallback();
  const cancelled = await accepted({ scheduled_for: '2026-11-16T20:00:00Z' });
  expect((await harness.v2('POST', `/v2/messages/${cancelled}/cancel`, key)).status).toBe(200);
  expect((await harness.v2('POST', `/v2/messages/${cancelled}/cancel`, key)).status).toBe(200);
  await harness.deliver();
  expect(told()).toMatchObject([{ message_id: cancelled, status: 'cancelled', step: null, channel: null, id: null }]);
  sink.calls.length = 0;
  const failed = await accepted();
  const off = { permissions: ['letter'] };
  expect((await harness.admin('POST', `/service/${service}`, off)).status).toBe(200);
  const other = await harness.anotherProcess();
  const workers = [harness.app, other.app].map((app) => new PlanWorker(app));
  await Promise.all(workers.map((worker) => worker.runOnce()));
  await harness.deliver();
  expect(news()).toEqual([['in-progress', 3, 'letter']]);
  expect(told()[0].message_id).toBe(failed);
});

it('tries again, and stores nothing for a service that asked only for the status of notifications', async () => {
  await aCallback('delivery_status');
  const id = await accepted();
  await harness.deliver();
  expect(await stored()).toEqual([]);
  await aCallback();
  sink.answer = () => 503;
  await harness.v2('POST', `/v2/messages/${id}/cancel`, key);
  await harness.deliver();
  expect(await stored()).toMatchObject([{ callback_type: 'message_status', status: 'waiting', attempts: 1 }]);
  sink.answer = () => 204;
  harness.clock.advance({ seconds: 6 });
  await harness.deliver();
  expect(await stored()).toMatchObject([{ status: 'delivered', attempts: 2 }]);
});

it('forgets what was told of an erased person, by whichever contact', async () => {
  await aCallback();
  const recipient = { email_address: 'lost@example.org', phone_number: '07700 900555' };
  const id = await accepted({ recipient });
  await harness.deliver();
  await harness.v2('POST', `/v2/messages/${id}/cancel`, key);
  await harness.deliver();
  expect((await stored()).map(({ subject_id }: { subject_id: string }) => subject_id)).toEqual([id, id]);
  const person = { recipient: '+447700900555', service_id: service };
  const found = await harness.admin('POST', '/platform-admin/find-recipient', person);
  expect(found.body.total.callback).toBe(2);
  const { body } = await harness.admin('POST', '/platform-admin/erase-recipient', person);
  expect([body.erased.plan_messages, body.erased.callbacks]).toEqual([1, 2]);
  expect(await stored()).toEqual([]);
});

it('has an example to try a receiver with', async () => {
  await aCallback();
  const test = { callback_type: 'message_status' };
  expect((await harness.admin('POST', `/service/${service}/callbacks/test`, test)).status).toBe(201);
  await harness.deliver();
  const id = await accepted();
  await harness.deliver();
  const [example, real] = told();
  expect(Object.keys(example).sort()).toEqual(Object.keys(real).sort());
  expect(real.message_id).toBe(id);
});
