import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { aJob } from '../../../test/kit/builders/jobs.ts';
import { aNotification, anApiKey, aService, aTemplate, aUser } from '../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { NewNotification } from '../notification.ts';
import { publicStatuses } from './public-notification.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f4900';
const root = 'http://localhost:80';
let service: string;
let key: string;
let templates: Record<Channel, string>;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  templates = {
    sms: await aTemplate(harness, service, { content: 'Hello ((name))\r\n\r\nbye' }),
    email: await aTemplate(harness, service, {
      template_type: 'email',
      subject: 'About ((thing))',
      content: 'Hello ((name))\r\n\r\n* bye',
    }),
    letter: await aTemplate(harness, service, { template_type: 'letter', content: 'Dear ((address_line_1))' }),
  };
});

function sent(fields: Partial<NewNotification> = {}, more: Parameters<typeof aNotification>[4] = {}) {
  return aNotification(harness, service, templates[fields.notification_type ?? 'sms'], fields, more);
}

function get(id: string, as = key) {
  return harness.v2('GET', `/v2/notifications/${id}`, as);
}

describe('GET /v2/notifications/{id}', () => {
  it('200 returns every key of a text message', async () => {
    const id = await sent({ client_reference: 'mine', recipient: '+(44) 7700-900123' });
    const { status, body } = await get(id);
    expect(status).toBe(200);
    expect(body).toEqual({
      id,
      reference: 'mine',
      email_address: null,
      phone_number: '+(44) 7700-900123',
      line_1: null,
      line_2: null,
      line_3: null,
      line_4: null,
      line_5: null,
      line_6: null,
      postcode: null,
      postage: null,
      type: 'sms',
      status: 'created',
      status_description: 'In transit',
      provider_response: null,
      template: { id: templates.sms, version: 1, uri: `${root}/v2/template/${templates.sms}/version/1` },
      body: 'Hello Ada\n\nbye',
      subject: null,
      created_at: '2026-11-16T12:00:00.000000Z',
      created_by_name: null,
      sent_at: null,
      completed_at: null,
      scheduled_for: null,
      one_click_unsubscribe_url: null,
      cost_in_pounds: null,
      is_cost_data_ready: false,
      cost_details: {},
    });
  });

  it('200 returns an email with raw Markdown, rendered subject and no cost', async () => {
    const id = await sent({
      notification_type: 'email',
      recipient: 'Ada@Example.org',
      personalisation: { NAME: 'Ada', thing: 'tea' },
      one_click_unsubscribe_url: 'https://example.org/bye',
    });
    expect((await get(id)).body).toMatchObject({
      type: 'email',
      email_address: 'Ada@Example.org',
      phone_number: null,
      subject: 'About tea',
      body: 'Hello Ada\r\n\r\n* bye',
      one_click_unsubscribe_url: 'https://example.org/bye',
      cost_in_pounds: 0,
      is_cost_data_ready: true,
      cost_details: {},
    });
  });

  it('200 returns a letter with address, letter status and estimated delivery', async () => {
    const id = await sent({
      notification_type: 'letter',
      personalisation: { 'Address Line-1': 'Ada', address_line_2: 'High Street', postcode: 'SW1A 1AA', thing: 'x' },
    });
    expect((await get(id)).body).toMatchObject({
      type: 'letter',
      status: 'accepted',
      line_1: 'Ada',
      line_2: 'High Street',
      line_3: null,
      postcode: 'SW1A 1AA',
      postage: 'second',
      body: 'Dear Ada',
      subject: 'About x',
      is_cost_data_ready: false,
      cost_in_pounds: null,
      // Printed on Tuesday 17, then five working days.
      estimated_delivery: '2026-11-24T16:00:00.000000Z',
    });
  });

  it('200 without estimated delivery for other types', async () => {
    expect((await get(await sent())).body).not.toHaveProperty('estimated_delivery');
  });

  it.each([
    [
      'sms',
      'sending',
      { billable_units: 2, rate_multiplier: 3 },
      0.144,
      { billable_sms_fragments: 2, international_rate_multiplier: 3, sms_rate: 0.024 },
    ],
    [
      'sms',
      'technical-failure',
      {},
      0,
      { billable_sms_fragments: 0, international_rate_multiplier: 1, sms_rate: 0.024 },
    ],
    [
      'letter',
      'sending',
      { billable_units: 2, postage: 'first' },
      1.61,
      { billable_sheets_of_paper: 2, postage: 'first' },
    ],
    ['letter', 'created', { billable_units: 1 }, 0.73, { billable_sheets_of_paper: 1, postage: 'second' }],
    ['letter', 'cancelled', { billable_units: 2 }, 0, { billable_sheets_of_paper: 0, postage: 'second' }],
    ['letter', 'validation-failed', { billable_units: 2 }, 0, { billable_sheets_of_paper: 0, postage: 'second' }],
  ] as const)('the cost of a %s message in status %s', async (notification_type, status, more, cost, details) => {
    const id = await sent({ notification_type, status }, { ...more });
    const { body } = await get(id);
    expect(body.cost_in_pounds).toBe(cost);
    expect(body.is_cost_data_ready).toBe(true);
    expect(body.cost_details).toEqual(details);
  });

  it('uses the rate on the day of acceptance', async () => {
    const id = await sent({ status: 'delivered' }, { billable_units: 1, created_at: '2025-06-01T12:00:00Z' });
    expect((await get(id)).body.cost_in_pounds).toBe(0.0233);
    const early = await sent({ status: 'delivered' }, { billable_units: 1, created_at: '2001-06-01T12:00:00Z' });
    expect((await get(early)).body.cost_in_pounds).toBe(0.0165);
  });

  it('charges nothing for test keys', async () => {
    const id = await sent({ status: 'delivered', key_type: 'test' }, { billable_units: 1 });
    expect((await get(id)).body).toMatchObject({ cost_in_pounds: 0, is_cost_data_ready: true });
  });

  it.each([
    ['sms', 'sent', 'sent', true],
    ['sms', 'delivered', 'delivered', true],
    ['sms', 'pending', 'pending', false],
    ['sms', 'sending', 'sending', false],
    ['email', 'permanent-failure', 'permanent-failure', true],
    ['letter', 'sending', 'accepted', false],
    ['letter', 'delivered', 'received', true],
    ['letter', 'returned-letter', 'received', true],
    ['letter', 'cancelled', 'cancelled', true],
    ['letter', 'validation-failed', 'validation-failed', true],
    ['letter', 'pending-virus-check', 'pending-virus-check', false],
    ['letter', 'virus-scan-failed', 'virus-scan-failed', false],
  ] as const)('shows %s in %s as %s', async (notification_type, status, shown, isCompleted) => {
    const updated_at = '2026-11-16T13:00:00.000000Z';
    const id = await sent({ notification_type, status }, { updated_at });
    const { body } = await get(id);
    expect(body.status).toBe(shown);
    expect(body.completed_at).toBe(isCompleted ? updated_at : null);
  });

  it('200 with the name of the user who sent a one-off message', async () => {
    const created_by_id = await aUser(harness, { name: 'Grace Sender' });
    expect((await get(await sent({ created_by_id }))).body.created_by_name).toBe('Grace Sender');
  });

  it('200 for a key of another type, and for an id in capitals or without hyphens', async () => {
    const id = await sent();
    expect((await get(id, await anApiKey(harness, service, { key_type: 'test' }))).body.id).toBe(id);
    expect((await get(id.toUpperCase())).body.id).toBe(id);
    expect((await get(id.replaceAll('-', ''))).body.id).toBe(id);
  });

  it('200 renders the template version at acceptance, without redaction', async () => {
    const template = await aTemplate(harness, service, { content: 'old ((name))', redact_personalisation: true });
    const id = await aNotification(harness, service, template);
    await harness.app.db
      .updateTable('templates')
      .set({ content: 'new', version: 2 })
      .where('id', '=', template)
      .execute();
    expect((await get(id)).body).toMatchObject({ body: 'old Ada', template: { version: 1 } });
  });

  it.each(['sms', 'not-an-id', 'x'.repeat(40)])('400 when the id is %s', async (id) => {
    const { status, body } = await get(id);
    expect(status).toBe(400);
    expect(body).toEqual({
      status_code: 400,
      errors: [{ error: 'ValidationError', message: 'notification_id is not a valid UUID' }],
    });
  });

  it('404 when it is unknown or belongs to another service', async () => {
    const other = await aService(harness);
    const foreign = await aNotification(harness, other, await aTemplate(harness, other));
    for (const id of [unknown, foreign]) {
      const { status, body } = await get(id);
      expect(status).toBe(404);
      expect(body).toEqual({ status_code: 404, errors: [{ error: 'NoResultFound', message: 'No result found' }] });
    }
  });
});

describe('GET /v2/notifications', () => {
  it('200 without messages of jobs unless include_jobs is true', async () => {
    const of = await aService(harness);
    const template = await aTemplate(harness, of);
    const ofService = await anApiKey(harness, of);
    const single = await aNotification(harness, of, template);
    const row = { job_id: await aJob(harness, of, template), job_row_number: 0 };
    const ofJob = await aNotification(harness, of, template, { client_reference: 'mine' }, row);
    const ids = async (query: string) =>
      (await harness.v2('GET', `/v2/notifications${query}`, ofService)).body.notifications.map(
        ({ id }: { id: string }) => id,
      );
    expect(await ids('')).toEqual([single]);
    expect(await ids('?include_jobs=true')).toEqual([ofJob, single]);
    expect(await ids('?include_jobs=True&reference=mine')).toEqual([ofJob]);
    expect(await ids('?reference=mine')).toEqual([]);
    const { links } = (await harness.v2('GET', '/v2/notifications?include_jobs=true', ofService)).body;
    expect(links.next).toContain(`?older_than=${single}&include_jobs=true`);
  });

  it('200 loads a template once for all messages of a page', async () => {
    const of = await aService(harness);
    const template = await aTemplate(harness, of);
    const ofService = await anApiKey(harness, of);
    for (let count = 0; count < 20; count += 1) await aNotification(harness, of, template);
    const query = vi.spyOn(pg.Client.prototype, 'query');
    const { body } = await harness.v2('GET', '/v2/notifications', ofService);
    expect(body.notifications).toHaveLength(20);
    const reads = query.mock.calls.filter(([asked]) =>
      JSON.stringify(asked).includes('from templates_history template'),
    );
    query.mockRestore();
    expect(reads).toHaveLength(1);
  });

  let own: string;
  let ownKey: string;
  let template: string;
  const url = '/v2/notifications';

  beforeAll(async () => {
    own = await aService(harness);
    ownKey = await anApiKey(harness, own);
    template = await aTemplate(harness, own);
  });

  function list(query = '', as = ownKey) {
    return harness.v2('GET', `${url}${query}`, as);
  }

  async function idsOf(query: string, as = ownKey): Promise<string[]> {
    return (await list(query, as)).body.notifications.map(({ id }: { id: string }) => id);
  }

  it('200 with only the current link when empty', async () => {
    expect((await list()).body).toEqual({ notifications: [], links: { current: `${root}${url}` } });
  });

  it('200 lists messages of keys of the same type, newest first', async () => {
    const first = await aNotification(harness, own, template);
    const second = await aNotification(harness, own, template);
    const test = await aNotification(harness, own, template, { key_type: 'test' });
    await sent();
    const { body } = await list();
    expect(body.notifications.map(({ id }: { id: string }) => id)).toEqual([second, first]);
    expect(body.links).toEqual({ current: `${root}${url}`, next: `${root}${url}?older_than=${first}` });
    expect(await idsOf('', await anApiKey(harness, own, { key_type: 'test' }))).toEqual([test]);
    expect(await idsOf('', await anApiKey(harness, own, { key_type: 'team' }))).toEqual([]);
  });

  it('200 filtered by reference, status and type, with repeated parameters', async () => {
    const service = await aService(harness);
    const as = await anApiKey(harness, service);
    const letters = await aTemplate(harness, service, { template_type: 'letter' });
    const sms = await aTemplate(harness, service);
    const make = (fields: Partial<NewNotification>) =>
      aNotification(harness, service, fields.notification_type === 'letter' ? letters : sms, fields);
    const created = await make({ client_reference: 'a&b' });
    const failed = await make({ status: 'technical-failure' });
    const letter = await make({ notification_type: 'letter', status: 'delivered' });
    const returned = await make({ notification_type: 'letter', status: 'returned-letter' });
    expect(await idsOf('?reference=a%26b', as)).toEqual([created]);
    expect(await idsOf('?reference=a%26b&reference=other', as)).toEqual([created]);
    expect(await idsOf('?reference=other', as)).toEqual([]);
    expect(await idsOf('?status=created&status=technical-failure', as)).toEqual([failed, created]);
    expect(await idsOf('?status=failed', as)).toEqual([returned, failed]);
    expect(await idsOf('?status=accepted', as)).toEqual([created]);
    expect(await idsOf('?status=received', as)).toEqual([letter]);
    expect(await idsOf('?template_type=letter', as)).toEqual([returned, letter]);
    expect(await idsOf('?template_type=letter&template_type=sms&include_jobs=true', as)).toHaveLength(4);
    const { links } = (await list('?status=created&status=pending&reference=a%26b', as)).body;
    expect(links.current).toBe(`${root}${url}?status=created&status=pending&reference=a%26b`);
    expect(links.next).toBe(`${root}${url}?older_than=${created}&status=created&status=pending&reference=a%26b`);
  });

  it('200 in pages of 250, followed by an empty page', async () => {
    const service = await aService(harness);
    const as = await anApiKey(harness, service);
    const template = await aTemplate(harness, service);
    const ids: string[] = [];
    for (let made = 0; made < 252; made += 1) ids.unshift(await aNotification(harness, service, template));
    const first = await list('', as);
    expect(first.body.notifications).toHaveLength(250);
    const second = await list(first.body.links.next.slice(`${root}${url}`.length), as);
    expect(second.body.notifications.map(({ id }: { id: string }) => id)).toEqual(ids.slice(250));
    expect(second.body.links.current).toBe(`${root}${url}?older_than=${ids[249]}`);
    const third = await list(second.body.links.next.slice(`${root}${url}`.length), as);
    expect(third.body.notifications).toEqual([]);
    expect(third.body.links).not.toHaveProperty('next');
  });

  it('200 and empty when older_than is unknown or belongs to another service', async () => {
    expect(await idsOf(`?older_than=${unknown}`)).toEqual([]);
    expect(await idsOf(`?older_than=${await sent()}`)).toEqual([]);
  });

  it.each([
    ['?status=elephant', [`status elephant is not one of [${publicStatuses.join(', ')}]`]],
    [
      '?template_type=orange&template_type=apple',
      [
        'template_type orange is not one of [sms, email, letter]',
        'template_type apple is not one of [sms, email, letter]',
      ],
    ],
    ['?include_jobs=false', ['include_jobs false is not one of [true, True]']],
    ['?older_than=1', ['older_than is not a valid UUID']],
    ['?page=2', ['Additional properties are not allowed (page was unexpected)']],
    ['?b=1&a=1', ['Additional properties are not allowed (a, b were unexpected)']],
    ['?status=created%2Csending', [`status created,sending is not one of [${publicStatuses.join(', ')}]`]],
  ])('400 for %s', async (query, messages) => {
    const { status, body } = await list(query);
    expect(status).toBe(400);
    expect(body).toEqual({
      status_code: 400,
      errors: messages.map((message) => ({ error: 'ValidationError', message })),
    });
  });

  it('uses the index for the newest and the oldest page', async () => {
    const { rows } = await harness.app.pool.query(
      `explain (format json) select * from notifications n where n.service_id = '${own}' and n.key_type = 'normal'
       and n.id < '${unknown}' order by n.id desc limit 250`,
    );
    expect(JSON.stringify(rows)).toContain('Index Scan');
  });
});
