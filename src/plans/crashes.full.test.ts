import { beforeAll, describe, expect, it } from 'vitest';
import { aPlan, changeStepStatus, planRecipient } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { Crashes } from '../../test/kit/fakes/crashes.ts';
import { type Harness, useHarness } from '../../test/kit/harness.ts';
import { isLongRun } from '../../test/kit/process/process-environment.ts';
import { PlanWorker } from './advance.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { callbacks: { allowPrivate: true }, providers: { sandbox: { receipts: 'hold' } } },
});
let service: string;
let key: string;
let plan_id: string;
let dying: Pick<Harness, 'app' | 'v2'>;
let crashes: Crashes;

beforeAll(async () => {
  dying = await harness.anotherProcess();
  crashes = new Crashes(dying.app);
});

/** A service of its own, so that nothing else is due. */
async function aServiceWithPlan(): Promise<void> {
  await harness.app.db.deleteFrom('plan_messages').execute();
  harness.clock.set('2026-11-16T12:00:00Z');
  service = await aService(harness);
  key = await anApiKey(harness, service);
  plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }, { channel: 'letter' }]);
  const url = 'https://127.0.0.1:9/nobody';
  const callback = { url, bearer_token: 'a-bearer-token', callback_type: 'message_status' };
  const by = { updated_by_id: await aUser(harness) };
  expect((await harness.admin('POST', `/service/${service}/callback-api`, { ...callback, ...by })).status).toBe(201);
}

const headers = { 'idempotency-key': 'once' };
const { email_address: _, ...withoutEmail } = planRecipient;

const request = (recipient: object) => ({ plan_id, recipient, personalisation: { name: 'Ada' } });

async function accepted(recipient: object = planRecipient): Promise<string> {
  const { status, body } = await harness.v2('POST', '/v2/messages', key, request(recipient));
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

const work = (process: Pick<Harness, 'app'>) => new PlanWorker(process.app).runOnce();

/** Everything that is stored of a message, without times and ids. */
async function storedOf(id: string) {
  const { body } = await harness.v2('GET', `/v2/messages/${id}`, key);
  const { db } = harness.app;
  const sent = await db
    .selectFrom('notifications as n')
    .innerJoin('plan_steps as s', 's.notification_id', 'n.id')
    .select(['s.number', 'n.status'])
    .where('s.message_id', '=', id)
    .orderBy('s.number')
    .execute();
  const callbacks = await db
    .selectFrom('service_callbacks')
    .select('body')
    .where('subject_id', '=', id)
    .orderBy('id')
    .execute();
  const of = db.selectFrom('notifications').select('id').where('service_id', '=', service);
  const figures = await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}/figures`);
  return {
    status: body.status,
    how: body.how,
    steps: body.steps.map(({ state, reason }: { state: string; reason: string | null }) => [state, reason]),
    sent,
    notifications: (await of.execute()).length,
    callbacks: callbacks.map(({ body }) => {
      const { status, step, channel } = JSON.parse(body ?? '{}');
      return [status, step, channel];
    }),
    figures: figures.body.data,
  };
}

interface Situation {
  /** Returns a message that a process is about to work on. */
  prepare(): Promise<string>;
  /** What the process does that dies. */
  act(process: Pick<Harness, 'app' | 'v2'>, id: string): Promise<unknown>;
}

const situations: Record<string, Situation> = {
  'starts the first step': { prepare: () => accepted(), act: work },
  'skips a step and starts the next': { prepare: () => accepted(withoutEmail), act: work },
  'goes on after a failure': {
    async prepare() {
      const id = await accepted();
      await harness.deliver();
      await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure' });
      return id;
    },
    act: work,
  },
  'goes on when a step has expired': {
    async prepare() {
      const id = await accepted();
      for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
      harness.clock.advance({ hours: 24 });
      return id;
    },
    act: work,
  },
  'withdraws a step after a late delivery': {
    async prepare() {
      const id = await accepted();
      for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
      harness.clock.advance({ hours: 24 });
      await work(harness);
      await changeStepStatus(harness, { id, step: 1, status: 'delivered' });
      return id;
    },
    act: work,
  },
  'starts the next step after a bounce': {
    async prepare() {
      const id = await accepted();
      for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
      await changeStepStatus(harness, { id, step: 1, status: 'delivered', event: 'assumedDelivered' });
      await work(harness);
      await changeStepStatus(harness, { id, step: 1, status: 'permanent-failure', event: 'bounced' });
      return id;
    },
    act: work,
  },
  'ends a message that nobody got': {
    async prepare() {
      const id = await accepted({ email_address: planRecipient.email_address });
      await harness.deliver();
      await changeStepStatus(harness, { id, step: 1, status: 'technical-failure' });
      return id;
    },
    act: work,
  },
  'cancels a message': {
    async prepare() {
      const id = await accepted();
      await work(harness);
      return id;
    },
    act: (process, id) => process.v2('POST', `/v2/messages/${id}/cancel`, key),
  },
};

describe.each(Object.entries(situations).map(([name, situation], place) => ({ name, place, ...situation })))(
  'a process that dies while it $name',
  ({ place, prepare, act }) => {
    it('leaves nothing half done at any statement, and another one goes on', { timeout: 120_000 }, async () => {
      await aServiceWithPlan();
      const undisturbed = await prepare();
      await act(harness, undisturbed);
      const expected = await storedOf(undisturbed);
      // A part of the statements, unless the run is long: other ones in each situation.
      const { first, every } = isLongRun ? { first: 0, every: 1 } : { first: 4 + place, every: 40 };
      for (let statements = first; ; statements += every) {
        await aServiceWithPlan();
        const id = await prepare();
        crashes.after(statements);
        await act(dying, id).catch(() => undefined);
        const { hasCrashed } = crashes;
        await crashes.restart(harness.app);
        harness.clock.advance({ seconds: 31 });
        await act(harness, id);
        expect(await storedOf(id), `after ${statements} statements`).toEqual(expected);
        if (!hasCrashed) return expect(statements).toBeGreaterThan(3);
      }
    });
  },
);

describe('a process that dies while it accepts a message', () => {
  it('has accepted it once, however often the request is repeated', { timeout: 60_000 }, async () => {
    for (let statements = 0; ; statements += isLongRun ? 1 : 4) {
      await aServiceWithPlan();
      crashes.after(statements);
      const first = await dying.v2('POST', '/v2/messages', key, request(planRecipient), headers);
      const { hasCrashed } = crashes;
      await crashes.restart(harness.app);
      const second = await harness.v2('POST', '/v2/messages', key, request(planRecipient), headers);
      expect([second.status, second.body.errors]).toEqual([201, undefined]);
      if (first.status === 201) expect(second.body).toEqual(first.body);
      else expect(first.status).toBe(503);
      await harness.deliver();
      const { status, steps, notifications, figures } = await storedOf(second.body.id);
      expect([status, steps[0][0], notifications, figures.open]).toEqual(['in-progress', 'sent', 1, 1]);
      if (!hasCrashed) return expect(statements).toBeGreaterThan(3);
    }
  });
});
