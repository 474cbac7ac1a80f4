import { describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { keptPerService, maxPerServiceAndMinute, withoutValues } from './refused-requests.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });

const list = async (service: string, query = '') =>
  (await harness.admin('GET', `/service/${service}/refused-requests${query}`)).body.refused_requests;

async function aCaller() {
  const service = await aService(harness);
  const key = await anApiKey(harness, service);
  const template = await aTemplate(harness, service, { content: 'Hello ((name)), see you on ((day))' });
  const send = (body: unknown) => harness.v2('POST', '/v2/notifications/sms', key, body);
  return { service, key, template, send };
}

describe('GET /service/{service_id}/refused-requests', () => {
  it('200 with the errors of the response, the template and names of fields; no values', async () => {
    const { service, template, send } = await aCaller();
    const personalisation = { name: 'Ada Lovelace' };
    const { body } = await send({
      phone_number: '07700900123',
      template_id: template,
      personalisation,
      reference: 'reference-one',
    });
    const [refused] = await list(service);
    expect(refused).toMatchObject({
      path: '/v2/notifications/sms',
      status_code: 400,
      errors: body.errors,
      template_id: template,
      fields: ['phone_number', 'template_id', 'personalisation', 'reference'],
      personalisation_fields: ['name'],
    });
    expect(JSON.stringify(refused)).not.toMatch(/Lovelace|7700.?900|reference-one/);
  });

  it('removes values that an error text repeats', async () => {
    const { service, template, send } = await aCaller();
    const { body } = await send({
      phone_number: { a: '07700900123' },
      template_id: template,
      reference: 'x'.repeat(1_001),
    });
    expect(JSON.stringify(body.errors)).toContain('07700900123');
    const [{ errors }] = await list(service);
    expect(errors).toHaveLength(body.errors.length);
    expect(JSON.stringify(errors)).not.toMatch(/07700900123|xxx/);
  });

  it('keeps names that cannot be stored from losing the batch', async () => {
    const { service, template, send } = await aCaller();
    await send({ template_id: template, 'half \ud800': '1', 'nul \u0000': '2' });
    expect((await list(service))[0].fields).toEqual(['template_id', 'half ', 'nul ']);
  });

  it('records so many per service and minute: a flood of one does not displace others, in memory or in the table', async () => {
    const flooding = await aCaller();
    const other = await aCaller();
    await Promise.all(Array.from({ length: maxPerServiceAndMinute + 30 }, () => flooding.send({})));
    await other.send({});
    expect(await list(flooding.service)).toHaveLength(maxPerServiceAndMinute);
    expect(await list(other.service)).toHaveLength(1);
  });

  it('keeps the newest of a service, by pages, and for a week', async () => {
    const { service, send } = await aCaller();
    await send({});
    await list(service);
    const row = await harness.app.db
      .selectFrom('refused_requests')
      .selectAll()
      .where('service_id', '=', service)
      .executeTakeFirstOrThrow();
    const older = Array.from({ length: keptPerService + 20 }, (_, number) => ({
      ...row,
      errors: JSON.stringify(row.errors),
      id: `01900000-0000-7000-8000-${String(number).padStart(12, '0')}`,
    }));
    await harness.app.db.insertInto('refused_requests').values(older).execute();
    await send({});
    const [newest] = await list(service);
    expect(newest.id > row.id).toBe(true);
    const count = async () =>
      (await harness.app.db.selectFrom('refused_requests').select('id').where('service_id', '=', service).execute())
        .length;
    expect(await count()).toBe(keptPerService);
    const page = await list(service, `?older_than=${row.id}`);
    expect(page).toHaveLength(50);
    expect(page[0].id).toBe(older.at(-1)?.id);
    harness.clock.advance({ days: 8 });
    await harness.addTask('delete-expired-data');
    await harness.runTasks();
    expect(await count()).toBe(0);
  });

  it('404 for an unknown service', async () => {
    const { status } = await harness.admin('GET', '/service/4f46df42-f795-4cc4-83bb-65ca312f49cc/refused-requests');
    expect(status).toBe(404);
  });
});

describe('withoutValues', () => {
  it.each([
    ['phone_number abc is not of type string', { phone_number: 'abc' }, 'phone_number … is not of type string'],
    ['limit of 918 for 9', { a: '9' }, 'limit of 918 for …'],
    ['Missing personalisation: day', { personalisation: { x: 'day' } }, 'Missing personalisation: day'],
    [
      'personalisation [1, 2] is not of type object',
      { personalisation: [1, 2] },
      'personalisation … is not of type object',
    ],
  ])('%s', (message, body, expected) => {
    expect(withoutValues(message, body)).toBe(expected);
  });
});
