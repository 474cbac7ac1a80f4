import { describe, expect, it } from 'vitest';
import { type PastMessage, somePastMessages } from '../../test/kit/builders/messages.ts';
import { anOrganisation, aService, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { foldRollups } from '../notifications/rollups/rollups.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

function message(service_id: string, created_at: string, more: Partial<PastMessage> = {}): PastMessage {
  return { service_id, notification_type: 'sms', status: 'delivered', created_at, ...more };
}

describe('GET /performance-dashboard', () => {
  it('200 returns all-time and daily counts, processing times and live services', async () => {
    const organisation = await anOrganisation(harness, { name: 'Org' });
    const service = await aService(harness, { name: 'Live one', organisation_id: organisation });
    await aService(harness, { name: 'On trial', restricted: true });
    const ids = await somePastMessages(harness, [
      message(service, '2026-01-01T12:00:00Z'),
      message(service, '2026-11-08T00:00:00Z', { notification_type: 'email' }),
      message(service, '2026-11-14T00:00:00Z', { sent_after_ms: 10_000 }),
      message(service, '2026-11-14T12:00:00Z', { sent_after_ms: 10_001 }),
      message(service, '2026-11-14T23:59:59Z', { notification_type: 'email', sent_after_ms: 5 }),
      message(service, '2026-11-14T12:00:00Z', { notification_type: 'letter' }),
      message(service, '2026-11-14T12:00:00Z', { key_type: 'test' }),
      message(service, '2026-11-15T01:00:00Z', { status: 'created' }),
      // A job waits on purpose: its messages are sent after others.
      message(service, '2026-11-14T12:00:00Z', { sent_after_ms: 600_000 }),
    ]);
    await harness.app.db.updateTable('notifications').set({ api_key_id: service }).where('id', 'in', ids).execute();
    const ofJob = { job_id: service, job_row_number: 0 };
    await harness.app.db
      .updateTable('notifications')
      .set(ofJob)
      .where('id', '=', ids.at(-1) ?? '')
      .execute();
    await harness.addTask('record-processing-time');
    await harness.runTasks();
    const { status, body } = await harness.admin('GET', '/performance-dashboard');
    expect(status).toBe(200);
    expect(body).toEqual({
      total_notifications: 8,
      email_notifications: 2,
      sms_notifications: 5,
      letter_notifications: 1,
      notifications_by_type: [
        { date: '2026-11-08', emails: 1, sms: 0, letters: 0 },
        { date: '2026-11-14', emails: 1, sms: 3, letters: 1 },
        { date: '2026-11-15', emails: 0, sms: 1, letters: 0 },
      ],
      processing_time: [{ date: '2026-11-14', percentage_under_10_seconds: 66.67 }],
      live_service_count: 1,
      services_using_notify: [
        { organisation_id: organisation, organisation_name: 'Org', service_id: service, service_name: 'Live one' },
      ],
    });
    await foldRollups(harness.app.db);
    const early = await harness.admin('GET', '/performance-dashboard?start_date=2026-01-01&end_date=2026-01-02');
    expect(early.body).toMatchObject({
      total_notifications: 8,
      email_notifications: 2,
      sms_notifications: 5,
      letter_notifications: 1,
    });
    expect(early.body.notifications_by_type).toEqual([{ date: '2026-01-01', emails: 0, sms: 1, letters: 0 }]);
  });

  it('400 for an invalid date', async () => {
    expect(await harness.admin('GET', '/performance-dashboard?start_date=2026-02-30')).toMatchObject({
      status: 400,
      body: { result: 'error', message: { start_date: ['Not a valid date.'] } },
    });
  });
});

describe('GET /_status/live-service-and-organisation-counts', () => {
  it('200 counts live services and the organisations they belong to', async () => {
    const before = (await harness.admin('GET', '/_status/live-service-and-organisation-counts')).body;
    const organisation = await anOrganisation(harness);
    await anOrganisation(harness);
    await aService(harness, { organisation_id: organisation });
    await aService(harness, { organisation_id: organisation });
    await aService(harness);
    await aService(harness, { restricted: true });
    await aService(harness, { active: false });
    expect(await harness.admin('GET', '/_status/live-service-and-organisation-counts')).toMatchObject({
      status: 200,
      body: { organisations: before.organisations + 1, services: before.services + 3 },
    });
  });
});

describe('GET /service/live-services-data', () => {
  it('200 returns contacts and volumes of this year', async () => {
    const organisation = await anOrganisation(harness, { name: 'Owner' });
    const service = await aService(harness, {
      name: 'Went live',
      organisation_id: organisation,
      organisation_type: 'local',
    });
    const user = await aUser(harness, { name: 'Mo', email_address: 'mo@example.org', mobile_number: '07700900001' });
    await harness.app.db
      .updateTable('services')
      .set({ go_live_user_id: user, go_live_at: '2020-01-02T03:04:05Z', volume_sms: 5, consent_to_research: true })
      .where('id', '=', service)
      .execute();
    await harness.app.db
      .insertInto('annual_allowances')
      .values({
        service_id: service,
        financial_year_start: 2026,
        free_sms_fragment_limit: 9,
        created_at: '2026-04-01T00:00:00Z',
      })
      .execute();
    await somePastMessages(harness, [
      message(service, '2026-03-31T22:00:00Z'),
      message(service, '2026-04-01T12:00:00Z'),
      message(service, '2026-11-15T11:00:00Z', { notification_type: 'email' }),
      message(service, '2026-11-15T11:00:00Z', { notification_type: 'letter', status: 'created' }),
    ]);
    await foldRollups(harness.app.db);
    const { status, body } = await harness.admin('GET', '/service/live-services-data');
    expect(status).toBe(200);
    expect(body.data[0]).toEqual({
      service_id: service,
      service_name: 'Went live',
      organisation_name: 'Owner',
      // The organisation’s type overrides the service’s own.
      organisation_type: 'central',
      consent_to_research: true,
      contact_name: 'Mo',
      contact_email: 'mo@example.org',
      contact_mobile: '07700900001',
      live_date: 'Thu, 02 Jan 2020 03:04:05 GMT',
      sms_volume_intent: 5,
      email_volume_intent: null,
      letter_volume_intent: null,
      sms_totals: 1,
      email_totals: 1,
      letter_totals: 0,
      free_sms_fragment_limit: 9,
    });
    expect(body.data.at(-1).live_date).toBeNull();
  });
});

describe('GET /service/monthly-data-by-service', () => {
  it('200 live services by month and type', async () => {
    const service = await aService(harness, { name: 'Monthly' });
    const trial = await aService(harness, { restricted: true });
    const of = (created_at: string, ...statuses: PastMessage['status'][]) =>
      statuses.map((status) => message(service, created_at, { status }));
    await somePastMessages(harness, [
      ...of('2021-06-30T22:00:00Z', 'delivered'),
      ...of('2021-07-01T12:00:00Z', 'created', 'sending', 'pending', 'delivered', 'sent', 'technical-failure'),
      ...of('2021-07-31T22:00:00Z', 'temporary-failure', 'permanent-failure', 'permanent-failure'),
      message(service, '2021-07-10T12:00:00Z', { notification_type: 'letter', status: 'returned-letter' }),
      message(service, '2021-07-10T12:00:00Z', { key_type: 'test' }),
      message(service, '2021-07-31T23:00:00Z', { status: 'created' }),
      message(trial, '2021-07-10T12:00:00Z'),
    ]);
    const expected = [
      ['2021-06-01', service, 'Monthly', 'sms', 0, 1, 0, 0, 0, 0],
      ['2021-07-01', service, 'Monthly', 'letter', 0, 1, 0, 0, 0, 0],
      ['2021-07-01', service, 'Monthly', 'sms', 2, 1, 1, 1, 2, 1],
    ];
    const ask = (start: string, end: string) =>
      harness.admin('GET', `/service/monthly-data-by-service?start_date=${start}&end_date=${end}`);
    expect(await ask('2021-06-01', '2021-08-31')).toMatchObject({ status: 200, body: expected });
    await foldRollups(harness.app.db);
    expect((await ask('2021-06-01', '2021-08-31')).body).toEqual(expected);
    expect((await ask('2021-07-02', '2021-07-30')).body).toEqual([expected[1]]);
    expect((await ask('2021-07-31', '2021-07-31')).body).toEqual([
      ['2021-07-01', service, 'Monthly', 'sms', 0, 0, 0, 1, 2, 0],
    ]);
  });

  it('400 without dates', async () => {
    expect(await harness.admin('GET', '/service/monthly-data-by-service?end_date=never')).toMatchObject({
      status: 400,
      body: {
        result: 'error',
        message: { start_date: ['Missing data for required field.'], end_date: ['Not a valid date.'] },
      },
    });
  });
});
