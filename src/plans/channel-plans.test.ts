import { beforeAll, describe, expect, it } from 'vitest';
import { aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let created_by: string;
let email: string;
let sms: string;
let letter: string;

beforeAll(async () => {
  created_by = await aUser(harness);
  service = await aService(harness, { created_by_id: created_by });
  email = await aTemplate(harness, service, { template_type: 'email', subject: 's' });
  sms = await aTemplate(harness, service);
  letter = await aTemplate(harness, service, { template_type: 'letter', subject: 's' });
});

const path = () => `/service/${service}/channel-plan`;
const byEmail = (change: object = {}) => ({ channel: 'email', template_id: email, wait_h: 24, ...change });
const byText = (change: object = {}) => ({ channel: 'sms', template_id: sms, wait_h: 48, ...change });
const byLetter = (change: object = {}) => ({ channel: 'letter', template_id: letter, ...change });

let made = 0;

function create(change: object = {}) {
  made += 1;
  const plan = { name: `Plan ${made}`, steps: [byEmail(), byText(), byLetter()], created_by };
  return harness.admin('POST', path(), { ...plan, ...change });
}

describe('POST /service/{id}/channel-plan', () => {
  it('201 returns the plan; the last step waits for nothing', async () => {
    const { status, body } = await create({ name: '  Appointments ', steps: [byEmail(), byText()] });
    expect([status, body.data]).toEqual([
      201,
      {
        id: expect.any(String),
        service_id: service,
        name: 'Appointments',
        steps: [
          { channel: 'email', template_id: email, wait_h: 24, only_if_missing: false },
          { channel: 'sms', template_id: sms, wait_h: null, only_if_missing: false },
        ],
        version: 1,
        archived: false,
        created_by_id: created_by,
        created_at: '2026-11-16T12:00:00.000000Z',
        updated_at: null,
      },
    ]);
    expect((await harness.admin('GET', `${path()}/${body.data.id}`)).body).toEqual(body);
    expect((await harness.admin('GET', path())).body.data).toContainEqual(body.data);
  });

  it.each<[string, () => object, unknown]>([
    ['one step', () => ({ steps: [byEmail()] }), 'A plan needs 2 to 5 steps'],
    ['six steps', () => ({ steps: Array(6).fill(byEmail()) }), 'A plan needs 2 to 5 steps'],
    ['no wait', () => ({ steps: [byEmail({ wait_h: null }), byText()] }), 'Wait 1 to 336 hours'],
    ['a wait of nothing', () => ({ steps: [byEmail({ wait_h: 0 }), byText()] }), 'Wait 1 to 336 hours'],
    ['a wait of three weeks', () => ({ steps: [byEmail({ wait_h: 504 }), byText()] }), 'Wait 1 to 336 hours'],
    [
      'a wait beyond the retention',
      () => ({ steps: [byEmail({ wait_h: 145 }), byText()] }),
      'Wait 1 to 144 hours: emails of this service are kept for 7 days',
    ],
    ['a letter in between', () => ({ steps: [byLetter({ wait_h: 24 }), byText()] }), 'A letter must be the last step'],
    [
      'a template of another channel',
      () => ({ steps: [byEmail(), byText({ template_id: letter })] }),
      'Step 2 needs a text message template of this service',
    ],
    [
      'a first step that depends on nothing',
      () => ({ steps: [byEmail({ only_if_missing: true }), byText()] }),
      'The first step cannot depend on earlier ones',
    ],
    ['a blank name', () => ({ name: '   ' }), { name: ['Enter a name for the plan'] }],
    ['an unknown author', () => ({ created_by: service }), { created_by: ['No result found'] }],
  ])('400 for %s', async (_, change, message) => {
    const before = (await harness.admin('GET', path())).body;
    expect(await create(change())).toMatchObject({ status: 400, body: { result: 'error', message } });
    expect((await harness.admin('GET', path())).body).toEqual(before);
  });

  it('400 for a template of another service, a deleted one, and a name that is taken', async () => {
    const other = await aTemplate(harness, await aService(harness));
    const message = 'Step 2 needs a text message template of this service';
    expect((await create({ steps: [byEmail(), byText({ template_id: other })] })).body.message).toBe(message);
    const deleted = await aTemplate(harness, service);
    await harness.admin('POST', `/service/${service}/template/${deleted}`, { archived: true, created_by });
    expect((await create({ steps: [byEmail(), byText({ template_id: deleted })] })).body.message).toBe(message);
    expect((await create({ name: 'Only once' })).status).toBe(201);
    const { status, body } = await create({ name: 'ONLY once' });
    expect([status, body.message]).toEqual([400, { name: ['Another plan already has this name'] }]);
  });

  it('404 for an unknown service', async () => {
    const steps = [byEmail(), byText()];
    const url = `/service/${created_by}/channel-plan`;
    expect((await harness.admin('POST', url, { name: 'x', steps, created_by })).status).toBe(404);
    expect((await harness.admin('GET', url)).status).toBe(404);
  });
});

describe('POST /service/{id}/channel-plan/{id}', () => {
  it('200 makes a version for other steps, and none for another name', async () => {
    const { id } = (await create()).body.data;
    const renamed = await harness.admin('POST', `${path()}/${id}`, { name: 'Renamed', created_by });
    expect(renamed.body.data).toMatchObject({ name: 'Renamed', version: 1 });
    const same = await harness.admin('POST', `${path()}/${id}`, {
      steps: [byEmail(), byText(), byLetter()],
      created_by,
    });
    expect(same.body.data.version).toBe(1);
    const changed = await harness.admin('POST', `${path()}/${id}`, {
      steps: [byText({ wait_h: 12 }), byLetter({ only_if_missing: true })],
      created_by,
    });
    expect(changed.body.data).toMatchObject({ name: 'Renamed', version: 2, steps: [{ wait_h: 12 }, { wait_h: null }] });
    const versions = await harness.app.db
      .selectFrom('channel_plan_versions')
      .select('version')
      .where('plan_id', '=', id)
      .orderBy('version')
      .execute();
    expect(versions).toEqual([{ version: 1 }, { version: 2 }]);
  });

  it('400 for wrong steps, which changes nothing; 404 for a plan of another service', async () => {
    const { body } = await create();
    const url = `${path()}/${body.data.id}`;
    expect((await harness.admin('POST', url, { name: 'x', steps: [byText()], created_by })).status).toBe(400);
    expect((await harness.admin('GET', url)).body).toEqual(body);
    const elsewhere = `/service/${await aService(harness)}/channel-plan/${body.data.id}`;
    expect((await harness.admin('POST', elsewhere, { name: 'x', created_by })).status).toBe(404);
    expect((await harness.admin('GET', elsewhere)).status).toBe(404);
    expect((await harness.admin('DELETE', elsewhere)).status).toBe(404);
  });
});

describe('DELETE /service/{id}/channel-plan/{id}', () => {
  it('204 archives it, also a second time; its name is free again', async () => {
    const { id, name } = (await create()).body.data;
    expect((await harness.admin('DELETE', `${path()}/${id}`)).status).toBe(204);
    expect((await harness.admin('DELETE', `${path()}/${id}`)).status).toBe(204);
    expect((await harness.admin('GET', path())).body.data).not.toContainEqual(expect.objectContaining({ id }));
    expect((await harness.admin('GET', `${path()}/${id}`)).body.data).toMatchObject({ archived: true });
    expect((await harness.admin('POST', `${path()}/${id}`, { name: 'x', created_by })).status).toBe(404);
    expect((await create({ name })).status).toBe(201);
  });
});
