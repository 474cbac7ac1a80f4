import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';

const night = '2026-11-16T22:00:00Z';
const harness = useHarness({ now: night });

const daytime = {
  name: 'Daytime',
  days: ['mon', 'tue', 'wed', 'thu', 'fri', 'sat', 'sun'],
  from_time: '08:00',
  until_time: '21:00',
};

async function aTeam({ waits = true, template = {} } = {}) {
  harness.clock.set(night);
  const service = await aService(harness, { permissions: ['sms', 'email'] });
  if (waits) {
    const { body } = await harness.admin('POST', `/service/${service}/send-window`, daytime);
    const times = { sms_window_id: body.data.id, email_window_id: body.data.id, time_zone: null };
    expect((await harness.admin('POST', `/service/${service}/sending-times`, times)).status).toBe(204);
  }
  const template_id = await aTemplate(harness, service, { content: 'Hello', ...template });
  const key = await anApiKey(harness, service);
  const check = async (payload: string) => {
    const { body } = await harness.request({
      method: 'POST',
      url: `/service/${service}/upload?filename=people.csv&template_id=${template_id}`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}`, 'content-type': 'text/csv' },
      payload,
    });
    return body.data;
  };
  const send = async (type: string, payload: string) => {
    const { status, body } = await harness.request({
      method: 'POST',
      url: `/v2/notifications/bulk?template_id=${template_id}&name=People`,
      headers: { authorization: `ApiKey-v1 ${key}`, 'content-type': type },
      payload,
    });
    await harness.runTasks();
    return { status, body };
  };
  /** Until when the rows of a file wait, in their order; undefined: not at all. */
  const waits_until = async () => {
    const { rows } = await harness.app.pool.query(
      `select h.held_until, h.time_zone from notifications n left join held_messages h on h.notification_id = n.id
        where n.service_id = $1 order by n.job_row_number`,
      [service],
    );
    return rows.map(({ held_until, time_zone }) => [held_until, time_zone]);
  };
  return { check, send, waits_until, service, template_id };
}

const inLondon = ['2026-11-17T08:00:00.000000Z', null];
const inTokyo = ['2026-11-16T23:00:00.000000Z', 'Asia/Tokyo'];
const atOnce = [null, null];

describe('the column "time zone" of a file', () => {
  it('says by whose clock a row waits; empty, the country of the number does', async () => {
    const { check, send, waits_until } = await aTeam();
    const file = [
      'phone number,Time_Zone',
      '07700900001,America/New_York',
      '07700900002, Asia/Tokyo ',
      '07700900003,',
      '07700900004,europe/london',
    ].join('\n');
    expect(await check(file)).toMatchObject({ valid: true, row_count: 4 });
    expect((await send('text/csv', file)).status).toBe(201);
    expect(await waits_until()).toEqual([atOnce, inTokyo, inLondon, [inLondon[0], 'europe/london']]);
  });

  it('is a value of a line of NDJSON', async () => {
    const { send, waits_until } = await aTeam();
    const lines = [
      { phone_number: '07700900001', personalisation: { 'time zone': 'Asia/Tokyo' } },
      { phone_number: '07700900002' },
      { phone_number: '07700900003', personalisation: { 'time zone': 'America/New_York' } },
    ];
    const sent = await send('application/x-ndjson', lines.map((line) => JSON.stringify(line)).join('\n'));
    expect(sent.status).toBe(201);
    expect(await waits_until()).toEqual([inTokyo, inLondon, atOnce]);
  });

  it('says by whose clock an email waits', async () => {
    const { send, waits_until } = await aTeam({ template: { template_type: 'email', subject: 'Hello' } });
    const zones = ['Asia/Tokyo', '', 'America/New_York'];
    const lines = zones.map((zone, index) => `${index}@example.org,${zone}`);
    await send('text/csv', ['email address,time zone', ...lines].join('\n'));
    expect(await waits_until()).toEqual([inTokyo, inLondon, atOnce]);
  });

  it('has a problem in each row with something else, and nothing is sent', async () => {
    const { check, send, waits_until } = await aTeam();
    const file = 'phone number,time zone\n07700900001,Asia/Tokyo\n07700900002,Europe/Londn\n07700900003,+01:00\n';
    const checked = await check(file);
    expect(checked).toMatchObject({ valid: false, problem_counts: { 'row-errors': 2 } });
    expect(checked.row_problem_counts).toEqual({ 'unknown-time-zone': 2 });
    const problems = [{ column: 'time zone', problem: 'Not a time zone' }];
    expect(checked.rows_shown).toMatchObject([
      { row: 3, problems },
      { row: 4, problems },
    ]);
    const { status, body } = await send('text/csv', file);
    expect([status, body.errors.map(({ message }: { message: string }) => message)]).toEqual([
      400,
      ['Some rows have errors. Row 2 - `time zone`: Not a time zone. Row 3 - `time zone`: Not a time zone.'],
    ]);
    expect(await waits_until()).toEqual([]);
  });

  it('has a problem in rows with two of them that differ', async () => {
    const { check } = await aTeam();
    const checked = await check('phone number,time zone,TimeZone\n07700900001,Asia/Tokyo,Europe/London\n');
    expect(checked.row_problem_counts).toEqual({ 'unknown-time-zone': 1 });
  });

  it('means nothing to a template that prints it, and to a service without sending times', async () => {
    const printed = await aTeam({ template: { content: 'Your time zone: ((time zone))' } });
    const file = 'phone number,time zone\n07700900001,the one of my mother\n';
    expect((await printed.send('text/csv', file)).status).toBe(201);
    harness.clock.set(inLondon[0] ?? '');
    await harness.runTasks();
    expect(await printed.waits_until()).toEqual([inLondon]);
    const other = await aTeam({ waits: false });
    expect((await other.send('text/csv', file)).status).toBe(201);
    expect(await other.waits_until()).toEqual([atOnce]);
  });
});
