import pg from 'pg';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import { changeStepStatus, aPlan as planOf, planRecipient, type StepOfTest } from '../../test/kit/builders/plans.ts';
import { anApiKey, aService, aUser } from '../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../test/kit/builders/sends.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { metricOf } from '../../test/kit/world/metrics.ts';
import type { Status, transitions } from '../notifications/notification.ts';
import { newId } from '../platform/id.ts';
import { PlanWorker } from './advance.ts';

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: { providers: { sandbox: { receipts: 'hold' } } },
});
let service: string;
let created_by: string;
let key: string;
let plan_id: string;

const recipient = planRecipient;

const aPlan = (steps: StepOfTest[], name?: string, of = service) => planOf(harness, of, steps, name);

beforeEach(async () => {
  harness.clock.set('2026-11-16T12:00:00Z');
  created_by = await aUser(harness);
  service = await aService(harness, { created_by_id: created_by });
  key = await anApiKey(harness, service);
  plan_id = await aPlan([{ channel: 'email' }, { channel: 'sms' }, { channel: 'letter' }]);
});

const request = (change: object = {}) => ({ plan_id, recipient, personalisation: { name: 'Ada' }, ...change });
const post = (change: object = {}, headers: Record<string, string> = {}, withKey = key) =>
  harness.v2('POST', '/v2/messages', withKey, request(change), headers);

async function accepted(change: object = {}, withKey = key): Promise<string> {
  const { status, body } = await post(change, {}, withKey);
  expect([status, body.errors]).toEqual([201, undefined]);
  return body.id;
}

async function read(id: string) {
  const { status, body } = await harness.v2('GET', `/v2/messages/${id}`, key);
  expect(status).toBe(200);
  return body;
}

async function statesOf(id: string): Promise<string[]> {
  const { status, steps } = await read(id);
  return [
    status,
    ...steps.map(({ state, reason }: { state: string; reason: string | null }) =>
      reason ? `${state}: ${reason}` : state,
    ),
  ];
}

/** What a provider says of a step. */
const tell = (id: string, step: number, status: Status, event?: keyof typeof transitions) =>
  changeStepStatus(harness, { id, step, status, event });

async function notificationsOf(of = service) {
  return harness.app.db
    .selectFrom('notifications')
    .select(['id', 'notification_type'])
    .where('service_id', '=', of)
    .execute();
}

describe('POST /v2/messages', () => {
  it('201 returns the message; its first step starts at once, and is an ordinary notification', async () => {
    const { status, body } = await post({ reference: 'case 7' });
    const waiting = { reason: null, notification_id: null, started_at: null, handed_over_at: null, ended_at: null };
    expect([status, body]).toEqual([
      201,
      {
        id: expect.any(String),
        reference: 'case 7',
        plan: { id: plan_id, version: 1 },
        status: 'created',
        how: null,
        steps: [
          { number: 1, channel: 'email', state: 'waiting', ...waiting },
          { number: 2, channel: 'sms', state: 'waiting', ...waiting },
          { number: 3, channel: 'letter', state: 'waiting', ...waiting },
        ],
        scheduled_for: null,
        created_at: '2026-11-16T12:00:00.000000Z',
        completed_at: null,
        uri: expect.stringMatching(new RegExp(`/v2/messages/${body.id}$`)),
      },
    ]);
    await harness.deliver();
    await harness.deliver();
    const after = await read(body.id);
    expect(after).toMatchObject({ status: 'in-progress', steps: [{ state: 'sent' }, { state: 'waiting' }, {}] });
    const [step] = after.steps;
    expect(step.started_at).toBe('2026-11-16T12:00:00.000000Z');
    const shown = await harness.v2('GET', `/v2/notifications/${step.notification_id}`, key);
    expect(shown.body).toMatchObject({ type: 'email', reference: 'case 7', body: 'Hello Ada', status: 'sending' });
    expect(shown.body.message_id).toBe(body.id);
    const listed = await harness.v2('GET', '/v2/notifications?reference=case%207', key);
    expect(listed.body.notifications).toMatchObject([{ id: step.notification_id, message_id: body.id }]);
    expect(await notificationsOf()).toHaveLength(1);
  });

  it('stores neither recipient nor values in clear text', async () => {
    const id = await accepted();
    const row = await harness.app.db.selectFrom('plan_messages').selectAll().where('id', '=', id).executeTakeFirst();
    expect(JSON.stringify(row)).not.toMatch(/ada@|900123|High Street/);
  });

  it('201 once for an Idempotency-Key; 422 with another body', async () => {
    const headers = { 'idempotency-key': 'once' };
    const [first, second] = [await post({}, headers), await post({}, headers)];
    expect([first.status, second.status, second.headers['idempotent-replayed']]).toEqual([201, 201, 'true']);
    expect(second.body).toEqual(first.body);
    expect((await post({ reference: 'other' }, headers)).status).toBe(422);
    await harness.deliver();
    expect(await notificationsOf()).toHaveLength(1);
  });

  it('201 by the name of the plan, and starts when it is due', async () => {
    const change = { plan_id: undefined, plan_name: 'appointments', scheduled_for: '2026-11-16T14:00:00Z' };
    const id = await accepted(change);
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['created', 'waiting', 'waiting', 'waiting']);
    harness.clock.advance({ hours: 2 });
    await harness.deliver();
    expect((await statesOf(id)).slice(0, 2)).toEqual(['in-progress', 'sent']);
  });

  it('keeps to the version of plan and templates that it was accepted with', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T23:00:00Z' });
    const steps = (await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}`)).body.data.steps;
    await harness.admin('POST', `/service/${service}/template/${steps[0].template_id}`, {
      content: 'Changed ((new))',
      created_by,
    });
    await harness.admin('DELETE', `/service/${service}/channel-plan/${plan_id}`);
    harness.clock.advance({ hours: 11 });
    await harness.deliver();
    const { notification_id } = (await read(id)).steps[0];
    expect((await harness.v2('GET', `/v2/notifications/${notification_id}`, key)).body.body).toBe('Hello Ada');
    expectError(await post(), 400, 'BadRequestError', 'Plan has been deleted');
  });

  const field = 'ValidationError';
  it.each<[object, string, string]>([
    [{ plan_id: undefined }, field, 'plan_id is a required property'],
    [{ plan_name: 'x' }, field, 'plan_name cannot be used together with plan_id'],
    [{ plan_id: 'x' }, field, 'plan_id is not a valid UUID'],
    [{ plan_id: '4f46df42-f795-4cc4-83bb-65ca312f4900' }, 'BadRequestError', 'Plan not found'],
    [{ plan_id: undefined, plan_name: 'No such' }, 'BadRequestError', 'Plan not found'],
    [
      { recipient: { ...recipient, time_zone: 'Europe/Londn' } },
      field,
      'recipient time_zone Europe/Londn is not a time zone',
    ],
    [{ scheduled_for: '2020-01-01' }, field, 'scheduled_for datetime can not be in the past'],
    [{ personalisation: {} }, 'BadRequestError', 'Missing personalisation: name'],
    [
      { recipient: { email_address: 'nobody', phone_number: '12' } },
      'BadRequestError',
      'recipient has no email address, phone number or address that this plan can use',
    ],
    [
      { recipient: {} },
      'BadRequestError',
      'recipient has no email address, phone number or address that this plan can use',
    ],
    [
      { personalisation: { name: { file: 'aGVsbG8=' } } },
      'BadRequestError',
      'Cannot send a file in a message with a plan',
    ],
    [
      { personalisation: { name: 'Ada', leaflet: { file: 'aGVsbG8=', sending_method: 'link' } } },
      'BadRequestError',
      'Cannot send a file in a message with a plan',
    ],
    [{ bulk: true }, field, 'Additional properties are not allowed (bulk was unexpected)'],
    [
      { recipient: { ...recipient, fax: '1' } },
      field,
      'recipient Additional properties are not allowed (fax was unexpected)',
    ],
    [{ recipient: undefined }, field, 'recipient is a required property'],
    [{ recipient: null }, field, 'recipient None is not of type object'],
    [{ recipient: { email_address: 7 } }, field, 'recipient 7 is not of type string'],
    [{ personalisation: [] }, field, 'personalisation [] is not of type object'],
    [{ plan_id: null }, field, 'plan_id is not a valid UUID'],
    [{ scheduled_for: '2026-11-17T12:00:01Z' }, field, 'scheduled_for datetime can only be 24 hours in the future'],
    [{ reference: 'nul \u0000' }, 'BadRequestError', 'A value in the request cannot be stored'],
    [{ personalisation: { name: 'nul \u0000' } }, 'BadRequestError', 'A value in the request cannot be stored'],
    [{ personalisation: { name: 'half \ud800' } }, 'BadRequestError', 'A value in the request cannot be stored'],
    [
      { recipient: { ...recipient, address_line_2: '\u0000' } },
      'BadRequestError',
      'A value in the request cannot be stored',
    ],
  ])('400 for %j', async (change, error, message) => {
    expectError(await post(change), 400, error, message);
    expect(
      await harness.app.db.selectFrom('plan_messages').select('id').where('service_id', '=', service).execute(),
    ).toEqual([]);
  });

  it.each(['null', '[]', '"text"', '7', '{', ''])('400 for the body %s', async (payload) => {
    const url = '/v2/messages';
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const { status, body } = await harness.request({ method: 'POST', url, headers, payload });
    expect([status, body.status_code, body.errors.length > 0]).toEqual([400, 400, true]);
  });

  it('400 names all values that any step lacks, and the texts that are empty', async () => {
    const steps = [
      { channel: 'email', content: 'Hello ((name)), ((date))' },
      { channel: 'sms', content: '((place)) ((date))' },
    ] as const;
    const other = await aPlan([...steps], 'More');
    expectError(await post({ plan_id: other }), 400, 'BadRequestError', 'Missing personalisation: date, place');
    const empty = await aPlan([{ channel: 'email' }, { channel: 'sms', content: '((nothing))' }], 'Empty');
    const personalisation = { name: 'Ada', nothing: '' };
    expectError(await post({ plan_id: empty, personalisation }), 400, 'BadRequestError', 'Your message is empty.');
  });

  it('404: a plan of another service is not found, nor are its messages', async () => {
    const other = await anApiKey(harness, await aService(harness));
    expectError(await post({}, {}, other), 400, 'BadRequestError', 'Plan not found');
    const id = await accepted();
    expect((await harness.v2('GET', `/v2/messages/${id}`, other)).status).toBe(404);
    expect((await harness.v2('POST', `/v2/messages/${id}/cancel`, other)).status).toBe(404);
    expect((await harness.v2('GET', '/v2/messages', other)).body.messages).toEqual([]);
  });

  it.each([
    ['test', 'normal'],
    ['team', 'normal'],
    ['normal', 'test'],
  ] as const)('404: a %s key neither reads nor cancels the messages of a %s key', async (key_type, ofType) => {
    const owner = await anApiKey(harness, service, { key_type: ofType });
    const id = await accepted({ scheduled_for: '2026-11-16T20:00:00Z' }, owner);
    const other = await anApiKey(harness, service, { key_type });
    expect((await harness.v2('GET', `/v2/messages/${id}`, other)).status).toBe(404);
    expect((await harness.v2('POST', `/v2/messages/${id}/cancel`, other)).status).toBe(404);
    expect((await harness.v2('GET', `/v2/messages/${id}`, owner)).body.status).toBe('created');
  });

  it('400 in trial mode, when no step can be sent to the recipient', async () => {
    service = await aService(harness, { created_by_id: created_by, restricted: true });
    key = await anApiKey(harness, service);
    plan_id = await aPlan([{ channel: 'email' }, { channel: 'sms' }]);
    const { status, text } = await post();
    expect([status, text]).toEqual([400, expect.stringContaining('when service is in trial mode')]);
  });
});

describe('POST /v2/messages beyond a limit', () => {
  const limits = (change: object) => harness.admin('POST', `/service/${service}`, change);
  const none = { email_message_limit: 0, sms_message_limit: 0, letter_message_limit: 0 };
  const storedCount = async () =>
    (await harness.app.db.selectFrom('plan_messages').select('id').where('service_id', '=', service).execute()).length;

  it('429 if no step is within the limits of today, and stores nothing', async () => {
    expect((await limits({ ...none, email_message_limit: 1 })).status).toBe(200);
    await accepted();
    await harness.deliver();
    const { status, body, headers } = await post();
    const message = 'Exceeded send limits (daily: 1) for today';
    expect([status, body.errors]).toEqual([429, [{ error: 'TooManyRequestsError', message }]]);
    expect(headers['retry-after']).toBe('43200');
    expect((await post({ scheduled_for: '2026-11-16T20:00:00Z' })).status).toBe(429);
    expect(await storedCount()).toBe(1);
    expect((await post({}, {}, await anApiKey(harness, service, { key_type: 'test' }))).status).toBe(201);
  });

  it('429 if the limits of the year leave none', async () => {
    expect((await limits({ email_annual_limit: 0, sms_annual_limit: 0, letter_annual_limit: 0 })).status).toBe(200);
    const { status, body } = await post();
    expect([status, body.errors[0].message]).toEqual([429, 'Exceeded send limits (annual: 0) for this year']);
  });

  it('429 if a step within the limits only replaces missing ones', async () => {
    const steps: StepOfTest[] = [{ channel: 'email' }, { channel: 'letter', only_if_missing: true }];
    const plan_id = await aPlan(steps, 'Letter if there is no address');
    expect((await limits({ email_message_limit: 0 })).status).toBe(200);
    expect((await post({ plan_id })).status).toBe(429);
    const { email_address: _, ...others } = recipient;
    expect((await post({ plan_id, recipient: others })).status).toBe(201);
  });

  it('201 if any step is within its limits, or the message is for another day', async () => {
    expect((await limits({ ...none, letter_message_limit: 1 })).status).toBe(200);
    await accepted();
    expect((await limits(none)).status).toBe(200);
    await accepted({ scheduled_for: '2026-11-17T09:00:00Z' });
  });
});

describe('the values of a message', () => {
  const storedOf = async (id: string) => {
    const row = await harness.app.db.selectFrom('plan_messages').select('encrypted_content').where('id', '=', id);
    return (await row.executeTakeFirstOrThrow()).encrypted_content ?? '';
  };

  it('are stored if a step uses them, and no others', async () => {
    const few = await accepted();
    const many = await accepted({ personalisation: { name: 'Ada', other: 'x'.repeat(100_000), NAME: 'Ada' } });
    expect((await storedOf(many)).length).toBeLessThan((await storedOf(few)).length + 100);
    await harness.deliver();
    const [sent] = await notificationsOf();
    expect((await harness.v2('GET', `/v2/notifications/${sent?.id}`, key)).body.body).toBe('Hello Ada');
  });

  it('include the one that chooses the language, and those of its text', async () => {
    const permissions = ['sms', 'email', 'letter', 'template_languages'];
    expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
    const { steps } = (await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}`)).body.data;
    const variant = { language: 'fr', subject: 'Bonjour', content: 'Bonjour ((nom))' };
    const languages = { default: 'en', field: 'language', variants: [variant] };
    const changed = await harness.admin('POST', `/service/${service}/template/${steps[0].template_id}`, {
      ...{ languages, created_by },
    });
    expect([changed.status, changed.body.message]).toEqual([200, undefined]);
    await accepted({ personalisation: { name: 'Ada', nom: 'Adèle', Language: 'fr' } });
    await harness.deliver();
    const [sent] = await notificationsOf();
    expect((await harness.v2('GET', `/v2/notifications/${sent?.id}`, key)).body.body).toBe('Bonjour Adèle');
  });
});

describe('the steps of a message', () => {
  it('without their contact, or with a wrong one, are skipped', async () => {
    const { email_address: _, ...others } = recipient;
    const first = await accepted({ recipient: { ...others, phone_number: '12' } });
    await harness.deliver();
    expect(await statesOf(first)).toEqual(['in-progress', 'skipped: missing', 'skipped: invalid', 'sent']);
  });

  it('are skipped if the address bounced before or the person opted out, also once the message is accepted', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T23:00:00Z' });
    await harness.app.db
      .insertInto('suppressed_recipients')
      .values({
        ...{ id: newId(harness.clock.now()), service_id: service, email_address: 'ada@example.org' },
        ...{ reason: 'hard-bounce', notification_id: newId(harness.clock.now()) },
        created_at: '2026-11-16T12:00:00Z',
      })
      .execute();
    const stop = { user_number: '447700900123', sender: '40604', keyword: 'STOP', reason: 'keyword' } as const;
    await harness.app.db
      .insertInto('sms_opt_outs')
      .values({ id: newId(harness.clock.now()), service_id: service, ...stop, created_at: '2026-11-16T12:00:00Z' })
      .execute();
    const permissions = ['email', 'sms', 'letter', 'suppress_recipients'];
    expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
    harness.clock.advance({ hours: 11 });
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['in-progress', 'skipped: suppressed', 'skipped: opted-out', 'sent']);
    const { email_address, phone_number } = recipient;
    const refused = await post({ recipient: { email_address, phone_number } });
    expect(refused.status).toBe(400);
  });

  it('whose channel is switched off when their turn comes are skipped, and one beyond a limit fails', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T23:00:00Z' });
    const change = { permissions: ['sms', 'letter'], sms_message_limit: 0 };
    expect((await harness.admin('POST', `/service/${service}`, change)).status).toBe(200);
    harness.clock.advance({ hours: 11 });
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['in-progress', 'skipped: not-allowed', 'failed: limit', 'sent']);
  });

  it('beyond the limit of a year fail, and the next starts at once', async () => {
    const limits = { email_annual_limit: 1, sms_annual_limit: 1 };
    expect((await harness.admin('POST', `/service/${service}`, limits)).status).toBe(200);
    const [first, second] = [await accepted(), await accepted()];
    await harness.deliver();
    const states = [await statesOf(first), await statesOf(second)].sort();
    expect(states).toEqual([
      ['in-progress', 'failed: limit', 'sent', 'waiting'],
      ['in-progress', 'sent', 'waiting', 'waiting'],
    ]);
  });

  it('follow each other after failures, until the letter is printed', async () => {
    const id = await accepted();
    await harness.deliver();
    await tell(id, 1, 'permanent-failure');
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['in-progress', 'failed: permanent-failure', 'sent', 'waiting']);
    await tell(id, 2, 'temporary-failure');
    await harness.deliver();
    expect(await statesOf(id)).toEqual([
      ...['in-progress', 'failed: permanent-failure', 'failed: temporary-failure', 'sent'],
    ]);
    await tell(id, 3, 'sending', 'handedOver');
    await harness.deliver();
    expect(await read(id)).toMatchObject({
      status: 'delivered',
      how: 'letter',
      completed_at: '2026-11-16T12:00:00.000000Z',
    });
    expect((await notificationsOf()).map(({ notification_type }) => notification_type).sort()).toEqual([
      'email',
      'letter',
      'sms',
    ]);
  });

  it('start when the one before was not delivered in time, counted from its hand-over', async () => {
    const id = await accepted();
    await harness.deliver();
    await harness.deliver();
    harness.clock.advance({ hours: 23 });
    await harness.deliver();
    expect((await statesOf(id)).slice(1, 3)).toEqual(['sent', 'waiting']);
    harness.clock.advance({ hours: 1 });
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['in-progress', 'expired', 'sent', 'waiting']);
    harness.clock.advance({ hours: -5 });
    await harness.deliver();
    expect(await notificationsOf()).toHaveLength(2);
  });

  it('end with a delivery, also a late one; a bounce of an email that counted as delivered goes on', async () => {
    const [late, bounced] = [await accepted(), await accepted()];
    await harness.deliver();
    await harness.deliver();
    await tell(bounced, 1, 'delivered', 'assumedDelivered');
    await harness.deliver();
    expect(await statesOf(bounced)).toEqual([
      'delivered',
      'delivered',
      'cancelled: not-needed',
      'cancelled: not-needed',
    ]);
    harness.clock.advance({ hours: 2 });
    await tell(bounced, 1, 'permanent-failure', 'bounced');
    await harness.deliver();
    expect(await statesOf(bounced)).toEqual(['in-progress', 'failed: permanent-failure', 'sent', 'waiting']);
    harness.clock.advance({ hours: 23 });
    await harness.deliver();
    await tell(late, 1, 'delivered');
    await harness.deliver();
    expect((await statesOf(late)).slice(0, 2)).toEqual(['delivered', 'delivered']);
    expect((await read(late)).steps[2].state).toBe('cancelled');
  });

  it('start once, whoever advances the message, and however often', async () => {
    const ids = await Promise.all(Array.from({ length: 5 }, () => accepted()));
    const other = await harness.anotherProcess();
    const workers = [harness.app, other.app].map((app) => new PlanWorker(app));
    for (let round = 0; round < 3; round += 1) {
      await harness.app.db
        .updateTable('plan_messages')
        .set({ due_at: '2026-11-16T12:00:00Z', leased_until: null })
        .where('id', 'in', ids)
        .execute();
      await Promise.all(workers.map((worker) => worker.runOnce()));
    }
    expect(await notificationsOf()).toHaveLength(5);
    for (const id of ids) expect((await statesOf(id)).slice(0, 3)).toEqual(['in-progress', 'sent', 'waiting']);
  });

  describe('outside the sending times of the service', () => {
    const window = {
      name: 'Daytime',
      days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
      closed_days: [] as string[],
    };
    const closed_days = ['2026-11-16', '2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'];

    async function textsOnly(from_time: string, until_time: string, closed: string[] = []): Promise<string> {
      const fields = { ...window, from_time, until_time, closed_days: closed };
      const { status, body } = await harness.admin('POST', `/service/${service}/send-window`, fields);
      expect(status).toBe(201);
      const times = { sms_window_id: body.data.id, email_window_id: null, time_zone: null };
      expect((await harness.admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
      return body.data.id;
    }

    async function afterFailedEmail(change: object = {}): Promise<string> {
      const id = await accepted(change);
      await harness.deliver();
      await tell(id, 1, 'permanent-failure');
      await harness.deliver();
      return id;
    }

    const shown = async (id: string, step: number) =>
      (await harness.v2('GET', `/v2/notifications/${(await read(id)).steps[step - 1].notification_id}`, key)).body;

    async function at(moment: string) {
      harness.clock.set(moment);
      await harness.deliver();
    }

    it('overnight, start and are held until the morning', async () => {
      await textsOnly('08:00', '10:00');
      const id = await afterFailedEmail();
      expect((await statesOf(id)).slice(2)).toEqual(['sent', 'waiting']);
      expect(await shown(id, 2)).toMatchObject({ status: 'created', held_until: '2026-11-17T08:00:00.000000Z' });
      await at('2026-11-17T08:10:00Z');
      expect((await shown(id, 2)).status).toBe('sending');
    });

    it('for longer than a notification can wait, wait for them, whatever step it is', async () => {
      await textsOnly('08:00', '21:00', closed_days);
      const [second, first] = [
        await afterFailedEmail(),
        await accepted({ plan_id: await aPlan([{ channel: 'sms' }, { channel: 'email' }], 'Text first') }),
      ];
      for (const moment of ['2026-11-16T12:00:00Z', '2026-11-18T07:30:00Z']) {
        await at(moment);
        expect(await statesOf(second)).toEqual([
          ...['in-progress', 'failed: permanent-failure', 'waiting: sending-times', 'waiting'],
        ]);
        expect(await statesOf(first)).toEqual(['created', 'waiting: sending-times', 'waiting']);
        expect(await notificationsOf()).toHaveLength(1);
      }
      await at('2026-11-18T08:30:00Z');
      expect((await statesOf(second)).slice(2)).toEqual(['sent', 'waiting']);
      expect(await statesOf(first)).toEqual(['in-progress', 'sent', 'waiting']);
      expect(await shown(second, 2)).toMatchObject({ status: 'created', held_until: '2026-11-21T08:00:00.000000Z' });
      await at('2026-11-21T07:59:00Z');
      expect((await shown(second, 2)).status).toBe('created');
      await at('2026-11-21T08:10:00Z');
      expect([(await shown(second, 2)).status, (await shown(first, 1)).status]).toEqual(['sending', 'sending']);
      expect(await notificationsOf()).toHaveLength(3);
    });

    it('start within the hour when they are opened, and never when the message is cancelled', async () => {
      const id = await textsOnly('08:00', '21:00', closed_days);
      const [goesOn, ends] = [await afterFailedEmail(), await afterFailedEmail()];
      expect((await harness.v2('POST', `/v2/messages/${ends}/cancel`, key)).body.status).toBe('cancelled');
      const open = { ...window, from_time: '08:00', until_time: '21:00' };
      expect((await harness.admin('POST', `/service/${service}/send-window/${id}`, open)).status).toBe(200);
      await at('2026-11-16T13:00:00Z');
      expect((await statesOf(goesOn)).slice(2)).toEqual(['sent', 'waiting']);
      expect((await statesOf(ends)).slice(2)).toEqual(['cancelled: cancelled', 'cancelled: cancelled']);
    });

    it('are skipped where they never begin', async () => {
      const permissions = ['email', 'sms', 'letter', 'international_sms'];
      expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
      await textsOnly('08:00', '09:00');
      // In some of the zones of that country it is always another hour.
      const id = await afterFailedEmail({ recipient: { ...recipient, phone_number: '+12128675309' } });
      expect((await statesOf(id)).slice(1)).toEqual(['failed: permanent-failure', 'skipped: sending-times', 'sent']);
    });
  });

  it('end with a text abroad that no receipt follows', async () => {
    const permissions = ['email', 'sms', 'letter', 'international_sms'];
    expect((await harness.admin('POST', `/service/${service}`, { permissions })).status).toBe(200);
    plan_id = await aPlan([{ channel: 'email' }, { channel: 'sms' }], 'Abroad');
    const id = await accepted({ recipient: { phone_number: '+33612345678' } });
    for (let turn = 0; turn < 3; turn += 1) await harness.deliver();
    expect(await read(id)).toMatchObject({ status: 'delivered', how: 'sms' });
    await tell(id, 2, 'permanent-failure');
    await harness.deliver();
    expect(await statesOf(id)).toEqual(['failed', 'skipped: missing', 'failed: permanent-failure']);
  });

  it('of a test key are simulated by their recipients', async () => {
    key = await anApiKey(harness, service, { key_type: 'test' });
    const id = await accepted({ recipient: { ...recipient, email_address: 'temp-fail@simulator.notify' } });
    for (let turn = 0; turn < 4; turn += 1) await harness.deliver();
    const { status, steps } = await read(id);
    expect([status, steps[0].reason, steps[1].state]).toEqual(['delivered', 'temporary-failure', 'delivered']);
    const nobody = { email_address: 'perm-fail@simulator.notify', phone_number: '07700900003' };
    const failed = await accepted({ recipient: nobody });
    for (let turn = 0; turn < 6; turn += 1) await harness.deliver();
    expect(await statesOf(failed)).toEqual([
      ...['failed', 'failed: permanent-failure', 'failed: temporary-failure', 'skipped: missing'],
    ]);
  });
});

describe('a template with a file', () => {
  it('is sent by email with a link to it, if the service has contact details', async () => {
    const steps = (await harness.admin('GET', `/service/${service}/channel-plan/${plan_id}`)).body.data.steps;
    const template = `/service/${service}/template/${steps[0].template_id}`;
    const change = { content: 'Hello ((name)), read ((leaflet.pdf))', created_by };
    expect((await harness.admin('POST', template, change)).status).toBe(200);
    const files = template.replace('/template/', '/templates/');
    const content = Buffer.from('%PDF-1.4').toString('base64');
    const file = { filename: 'leaflet.pdf', created_by_id: created_by, content, pending: false };
    expect((await harness.admin('POST', `${files}/template_email_files`, file)).status).toBe(201);
    expect((await post()).text).toContain('Send files by email has not been set up');
    const contact = { contact_link: 'https://town-hall.example.org' };
    expect((await harness.admin('POST', `/service/${service}`, contact)).status).toBe(200);
    const id = await accepted();
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    expect((await statesOf(id)).slice(0, 2)).toEqual(['in-progress', 'sent']);
    const documents = harness.app.db.selectFrom('documents').select('filename').where('service_id', '=', service);
    expect(await documents.execute()).toEqual([{ filename: 'leaflet.pdf' }]);
  });
});

describe('POST /v2/messages/{id}/cancel', () => {
  const cancel = (id: string) => harness.v2('POST', `/v2/messages/${id}/cancel`, key);

  it('200 before anything was sent, also a second time', async () => {
    const id = await accepted({ scheduled_for: '2026-11-16T23:00:00Z' });
    const { status, body } = await cancel(id);
    expect([status, body.status]).toEqual([200, 'cancelled']);
    expect((await cancel(id)).body).toEqual(body);
    harness.clock.advance({ hours: 11 });
    await harness.deliver();
    expect(await notificationsOf()).toEqual([]);
  });

  it('200 withdraws what no provider has, and stops what would follow', async () => {
    const [queued, handedOver] = [await accepted(), await accepted()];
    await new PlanWorker(harness.app).runOnce();
    const { body } = await cancel(queued);
    expect(body).toMatchObject({ status: 'cancelled', steps: [{ state: 'cancelled', reason: 'withdrawn' }, {}, {}] });
    expect((await storedMessage(harness, body.steps[0].notification_id))?.status).toBe('cancelled');
    await harness.deliver();
    expect((await storedMessage(harness, body.steps[0].notification_id))?.status).toBe('cancelled');
    await cancel(handedOver);
    await tell(handedOver, 1, 'permanent-failure');
    await harness.deliver();
    expect(await statesOf(handedOver)).toEqual([
      ...['cancelled', 'failed: permanent-failure', 'cancelled: cancelled', 'cancelled: cancelled'],
    ]);
  });

  it('400 for one that was delivered, also if no worker has read it yet; 200 counts the steps', async () => {
    const [delivered, open] = [await accepted(), await accepted()];
    for (let turn = 0; turn < 2; turn += 1) await harness.deliver();
    await tell(delivered, 1, 'delivered');
    expectError(await cancel(delivered), 400, 'BadRequestError', 'This message has ended, so it cannot be cancelled');
    const count = async () => {
      const line = /plan_steps_total\{channel="letter",outcome="cancelled"\} (\d+)/;
      return Number(line.exec(await metricOf(harness, 'plan_steps_total'))?.[1] ?? 0);
    };
    const before = await count();
    expect((await cancel(open)).status).toBe(200);
    expect(await count()).toBe(before + 1);
  });

  it('400 for one that has ended', async () => {
    const id = await accepted();
    await harness.deliver();
    await tell(id, 1, 'delivered');
    await harness.deliver();
    expectError(await cancel(id), 400, 'BadRequestError', 'This message has ended, so it cannot be cancelled');
  });
});

describe('GET /v2/messages', () => {
  it('200 lists the newest first, by reference and status, of the type of the key', async () => {
    const first = await accepted({ reference: 'a' });
    harness.clock.advance({ seconds: 1 });
    const second = await accepted({ reference: 'b', scheduled_for: '2026-11-17T10:00:00Z' });
    const test = await anApiKey(harness, service, { key_type: 'test' });
    await accepted({}, test);
    await harness.deliver();
    const list = async (query = '') => {
      const { body } = await harness.v2('GET', `/v2/messages${query}`, key);
      return body.messages.map(({ id }: { id: string }) => id);
    };
    expect(await list()).toEqual([second, first]);
    expect(await list('?reference=a')).toEqual([first]);
    expect(await list('?status=created')).toEqual([second]);
    expect(await list(`?older_than=${second}`)).toEqual([first]);
    expect((await harness.v2('GET', '/v2/messages?status=sent', key)).status).toBe(400);
    const { links } = (await harness.v2('GET', '/v2/messages?reference=a', key)).body;
    expect(links).toEqual({ current: expect.stringMatching(/\/v2\/messages\?reference=a$/) });
  });

  it.each(['', '?status=created'])('reads no messages of keys of another type: %s', async (query) => {
    const team = await anApiKey(harness, service, { key_type: 'team' });
    const { pool } = harness.app;
    await accepted();
    await pool.query(
      `insert into plan_messages (id, service_id, plan_id, plan_version, key_type, created_at)
        select gen_random_uuid(), service_id, plan_id, plan_version, key_type, created_at
        from plan_messages, generate_series(1, 5000) where service_id = $1`,
      [service],
    );
    await pool.query('analyze plan_messages');
    const statements = vi.spyOn(pg.Client.prototype, 'query');
    expect((await harness.v2('GET', `/v2/messages${query}`, team)).body.messages).toEqual([]);
    const [text, values] = (statements.mock.calls as unknown as [string, unknown[]][]).find(
      ([statement]) => typeof statement === 'string' && statement.includes('from "plan_messages"'),
    ) ?? ['', []];
    statements.mockRestore();
    const { rows } = await pool.query(`explain (analyze, format json) ${text}`, values);
    expect(JSON.stringify(rows)).toContain('Index Scan');
    expect(JSON.stringify(rows)).not.toMatch(/"Rows Removed by Filter":[1-9]/);
  });
});

describe('retention', () => {
  it('deletes a message with the last of its notifications, and none that goes on', async () => {
    const [ended, open] = [await accepted(), await accepted()];
    await harness.deliver();
    await tell(ended, 1, 'delivered');
    await harness.deliver();
    await harness.deliver();
    const left = async () => {
      await harness.addTask('delete-plan-messages');
      await harness.runTasks();
      const of = harness.app.db.selectFrom('plan_messages').select('id').where('service_id', '=', service);
      return (await of.execute()).map(({ id }) => id).sort();
    };
    harness.clock.advance({ days: 7 });
    expect(await left()).toEqual([ended, open].sort());
    harness.clock.advance({ days: 1 });
    expect(await left()).toEqual([open]);
    expect(await metricOf(harness, 'plan_steps_total')).toContain('channel="email",outcome="delivered"');
    const steps = harness.app.db.selectFrom('plan_steps').select('number').where('message_id', '=', ended);
    expect(await steps.execute()).toEqual([]);
    await harness.addTask('apply-retention');
    await harness.runTasks();
    const { steps: left_steps } = await read(open);
    expect((await notificationsOf()).map(({ id }) => id)).toEqual([left_steps[0].notification_id]);
  });
});

describe('erasing a person', () => {
  it('forgets recipient, values and reference of messages that ended, and leaves the others', async () => {
    const contact = { email_address: 'grace.hopper@example.org', phone_number: '07700 900777' };
    const open = await accepted({ recipient: contact, scheduled_for: '2026-11-17T10:00:00Z' });
    const ended = await accepted({ recipient: contact, reference: 'case 9' });
    await harness.v2('POST', `/v2/messages/${ended}/cancel`, key);
    const person = { recipient: '+447700900777', service_id: service };
    const found = await harness.admin('POST', '/platform-admin/find-recipient', person);
    expect(found.body.total.plan_message).toBe(2);
    const exported = await harness.admin('POST', '/platform-admin/export-recipient', person);
    expect(exported.text).toContain('grace.hopper@example.org');
    const { body } = await harness.admin('POST', '/platform-admin/erase-recipient', person);
    expect([body.erased.plan_messages, body.left.plan_messages]).toEqual([1, 1]);
    expect((await read(ended)).reference).toBeNull();
    await harness.v2('POST', `/v2/messages/${open}/cancel`, key);
    const again = await harness.admin('POST', '/platform-admin/erase-recipient', person);
    expect([again.body.erased.plan_messages, again.body.left.plan_messages]).toEqual([1, 0]);
    expect((await harness.admin('POST', '/platform-admin/find-recipient', person)).body.total.plan_message).toBe(0);
  });

  it('decrypts no message to another person, and finds a person by address and where tags are missing', async () => {
    const at = { address_line_1: 'Grace Hopper', address_line_2: '1 High Street', address_line_3: 'SW1A 1AA' };
    await accepted({ recipient: { ...at, email_address: 'grace.h@example.org' } });
    const untagged = await accepted({ recipient: { email_address: 'Grace.H@example.org' } });
    const other = await accepted();
    const messages = harness.app.db.updateTable('plan_messages');
    await messages.set({ recipient_tags: null }).where('id', '=', untagged).execute();
    await messages.set({ encrypted_content: 'unreadable' }).where('id', '=', other).execute();
    const found = async (person: string) => {
      const search = { recipient: person, service_id: service };
      const { status, body } = await harness.admin('POST', '/platform-admin/find-recipient', search);
      return [status, body.total.plan_message];
    };
    expect(await found('grace.h@example.org')).toEqual([200, 2]);
    expect(await found('Grace Hopper\nsw1a1aa')).toEqual([200, 1]);
    expect(await found('Ada Hopper\nsw1a1aa')).toEqual([200, 0]);
  });
});
