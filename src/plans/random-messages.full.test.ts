import { sql } from 'kysely';
import { beforeAll, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { Crashes } from '../../test/kit/fakes/crashes.ts';
import { Random } from '../../test/kit/fakes/random.ts';
import { type Harness, useHarness } from '../../test/kit/harness.ts';
import { isLongRun } from '../../test/kit/process/process-environment.ts';
import type { Status, StatusChange } from '../notifications/notification.ts';
import { recordStatusChanges } from '../notifications/status.ts';
import { hour_ms } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Channel } from '../protocol/channels.ts';
import { PlanWorker } from './advance.ts';
import { deliveredStep, isOpen, type MessageStatus } from './plan-rules.ts';

/**
 * Random plans, recipients, sending times, receipts and cancellations, with a clock that jumps both ways and processes that die at any of
 * their statements. Each step that starts must be necessary, and in the end everything that is stored of a message must agree.
 */

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { callbacks: { allowPrivate: true }, providers: { sandbox: { receipts: 'hold' } } },
});

const { messagesPerWorld, turns, worlds } = isLongRun
  ? { messagesPerWorld: 100, turns: 24, worlds: 25 }
  : { messagesPerWorld: 8, turns: 6, worlds: 1 };

let dying: Pick<Harness, 'app'>;
let crashes: Crashes;

beforeAll(async () => {
  dying = await harness.anotherProcess();
  crashes = new Crashes(dying.app);
});

interface StepRow {
  message_id: string;
  number: number;
  channel: Channel;
  wait_h: number | null;
  state: string;
  notification_id: string | null;
  started_at: string | null;
  handed_over_at: string | null;
  ended_at: string | null;
  /** Of its notification. */
  status: Status | null;
  sent_at: string | null;
}

interface MessageRow {
  id: string;
  plan_id: string;
  status: MessageStatus;
  how: Channel | null;
  completed_at: string | null;
  due_at: string | null;
}

class PlannedWorld {
  readonly random: Random;
  service = '';
  private key = '';
  private readonly plans: string[] = [];
  private readonly cancelled = new Set<string>();
  /** Status and step of the callbacks of each message, in the order in which they were stored. */
  private readonly callbacks = new Map<string, [MessageStatus, number | null][]>();
  private readonly seen = new Set<string>();
  crashCount = 0;
  startCount = 0;

  constructor(seed: number) {
    this.random = new Random(seed);
  }

  async open(): Promise<void> {
    const { random } = this;
    await harness.app.db.deleteFrom('plan_messages').execute();
    harness.clock.set('2026-11-16T12:00:00Z');
    const limit = random.isTrue(0.2) ? { sms_message_limit: 4 } : {};
    const permissions = ['email', 'sms', 'letter', 'international_sms', 'suppress_recipients'];
    this.service = await aService(harness, { permissions, ...limit });
    this.key = await anApiKey(harness, this.service);
    const callback = { url: 'https://127.0.0.1:9/nobody', bearer_token: 'a-bearer-token' };
    const by = { callback_type: 'message_status', updated_by_id: await aUser(harness) };
    await harness.admin('POST', `/service/${this.service}/callback-api`, { ...callback, ...by });
    if (random.isTrue(0.5)) await this.setSendingTimes();
    for (let number = 0; number < 5; number += 1) this.plans.push(await this.createPlan(number));
  }

  private async setSendingTimes(): Promise<void> {
    const window = {
      ...{ name: 'Daytime', days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'] },
      ...{ from_time: '08:00', until_time: this.random.pick(['10:00', '20:00']) },
      closed_days: this.random.isTrue(0.5) ? ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'] : [],
    };
    const { body } = await harness.admin('POST', `/service/${this.service}/send-window`, window);
    const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
    expect((await harness.admin('POST', `/service/${this.service}/sending-times`, times)).status).toBe(204);
  }

  private async createPlan(number: number): Promise<string> {
    const { random } = this;
    const count = 2 + random.integer(4);
    const hasLetter = random.isTrue(0.5);
    const steps = [];
    for (let index = 0; index < count; index += 1) {
      const isLast = index === count - 1;
      const channel = isLast && hasLetter ? 'letter' : random.pick(['email', 'sms'] as const);
      const template_id = await aTemplate(harness, this.service, {
        template_type: channel,
        subject: 'News',
        content: 'Hello',
      });
      const wait_h = isLast ? null : random.pick([1, 6, 24, 48, 144]);
      steps.push({ channel, template_id, wait_h, only_if_missing: index > 0 && random.isTrue(0.15) });
    }
    const plan = { name: `Plan ${number}`, steps, created_by: await aUser(harness) };
    const { status, body } = await harness.admin('POST', `/service/${this.service}/channel-plan`, plan);
    expect(status).toBe(201);
    return body.data.id;
  }

  /** Some cannot be sent by their plan, and are refused. */
  async accept(): Promise<void> {
    const { random } = this;
    const addresses = ['ada@example.org', 'ada@example.org', 'nobody', undefined];
    const numbers = ['07700900123', '07700900123', '+33612345678', '12', undefined];
    const address = { address_line_1: 'Ada Lovelace', address_line_2: '1 High Street', address_line_3: 'SW1A 1AA' };
    const recipient = {
      ...{ email_address: random.pick(addresses), phone_number: random.pick(numbers) },
      ...(random.isTrue(0.7) ? address : {}),
    };
    const at = new Date(harness.clock.now().getTime() + random.next() * 20 * hour_ms).toISOString();
    const scheduled_for = random.isTrue(0.2) ? at : undefined;
    const request = { plan_id: random.pick(this.plans), recipient, scheduled_for };
    const { status } = await harness.v2('POST', '/v2/messages', this.key, request);
    expect([201, 400]).toContain(status);
  }

  async cancel(id: string): Promise<void> {
    const { status } = await harness.v2('POST', `/v2/messages/${id}/cancel`, this.key);
    expect([200, 400]).toContain(status);
    if (status === 200) this.cancelled.add(id);
  }

  /** Early, late, repeated and contradictory ones: `transitions` decides which of them count. */
  async receive(): Promise<void> {
    const { random } = this;
    const changes: StatusChange[] = [];
    for (const { channel, notification_id: id, status } of await this.steps()) {
      if (id === null || status === null || !random.isTrue(0.35)) continue;
      const failure = random.pick(['temporary-failure', 'permanent-failure', 'technical-failure'] as const);
      const events = {
        email: [
          { event: 'receipt', status: 'delivered' },
          { event: 'receipt', status: failure },
          { event: 'assumedDelivered', status: 'delivered' },
          { event: 'assumedDelivered', status: 'delivered' },
          { event: 'bounced', status: 'permanent-failure' },
        ],
        sms: [
          { event: 'receipt', status: 'delivered' },
          { event: 'receipt', status: 'pending' },
          { event: 'receipt', status: failure },
          { event: 'timedOut', status: 'temporary-failure' },
        ],
        letter: [
          { event: 'handedOver', status: 'sending', sent_at: harness.clock.now() },
          { event: 'despatched', status: 'delivered' },
          { event: 'returned', status: 'returned-letter' },
          { event: 'checked', status: 'validation-failed' },
        ],
      } as const;
      for (let times = random.isTrue(0.3) ? 2 : 1; times > 0; times -= 1)
        changes.push({ id, ...random.pick<Omit<StatusChange, 'id'>>(events[channel]) });
    }
    for (const change of changes)
      await inTransaction(harness.app.db, (tx) =>
        recordStatusChanges(harness.app.country, tx, [change], harness.clock.now()),
      );
  }

  async steps(): Promise<StepRow[]> {
    const { rows } = await sql<StepRow>`
      select s.message_id, s.number, s.channel, s.wait_h, s.state, s.notification_id, s.started_at, s.handed_over_at, s.ended_at,
        n.status, n.sent_at
      from plan_messages m join plan_steps s on s.message_id = m.id left join notifications n on n.id = s.notification_id
      where m.service_id = ${this.service} order by s.message_id, s.number`.execute(harness.app.db);
    return rows;
  }

  async messages(): Promise<MessageRow[]> {
    const { rows } = await sql<MessageRow>`
      select id, plan_id, status, how, completed_at, due_at from plan_messages where service_id = ${this.service} order by id`.execute(
      harness.app.db,
    );
    return rows;
  }

  /** Runs workers, and checks every step that they start. */
  async work(run: () => Promise<unknown>): Promise<void> {
    const before = await this.steps();
    const cancelled = new Set(this.cancelled);
    await run();
    const after = await this.steps();
    for (const step of after) {
      const earlier = before.find((one) => isSame(one, step));
      if (step.notification_id === null || earlier?.notification_id) continue;
      this.startCount += 1;
      expect(cancelled, `${step.message_id} started a step after it was cancelled`).not.toContain(step.message_id);
      const ofMessage = (list: StepRow[]) => list.filter(({ message_id }) => message_id === step.message_id);
      const what = `${step.message_id} step ${step.number}`;
      // A bounce may come while the workers run.
      const wasDelivered = (one: StepRow) => before.some((was) => isSame(was, one) && isDelivered(was));
      const delivered = ofMessage(after).filter((one) => isDelivered(one) && wasDelivered(one));
      expect(delivered, `${what} was not needed`).toEqual([]);
      const last = ofMessage(after).findLast(({ number, notification_id }) => number < step.number && notification_id);
      if (last) expect(last, `${what} started too early`).toSatisfy((one: StepRow) => hasEnded(one));
      expect(ofMessage(after).filter(({ number, notification_id }) => number > step.number && notification_id)).toEqual(
        [],
      );
    }
    await this.readCallbacks();
  }

  /** Statements of different processes in the order of their transactions, unless the callbacks have been sent already. */
  private async readCallbacks(): Promise<void> {
    const { rows } = await sql<{ id: string; subject_id: string; body: string }>`
      select id, subject_id, body from service_callbacks where service_id = ${this.service} and callback_type = 'message_status'
      order by case when attempts = 0 then xmin::text::bigint end, id`.execute(harness.app.db);
    for (const { id, subject_id, body } of rows) {
      if (this.seen.has(id)) continue;
      this.seen.add(id);
      const { status, step } = JSON.parse(body) as { status: MessageStatus; step: number | null };
      this.callbacks.set(subject_id, [...(this.callbacks.get(subject_id) ?? []), [status, step]]);
    }
  }

  /** Lets every message end. */
  async finish(): Promise<void> {
    for (let round = 0; round < 60; round += 1) {
      if ((await this.messages()).every(({ status }) => !isOpen(status))) return;
      for (const { notification_id: id, channel } of await this.steps()) {
        if (id === null) continue;
        const change: StatusChange =
          channel === 'letter'
            ? { id, event: 'handedOver', status: 'sending', sent_at: harness.clock.now() }
            : { id, event: 'receipt', status: 'permanent-failure' };
        await inTransaction(harness.app.db, (tx) =>
          recordStatusChanges(harness.app.country, tx, [change], harness.clock.now()),
        );
      }
      harness.clock.advance({ hours: 12 });
      await this.work(() => harness.deliver());
    }
    const stuck = (await this.messages()).filter(({ status }) => isOpen(status));
    expect(stuck, 'did not end').toEqual([]);
  }

  async check(): Promise<number> {
    const [messages, steps] = [await this.messages(), await this.steps()];
    const sent = harness.app.db.selectFrom('notifications').select('id').where('service_id', '=', this.service);
    const ids = steps.flatMap(({ notification_id }) => notification_id ?? []);
    expect((await sent.execute()).map(({ id }) => id).sort()).toEqual([...ids].sort());
    for (const message of messages) {
      const own = steps.filter(({ message_id }) => message_id === message.id);
      const delivered = own.find((step) => step === deliveredStep(own as Parameters<typeof deliveredStep>[0]));
      const what = `${message.id}: ${message.status}, ${own.map(({ state }) => state).join()}`;
      const expected = this.cancelled.has(message.id)
        ? ['cancelled']
        : delivered
          ? ['delivered']
          : own.some(({ state }) => state === 'cancelled')
            ? ['cancelled', 'failed']
            : ['failed'];
      expect(expected, what).toContain(message.status);
      expect(message.how, what).toBe(message.status === 'delivered' ? delivered?.channel : null);
      expect([message.completed_at === null, message.due_at], what).toEqual([false, null]);
      expect(own.filter(({ state }) => state === 'waiting')).toEqual([]);
      this.checkCallbacks(message, own, what);
    }
    await this.checkFigures(messages, steps);
    return messages.length;
  }

  private checkCallbacks({ id, status }: MessageRow, steps: StepRow[], what: string): void {
    const callbacks = this.callbacks.get(id) ?? [];
    const path = `${what}: ${JSON.stringify(callbacks)}`;
    expect(callbacks.at(-1)?.[0], path).toBe(status);
    const started = callbacks.filter(([one]) => one === 'in-progress').map(([, step]) => step);
    const first = started.filter((step, index) => started.indexOf(step) === index);
    expect(first, path).toEqual(
      steps.filter(({ notification_id }) => notification_id !== null).map(({ number }) => number),
    );
    for (const [index, [before]] of callbacks.slice(0, -1).entries()) {
      const next = callbacks[index + 1];
      expect(next, path).not.toEqual(callbacks[index]);
      expect(following[before], path).toContain(next?.[0]);
    }
  }

  /** The figures are sums of changes, and must equal what a count of all messages gives. */
  private async checkFigures(messages: MessageRow[], steps: StepRow[]): Promise<void> {
    for (const plan_id of this.plans) {
      const own = messages.filter((message) => message.plan_id === plan_id);
      const delivered = new Map<string, number>();
      for (const { id, status } of own) {
        const ofMessage = steps.filter(({ message_id }) => message_id === id);
        const step = deliveredStep(ofMessage as Parameters<typeof deliveredStep>[0]) as StepRow | undefined;
        if (status !== 'delivered' || !step) continue;
        const name = `${step.number} ${step.channel}`;
        delivered.set(name, (delivered.get(name) ?? 0) + 1);
      }
      const { data } = (await harness.admin('GET', `/service/${this.service}/channel-plan/${plan_id}/figures`)).body;
      const counted = data.delivered.map(({ step, channel, messages }: { [name: string]: unknown }) => [
        ...[`${step} ${channel}`, messages],
      ]);
      expect(new Map(counted)).toEqual(delivered);
      const count = (wanted: MessageStatus) => own.filter(({ status }) => status === wanted).length;
      expect([data.failed, data.cancelled, data.open]).toEqual([count('failed'), count('cancelled'), 0]);
    }
  }
}

/** Which status a callback may have after another one. */
const following: Record<MessageStatus, MessageStatus[]> = {
  created: [],
  'in-progress': ['in-progress', 'delivered', 'failed', 'cancelled'],
  delivered: ['in-progress', 'failed', 'cancelled'],
  failed: ['delivered'],
  cancelled: [],
};

const isSame = (a: StepRow, b: StepRow) => a.message_id === b.message_id && a.number === b.number;

/** Whether its notification has reached the recipient, as far as is known. */
function isDelivered({ channel, wait_h, status, state }: StepRow): boolean {
  if (status === null || isFailed(status)) return false;
  if (state === 'delivered' || status === 'delivered' || status === 'returned-letter') return true;
  return (channel === 'letter' && status === 'sending') || (wait_h === null && status === 'sent');
}

const isFailed = (status: Status) => /failure|failed|cancelled/.test(status);

/** Or had ended, and was delivered late. */
function hasEnded({ status, state, wait_h, handed_over_at }: StepRow): boolean {
  if (state === 'expired' || (status !== null && isFailed(status))) return true;
  return harness.clock.now().getTime() >= Date.parse(handed_over_at ?? '') + (wait_h ?? 0) * hour_ms;
}

async function live(seed: number): Promise<{ messages: number; starts: number; crashes: number }> {
  const world = new PlannedWorld(seed);
  await world.open();
  const { random } = world;
  let left = messagesPerWorld;
  for (let turn = 0; turn < turns; turn += 1) {
    harness.clock.advance({ hours: random.isTrue(0.1) ? -3 * random.next() : 14 * random.next() ** 2 });
    const arriving = Math.min(left, random.integer((4 * messagesPerWorld) / turns));
    for (let number = 0; number < arriving; number += 1) await world.accept();
    left -= arriving;
    const isAtOnce = random.isTrue(0.3);
    if (!isAtOnce) await world.receive();
    for (const { id } of await world.messages()) if (random.isTrue(0.01)) await world.cancel(id);
    await world.work(async () => {
      crashes.after(random.isTrue(0.6) ? random.integer(20) : Number.POSITIVE_INFINITY);
      const workers = [harness, dying].map(({ app }) => new PlanWorker(app).runOnce().catch(() => undefined));
      await Promise.all([...workers, isAtOnce && world.receive()]);
      if (crashes.hasCrashed) world.crashCount += 1;
      await crashes.restart(harness.app);
    });
    if (random.isTrue(0.7)) await world.work(() => harness.deliver());
  }
  await world.finish();
  return { messages: await world.check(), starts: world.startCount, crashes: world.crashCount };
}

it('every message takes each step once and only if it is needed, and ends', { timeout: 3_600_000 }, async () => {
  const totals = { messages: 0, starts: 0, crashes: 0 };
  for (let seed = 1; seed <= worlds; seed += 1) {
    const lived = await live(seed).catch((error: Error) => {
      error.message = `seed ${seed}: ${error.message}`;
      throw error;
    });
    totals.messages += lived.messages;
    totals.starts += lived.starts;
    totals.crashes += lived.crashes;
  }
  expect(totals.starts).toBeGreaterThan(totals.messages / 2);
  if (isLongRun) expect(totals.crashes).toBeGreaterThan(worlds);
});
