import { describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { newId } from '../../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;
const now = '2026-11-15T12:00:00.000000Z';

describe('/service/{id}/data-retention', () => {
  it('POST 201 in result; GET lists email, sms, letter, and returns one or an empty object', async () => {
    const service = await aService(harness, { name: 'Keeper' });
    const path = `/service/${service}/data-retention`;
    const add = (notification_type: string, days_of_retention: number) =>
      admin('POST', path, { notification_type, days_of_retention });
    expect((await admin('GET', path)).body).toEqual([]);
    const letter = await add('letter', 3);
    expect(letter.status).toBe(201);
    expect(letter.body).toEqual({
      result: {
        id: expect.any(String),
        service_id: service,
        service_name: 'Keeper',
        notification_type: 'letter',
        days_of_retention: 3,
        created_at: now,
        updated_at: null,
      },
    });
    const email = (await add('email', 90)).body.result;
    const sms = (await add('sms', 7)).body.result;
    expect((await admin('GET', path)).body).toEqual([email, sms, letter.body.result]);
    expect((await admin('GET', `${path}/${sms.id}`)).body).toEqual(sms);
    expect((await admin('GET', `${path}/${newId(new Date())}`)).text).toBe('{}');
    expect((await admin('GET', `${path}/notification-type/sms`)).body).toEqual(sms);
    const other = await aService(harness);
    expect((await admin('GET', `/service/${other}/data-retention/notification-type/sms`)).text).toBe('{}');
    expect((await admin('GET', `${path}/notification-type/fax`)).status).toBe(404);
  });

  it('POST 400 when the type already has a period', async () => {
    const path = `/service/${await aService(harness)}/data-retention`;
    await admin('POST', path, { notification_type: 'sms', days_of_retention: 3 });
    const { status, body } = await admin('POST', path, { notification_type: 'sms', days_of_retention: 4 });
    expect([status, body.message]).toEqual([400, 'Service already has data retention for sms notification type']);
  });

  it.each([
    [
      {},
      {
        days_of_retention: ['Missing data for required field.'],
        notification_type: ['Missing data for required field.'],
      },
    ],
    [
      { days_of_retention: '3', notification_type: 'fax' },
      {
        days_of_retention: ['Not a valid integer.'],
        notification_type: ['Must be one of: sms, letter, email.'],
      },
    ],
    [
      { days_of_retention: -1, notification_type: 'sms' },
      { days_of_retention: ['Must be greater than or equal to 0.'] },
    ],
  ])('POST 400 for %o', async (request, message) => {
    const { status, body } = await admin('POST', `/service/${await aService(harness)}/data-retention`, request);
    expect([status, body.message]).toEqual([400, message]);
  });

  it('POST {id} 204 updates the days; 404 with a specific message', async () => {
    const service = await aService(harness);
    const path = `/service/${service}/data-retention`;
    const { id } = (await admin('POST', path, { notification_type: 'sms', days_of_retention: 3 })).body.result;
    expect(await admin('POST', `${path}/${id}`, { days_of_retention: 5 })).toMatchObject({ status: 204, text: '' });
    expect((await admin('GET', `${path}/${id}`)).body).toMatchObject({ days_of_retention: 5, updated_at: now });
    const unknown = newId(new Date());
    const { status, body } = await admin('POST', `${path}/${unknown}`, { days_of_retention: 5 });
    expect([status, body.message]).toEqual([
      404,
      `The service data retention for id: ${unknown} was not found for service: ${service}`,
    ]);
    expect((await admin('POST', `${path}/${id}`, {})).status).toBe(400);
  });

  it('404 for an unknown service', async () => {
    const path = `/service/${newId(new Date())}/data-retention`;
    expect((await admin('GET', path)).status).toBe(404);
    expect((await admin('POST', path, { notification_type: 'sms', days_of_retention: 3 })).status).toBe(404);
  });
});
