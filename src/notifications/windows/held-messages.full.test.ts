import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { isLongRun } from '../../../test/kit/process/process-environment.ts';
import { metricOf } from '../../../test/kit/world/metrics.ts';
import { textReceiver } from '../../delivery/inbound/inbound-hooks.ts';
import { newId } from '../../platform/id.ts';
import { measureHeld } from './held-messages.ts';

const night = '2026-11-16T22:00:00Z';
const opening = '2026-11-17T08:00:00.000000Z';
const harness = useHarness({ now: night });
const { admin } = harness;

const daytime = {
  name: 'Daytime',
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from_time: '08:00',
  until_time: '21:00',
};

const everyPermission = ['sms', 'email', 'international_sms'];

async function aTeam(
  window: object = daytime,
  chosen: object = {},
  permissions = everyPermission,
  limits: object = {},
) {
  harness.clock.set(night);
  const service = await aService(harness, { permissions, ...limits });
  const created = await admin('POST', `/service/${service}/send-window`, window);
  expect(created.status).toBe(201);
  const id = created.body.data.id;
  const times = { sms_window_id: id, email_window_id: null, time_zone: null, ...chosen };
  expect((await admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
  const template_id = await aTemplate(harness, service, { content: 'Hello' });
  const key = await anApiKey(harness, service);
  const send = (more: object = {}, withKey = key) =>
    harness.v2('POST', '/v2/notifications/sms', withKey, { phone_number: '07700900123', template_id, ...more });
  const read = async (message: string) => (await harness.v2('GET', `/v2/notifications/${message}`, key)).body;
  return { service, window: id, times, template_id, key, send, read };
}

async function dueOf(id: string) {
  const { rows } = await harness.app.pool.query('select due_at from delivery_queue where notification_id = $1', [id]);
  return rows[0]?.due_at;
}

describe('a message outside the sending times of its service', () => {
  it('waits, says so, and goes out after they begin', async () => {
    const { send, read } = await aTeam();
    const { status, body } = await send();
    expect([status, body.held_until]).toEqual([201, opening]);
    expect(body.scheduled_for >= opening && body.scheduled_for < '2026-11-17T08:10:00.000000Z').toBe(true);
    expect(await read(body.id)).toMatchObject({ status: 'created', held_until: opening });
    harness.clock.set('2026-11-17T07:59:59Z');
    await harness.deliver();
    expect((await read(body.id)).status).toBe('created');
    harness.clock.set('2026-11-17T08:10:00Z');
    await harness.deliver();
    const sent = await read(body.id);
    expect(sent.status).not.toBe('created');
    expect(sent).not.toHaveProperty('held_until');
  });

  it('is spread over the first minutes, and always to the same moment within a window that is shorter', async () => {
    const { send } = await aTeam();
    const dues = new Set<string>();
    for (let index = 0; index < 20; index += 1) dues.add((await send()).body.scheduled_for);
    expect(dues.size).toBeGreaterThan(10);
    const brief = await aTeam({ ...daytime, until_time: '08:01' });
    for (let index = 0; index < 20; index += 1) {
      const { scheduled_for } = (await brief.send()).body;
      expect(scheduled_for >= opening && scheduled_for < '2026-11-17T08:01:00.000000Z').toBe(true);
    }
  });

  it.each([
    ['recipient_time_zone', { recipient_time_zone: 'America/New_York' }, undefined],
    ['a zone where it is night', { recipient_time_zone: 'Asia/Tokyo' }, '2026-11-16T23:00:00.000000Z'],
    ['the country of the number', { phone_number: '+33612345678' }, '2026-11-17T07:00:00.000000Z'],
    [
      'every zone of a country with several',
      { phone_number: '+12128675309', scheduled_for: '2026-11-17T13:00:00Z' },
      '2026-11-17T18:00:00.000000Z',
    ],
  ])('in the time of the recipient: %s', async (_, fields, held_until) => {
    const { send } = await aTeam();
    const { status, body } = await send(fields);
    expect([status, body.held_until]).toEqual([201, held_until]);
  });

  it('an email: in the zone of the service, else in that of the installation', async () => {
    const { service, window, times, key, read } = await aTeam();
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 'Hi', content: 'Hello' });
    const send = async () => {
      const request = { email_address: 'a@example.org', template_id };
      return (await harness.v2('POST', '/v2/notifications/email', key, request)).body;
    };
    expect(await send()).not.toHaveProperty('held_until');
    const set = (time_zone: string | null) =>
      admin('POST', `/service/${service}/sending-times`, { ...times, email_window_id: window, time_zone });
    await set(null);
    const waiting = await send();
    expect(waiting.held_until).toBe(opening);
    await set('Asia/Kolkata');
    expect((await send()).held_until).toBe('2026-11-17T02:30:00.000000Z');
    await harness.runTasks();
    expect((await read(waiting.id)).held_until).toBe('2026-11-17T02:30:00.000000Z');
  });

  it('goes at its exact time if it is scheduled for when the times are open, and else when they begin', async () => {
    const { send } = await aTeam();
    const inside = '2026-11-17T12:34:56.000000Z';
    const { body } = await send({ scheduled_for: inside });
    expect(body.scheduled_for).toBe(inside);
    expect(body).not.toHaveProperty('held_until');
    expect((await send({ scheduled_for: '2026-11-17T03:00:00Z' })).body.held_until).toBe(opening);
  });

  it('400 if it would wait longer than 72 hours, and nothing is stored', async () => {
    const { service, send } = await aTeam({
      ...daytime,
      closed_days: ['2026-11-17', '2026-11-18', '2026-11-19', '2026-11-20'],
    });
    const { status, body } = await send();
    expect([status, body.errors]).toEqual([
      400,
      [
        {
          error: 'BadRequestError',
          message: 'Your sending times are closed until 21 November. Send this later, or use a priority template',
        },
      ],
    ]);
    const { rows } = await harness.app.pool.query('select from notifications where service_id = $1', [service]);
    expect(rows).toHaveLength(0);
  });

  it('400 for a zone that is none, beside the other problems', async () => {
    const { send } = await aTeam();
    const { status, body } = await send({ recipient_time_zone: 'Europe/Londn' });
    expect([status, body.errors]).toEqual([
      400,
      [{ error: 'ValidationError', message: 'recipient_time_zone Europe/Londn is not a time zone' }],
    ]);
  });
});

describe('at any time go', () => {
  const isHeld = async (request: Promise<{ status: number; body: object }>) => {
    const { status, body } = await request;
    expect(status).toBe(201);
    return 'held_until' in body;
  };

  it('messages of a test key, of a priority template, and of a template that says so', async () => {
    const { service, template_id, send } = await aTeam();
    expect(await isHeld(send({}, await anApiKey(harness, service, { key_type: 'test' })))).toBe(false);
    const urgent = await aTemplate(harness, service, { content: 'Code', process_type: 'priority' });
    expect(await isHeld(send({ template_id: urgent }))).toBe(false);
    const url = `/service/${service}/template/${template_id}/sending-times`;
    expect((await admin('GET', url)).body).toEqual({ data: { window: 'inherit' } });
    expect((await admin('POST', url, { window: 'none' })).status).toBe(204);
    expect((await admin('GET', url)).body).toEqual({ data: { window: 'none' } });
    expect(await isHeld(send())).toBe(false);
    expect((await admin('POST', url, { window: 'inherit' })).status).toBe(204);
    expect(await isHeld(send())).toBe(true);
  });

  it('letters, and confirmations of opt-outs', async () => {
    const permissions = ['sms', 'letter', 'inbound_sms'];
    const { service, window, key } = await aTeam(daytime, {}, permissions);
    expect(window).toBeDefined();
    const letter = await aTemplate(harness, service, { template_type: 'letter', subject: 'Hi', content: 'Hello' });
    const personalisation = { address_line_1: 'Ada', address_line_2: '1 High Street', address_line_3: 'SW1A 1AA' };
    const request = { template_id: letter, personalisation };
    expect(await isHeld(harness.v2('POST', '/v2/notifications/letter', key, request))).toBe(false);
    const number = '07700900777';
    const added = await admin('POST', '/inbound-number', { number, provider: 'sandbox' });
    await admin('POST', `/inbound-number/service/${service}`, { inbound_number_id: added.body.data.id });
    const stop = { provider: 'sandbox', from: '07700900321', to: number, content: 'STOP' };
    const received = { ...stop, received_at: undefined, reference: undefined };
    expect(await textReceiver(harness.app, 'sandbox')(received)).toBe(true);
    await harness.deliver();
    const { rows } = await harness.app.pool.query(
      `select n.status = 'created' as waits, h.held_until from notifications n join templates t on t.id = n.template_id
        left join held_messages h on h.notification_id = n.id where n.service_id = $1 and t.hidden`,
      [service],
    );
    expect(rows).toEqual([{ waits: false, held_until: null }]);
  });

  it('messages while the times are open, and those to simulated recipients', async () => {
    const { send } = await aTeam();
    expect(await isHeld(send({ phone_number: '07700900000' }))).toBe(false);
    harness.clock.set('2026-11-16T20:59:59Z');
    expect(await isHeld(send())).toBe(false);
    harness.clock.set(night);
  });

  it('a template has a window of its own', async () => {
    const { service, template_id, times, send } = await aTeam();
    const evening = { ...daytime, name: 'Evening', from_time: '18:00', until_time: '24:00' };
    const { id } = (await admin('POST', `/service/${service}/send-window`, evening)).body.data;
    const url = `/service/${service}/template/${template_id}/sending-times`;
    expect((await admin('POST', url, { window: id })).status).toBe(204);
    expect(await isHeld(send())).toBe(false);
    const none = { ...times, sms_window_id: null };
    expect((await admin('POST', `/service/${service}/sending-times`, none)).status).toBe(204);
    harness.clock.set('2026-11-17T02:00:00Z');
    expect((await send()).body.held_until).toBe('2026-11-17T18:00:00.000000Z');
    harness.clock.set(night);
  });
});

describe('a message that waits', () => {
  it('gets its new time when the sending times change, and goes at once when there are none', async () => {
    const { service, window, times, send, read } = await aTeam();
    const { id } = (await send()).body;
    const scheduled = (await send({ scheduled_for: '2026-11-17T05:00:00Z' })).body.id;
    const earlier = { ...daytime, from_time: '06:00' };
    expect((await admin('POST', `/service/${service}/send-window/${window}`, earlier)).status).toBe(200);
    await harness.runTasks();
    expect(await read(id)).toMatchObject({ held_until: '2026-11-17T06:00:00.000000Z' });
    await admin('POST', `/service/${service}/sending-times`, { ...times, sms_window_id: null });
    await harness.runTasks();
    expect(await read(id)).not.toHaveProperty('held_until');
    expect(await dueOf(id)).toBe('2026-11-16T22:00:00.000000Z');
    expect(await dueOf(scheduled)).toBe('2026-11-17T05:00:00.000000Z');
    await harness.deliver();
    expect((await read(id)).status).not.toBe('created');
  });

  it.each([true, false])(
    'keeps the time zone of its request while it is only scheduled; with sending times: %s',
    async (had) => {
      const { service, window, times, send, read } = await aTeam();
      const choose = (sms_window_id: string | null) =>
        admin('POST', `/service/${service}/sending-times`, { ...times, sms_window_id });
      if (!had) await choose(null);
      const noon = '2026-11-17T12:00:00.000000Z';
      const { body: sent } = await send({ scheduled_for: noon, recipient_time_zone: 'Asia/Kolkata' });
      expect(sent).toMatchObject({ scheduled_for: noon });
      expect(sent).not.toHaveProperty('held_until');
      expect(await read(sent.id)).not.toHaveProperty('held_until');
      await choose(window);
      const until = async (until_time: string) => {
        const change = { ...daytime, until_time };
        expect((await admin('POST', `/service/${service}/send-window/${window}`, change)).status).toBe(200);
        await harness.runTasks();
      };
      // Noon is 17:30 there, and 12:00 where the number is.
      for (let change = 0; change < 2; change += 1) {
        await until('16:00');
        expect(await read(sent.id)).toMatchObject({ held_until: '2026-11-18T02:30:00.000000Z' });
        await until('21:00');
        expect(await read(sent.id)).not.toHaveProperty('held_until');
        expect(await dueOf(sent.id)).toBe(noon);
      }
      harness.clock.set('2026-11-18T13:00:00Z');
      await harness.deliver();
      await harness.addTask('delete-expired-data');
      await harness.runTasks();
      const { rows } = await harness.app.pool.query('select from held_messages where service_id = $1', [service]);
      expect(rows).toEqual([]);
    },
  );

  it('was scheduled for when they are open, and waits if they are closed then after a change', async () => {
    const { service, window, send, read } = await aTeam();
    const at = (hour: string) => `2026-11-17T${hour}:00:00.000000Z`;
    const messages = await Promise.all(['09', '12', '20'].map((hour) => send({ scheduled_for: at(hour) })));
    const [early, noon, late] = messages.map(({ body }) => body.id);
    const shorter = { ...daytime, from_time: '10:00', until_time: '19:00' };
    expect((await admin('POST', `/service/${service}/send-window/${window}`, shorter)).status).toBe(200);
    await harness.runTasks();
    expect(await read(early)).toMatchObject({ held_until: at('10') });
    expect(await read(noon)).not.toHaveProperty('held_until');
    expect(await dueOf(noon)).toBe(at('12'));
    expect(await read(late)).toMatchObject({ held_until: '2026-11-18T10:00:00.000000Z' });
    expect((await admin('POST', `/service/${service}/send-window/${window}`, daytime)).status).toBe(200);
    await harness.runTasks();
    for (const [id, hour] of [
      [early, '09'],
      [noon, '12'],
      [late, '20'],
    ]) {
      expect(await read(id)).not.toHaveProperty('held_until');
      expect(await dueOf(id)).toBe(at(hour));
    }
  });

  it('can be sent now, once', async () => {
    const { service, send, read } = await aTeam();
    const { id } = (await send()).body;
    const url = `/service/${service}/notifications/${id}/send-now`;
    expect((await admin('POST', url)).status).toBe(204);
    await harness.deliver();
    expect((await read(id)).status).not.toBe('created');
    const { status, body } = await admin('POST', url);
    expect([status, body]).toEqual([
      400,
      { result: 'error', message: 'This message does not wait for its sending time' },
    ]);
    const other = await aTeam();
    expect((await admin('POST', `/service/${other.service}/notifications/${id}/send-now`)).status).toBe(400);
  });

  it('can be cancelled', async () => {
    const { service, send, read } = await aTeam();
    const { id } = (await send()).body;
    const url = `/service/${service}/notifications/${id}/cancel-waiting`;
    expect((await admin('POST', url)).status).toBe(204);
    expect((await read(id)).status).toBe('cancelled');
    expect(await dueOf(id)).toBe(undefined);
    expect((await admin('POST', url)).status).toBe(400);
    harness.clock.set('2026-11-17T09:00:00Z');
    await harness.deliver();
    expect((await read(id)).status).toBe('cancelled');
    harness.clock.set(night);
  });

  it.each([
    ['send-now', { held_until: opening }, { held_until: null, scheduled_for: '2026-11-16T22:00:00.000000Z' }],
    ['cancel-waiting', { status: 'created' }, { status: 'cancelled' }],
  ])('is in the audit log after %s', async (action, before, after) => {
    const { service, send } = await aTeam();
    const { id } = (await send()).body;
    expect((await admin('POST', `/service/${service}/notifications/${id}/${action}`)).status).toBe(204);
    const { rows } = await harness.app.pool.query(
      `select action, noun, service_id, before, after from audit_log where thing_id = $1`,
      [id],
    );
    expect(rows).toEqual([{ action: 'update', noun: 'notification', service_id: service, before, after }]);
  });

  it('can be sent or cancelled while those that waited are spread', async () => {
    const { service, send, read } = await aTeam();
    const ids: string[] = [];
    for (let count = 0; count < 2; count += 1) ids.push((await send()).body.id);
    harness.clock.set('2026-11-17T08:00:00Z');
    const [now, never] = ids;
    expect((await admin('POST', `/service/${service}/notifications/${now}/send-now`)).status).toBe(204);
    expect((await admin('POST', `/service/${service}/notifications/${never}/cancel-waiting`)).status).toBe(204);
    await harness.deliver();
    expect((await read(now ?? '')).status).not.toBe('created');
    expect((await read(never ?? '')).status).toBe('cancelled');
  });

  it('counts towards the limit of the day on which it was accepted', async () => {
    const { send } = await aTeam(daytime, {}, everyPermission, { sms_message_limit: 1 });
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
    harness.clock.set('2026-11-17T07:00:00Z');
    expect((await send()).status).toBe(201);
    expect((await send()).status).toBe(429);
    harness.clock.set(opening);
    await harness.deliver();
    expect((await send()).status).toBe(429);
    harness.clock.set(night);
  });

  it('is measured, and forgotten a day later', async () => {
    const { service, send } = await aTeam();
    await send();
    measureHeld(harness.app);
    expect(await metricOf(harness, 'messages_held')).toMatch(/messages_held\{channel="sms"\} [1-9]/);
    harness.clock.set('2026-11-18T09:37:00Z');
    await harness.addTask('delete-expired-data');
    await harness.runTasks();
    const { rows } = await harness.app.pool.query('select from held_messages where service_id = $1', [service]);
    expect(rows).toHaveLength(0);
    expect(await metricOf(harness, 'messages_held')).toContain('messages_held{channel="sms"} 0');
  });

  it('is reported while nothing has sent it a day after its sending time began', async () => {
    const { send, read } = await aTeam();
    const { id } = (await send()).body;
    await harness.runTasks();
    measureHeld(harness.app);
    harness.clock.set('2026-11-18T09:37:00Z');
    await harness.addTask('delete-expired-data');
    await harness.runTasks();
    expect(await metricOf(harness, 'messages_held_overdue')).toMatch(/messages_held_overdue\{channel="sms"\} [1-9]/);
    await harness.deliver();
    expect((await read(id)).status).not.toBe('created');
    expect(await metricOf(harness, 'messages_held_overdue')).toContain('messages_held_overdue{channel="sms"} 0');
  });

  it.each([
    ['2026-11-22T07:59:00Z', 'sending'],
    ['2026-11-22T08:11:00Z', 'technical-failure'],
  ])('expires 72 hours after it was due, not after it was accepted: %s', async (moment, status) => {
    const { send, read } = await aTeam({ ...daytime, closed_days: ['2026-11-17', '2026-11-18'] });
    const { id, held_until } = (await send()).body;
    expect(held_until).toBe('2026-11-19T08:00:00.000000Z');
    harness.clock.set(moment);
    await harness.deliver();
    const found = (await read(id)).status;
    expect(status === 'sending' ? ['sending', 'delivered'] : [status]).toContain(found);
    harness.clock.set(night);
  });

  it.each([
    ['2026-10-24T22:00:00Z', '2026-10-25T00:30:00.000000Z', 'the first of two equal times'],
    ['2027-03-27T22:00:00Z', '2027-03-28T01:00:00.000000Z', 'the end of the hour that is left out'],
  ])('on the night of %s goes out once, from %s on: %s', async (evening, opens) => {
    const { send, read } = await aTeam({ ...daytime, from_time: '01:30', until_time: '05:00' });
    harness.clock.set(evening);
    const { id, held_until } = (await send()).body;
    expect(held_until).toBe(opens);
    const start = Date.parse(opens);
    const at = async (minutes: number) => {
      harness.clock.set(new Date(start + minutes * 60_000).toISOString());
      await harness.deliver();
      return (await read(id)).status;
    };
    expect(await at(-1)).toBe('created');
    expect(await at(10)).not.toBe('created');
    for (const minutes of [30, 60, 70]) await at(minutes);
    const { rows } = await harness.app.pool.query('select times_sent from sandbox_messages where reference = $1', [id]);
    expect(rows).toEqual([{ times_sent: 1 }]);
    // The window stays open while the clocks show the same hour again.
    expect((await send()).body).not.toHaveProperty('held_until');
    harness.clock.set(night);
  });
});

describe('many messages outside the sending times', () => {
  const rows = isLongRun ? 100_000 : 500;
  const recipient = (row: number) => `07700${900_300 + (row % 99_000)}`;
  const sendFile = (key: string, template_id: string) =>
    harness.v2('POST', '/v2/notifications/bulk', key, {
      ...{ name: 'Reminders', template_id },
      rows: [['phone number'], ...Array.from({ length: rows }, (_, row) => [recipient(row)])],
    });

  async function countDue(service: string, at: string): Promise<number> {
    const query = 'select count(*)::int as count from delivery_queue where service_id = $1 and due_at = $2';
    const { rows: found } = await harness.app.pool.query(query, [service, at]);
    return found[0].count;
  }

  it.each(['a file', 'single messages'])(
    'wait and are spread, and no priority message waits behind them: %s',
    { timeout: 900_000 },
    async (kind) => {
      const limits = { rate_limit: 2 * rows, sms_message_limit: 2 * rows };
      const { service, key, template_id, send, read } = await aTeam(daytime, {}, everyPermission, limits);
      const minutes = async () => {
        const { rows: found } = await harness.app.pool.query(
          `select date_trunc('minute', q.due_at) as minute, count(*)::int as messages from delivery_queue q
            join held_messages h using (notification_id) where q.service_id = $1 and h.held_until = $2
            group by 1 order by 1`,
          [service, opening],
        );
        return found.map(({ messages }) => messages);
      };
      if (kind === 'a file') {
        expect((await sendFile(key, template_id)).status).toBe(201);
        harness.clock.set('2026-11-17T07:59:59Z');
        await harness.runTasks();
        expect(await minutes()).toEqual([]);
      } else {
        for (let row = 0; row < rows; row += 50) {
          const some = Array.from({ length: 50 }, (_, index) => send({ phone_number: recipient(row + index) }));
          for (const { status } of await Promise.all(some)) expect(status).toBe(201);
        }
      }
      harness.clock.set(opening);
      await harness.runTasks();
      const inEach = await minutes();
      expect(inEach.reduce((total, messages) => total + messages, 0)).toBe(rows);
      expect(inEach).toHaveLength(10);
      expect(Math.max(...inEach)).toBeLessThan(rows / 5);
      const [first, ...others] = inEach;
      const dueAtOpening = await countDue(service, opening);
      const urgent = await aTemplate(harness, service, { content: 'Code', process_type: 'priority' });
      const { id } = (await send({ template_id: urgent })).body;
      await harness.deliver();
      expect((await read(id)).status).not.toBe('created');
      expect(await minutes()).toEqual([first - dueAtOpening, ...others]);
      // The last moment before the next minute, at which some messages may be due.
      harness.clock.set('2026-11-17T08:00:59.999Z');
      await harness.deliver();
      expect(await minutes()).toEqual(others);
      harness.clock.set('2026-11-17T08:10:00Z');
      await harness.deliver();
      expect(await minutes()).toEqual([]);
      const { rows: left } = await harness.app.pool.query(
        `select from notifications where service_id = $1 and status = 'created'`,
        [service],
      );
      expect(left).toHaveLength(0);
      harness.clock.set(night);
    },
  );

  it('are cancelled with their file', async () => {
    const { service, key, template_id } = await aTeam();
    const { id } = (await sendFile(key, template_id)).body.data;
    harness.clock.set(opening);
    await harness.runTasks();
    expect((await admin('POST', `/service/${service}/job/${id}/cancel`)).status).toBe(200);
    await harness.runTasks();
    const { rows: held } = await harness.app.pool.query('select from held_messages where service_id = $1', [service]);
    expect(held).toHaveLength(0);
    expect((await admin('POST', `/service/${service}/job/${id}/cancel`)).status).toBe(404);
  });
});

describe('the sending times of a service', () => {
  let team: Awaited<ReturnType<typeof aTeam>>;
  beforeAll(async () => {
    team = await aTeam();
  });
  const url = () => `/service/${team.service}/send-window`;

  it('are listed', async () => {
    expect((await admin('GET', url())).body.data).toMatchObject({
      windows: [{ id: team.window, ...daytime, closed_days: [] }],
      sms_window_id: team.window,
      email_window_id: null,
      time_zone: null,
    });
    expect((await admin('GET', `/service/${newId(new Date())}/send-window`)).status).toBe(404);
  });

  it('say who created them, and so does the audit log', async () => {
    const created_by = await aUser(harness);
    const { body } = await admin('POST', url(), { ...daytime, name: 'By somebody', created_by });
    expect(body.data.created_by_id).toBe(created_by);
    expect((await admin('GET', url())).body.data.windows).toContainEqual(body.data);
    const { rows } = await harness.app.pool.query(
      `select after from audit_log where thing_id = $1 and action = 'create'`,
      [body.data.id],
    );
    expect(rows).toMatchObject([{ after: { created_by_id: created_by } }]);
    const unknown = await admin('POST', url(), { ...daytime, name: 'By nobody', created_by: newId(new Date()) });
    expect([unknown.status, unknown.body.message]).toEqual([400, { created_by: ['No result found'] }]);
  });

  it.each([
    [{ name: ' ' }, { name: ['Enter a name.'] }],
    [{ name: 'Daytime' }, { name: ['A sending time with this name already exists.'] }],
    [{ name: 'x'.repeat(101) }, { name: ['Enter at most 100 characters.'] }],
    [{ days: [] }, { days: ['Choose at least one day.'] }],
    [
      { from_time: '8:00', until_time: '24:01' },
      {
        from_time: ['Enter a time such as 08:00.'],
        until_time: ['Enter a time such as 21:00.'],
      },
    ],
    [{ closed_days: ['2026-02-30'] }, { closed_days: ['2026-02-30 is not a date such as 2026-12-25.'] }],
    [
      { days: ['mon'], closed_days: ['2026-12-21', '2026-12-28'] },
      {
        closed_days: ['Nothing could be sent for more than 14 days from 2026-12-21.'],
      },
    ],
  ])('400 for %j', async (wrong, message) => {
    const { status, body } = await admin('POST', url(), { ...daytime, name: 'Another', ...wrong });
    expect([status, body]).toEqual([400, { result: 'error', message }]);
  });

  it('404 for an unknown one, 400 for one that is used', async () => {
    const unknown = newId(new Date());
    expect((await admin('POST', `${url()}/${unknown}`, { ...daytime, name: 'Another' })).status).toBe(404);
    expect((await admin('DELETE', `${url()}/${unknown}`)).status).toBe(404);
    const used = await admin('DELETE', `${url()}/${team.window}`);
    expect([used.status, used.body.message]).toEqual([400, 'The service or a template uses this sending time']);
    const { id } = (await admin('POST', url(), { ...daytime, name: 'Unused' })).body.data;
    expect((await admin('DELETE', `${url()}/${id}`)).status).toBe(204);
  });

  it('400 for a window of another service, and for a zone that is none', async () => {
    const other = await aTeam();
    const choose = (more: object) =>
      admin('POST', `/service/${team.service}/sending-times`, { ...team.times, ...more });
    expect((await choose({ email_window_id: other.window })).body.message).toEqual({
      email_window_id: ['No such sending time of this service.'],
    });
    expect((await choose({ time_zone: 'Europe/Londn' })).body.message).toEqual({
      time_zone: ['Europe/Londn is not a time zone.'],
    });
    const ofTemplate = `/service/${team.service}/template/${team.template_id}/sending-times`;
    expect((await admin('POST', ofTemplate, { window: other.window })).body.message).toEqual({
      window: ['No such sending time of this service.'],
    });
    const foreign = `/service/${other.service}/template/${team.template_id}/sending-times`;
    expect((await admin('POST', foreign, { window: 'none' })).status).toBe(404);
  });
});
