import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aReplyTo, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z', config: { demo: { enabled: true } } });
let service: string;
let key: string;
/** Versions: 1 "One", 2 "Two", 3 archived, 4 restored, 5 "Five". */
let sms: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  sms = await aTemplate(harness, service, { name: 'Reminder', content: 'One ((name))' });
  for (const change of [{ content: 'Two ((name))' }, { archived: true }, { archived: false }, { content: 'Five' }]) {
    await edit(sms, change);
  }
});

async function edit(id: string, body: object): Promise<void> {
  expect((await harness.admin('POST', `/service/${service}/template/${id}`, body)).status).toBe(200);
}

const personalisation = { name: 'Ada' };
function send(choice: object, channel = 'sms') {
  const recipient = channel === 'sms' ? { phone_number: '07700900001' } : { email_address: 'ada@example.org' };
  return harness.v2('POST', `/v2/notifications/${channel}`, key, { ...recipient, personalisation, ...choice });
}

async function sentTexts(): Promise<string[]> {
  await harness.deliver();
  const { body } = await harness.request({ method: 'GET', url: '/outbox' });
  return body.messages.map((message: { body: string }) => message.body);
}

describe('template_version', () => {
  it('201: the message has the text of that version, in the response, in its record and at the provider', async () => {
    const { status, body } = await send({ template_id: sms, template_version: 2 });
    expect([status, body.content.body, body.template]).toEqual([
      201,
      'Two Ada',
      expect.objectContaining({ id: sms, version: 2 }),
    ]);
    expect(await storedMessage(harness, body.id)).toMatchObject({ template_version: 2, personalisation });
    expect((await harness.v2('GET', `/v2/notifications/${body.id}`, key)).body).toMatchObject({
      body: 'Two Ada',
      template: { version: 2 },
    });
    expect((await send({ template_id: sms, template_version: 5 })).body.content.body).toBe('Five');
    expect((await send({ template_id: sms })).body.template.version).toBe(5);
    expect((await sentTexts()).filter((text) => text.includes('Two Ada'))).toHaveLength(1);
  });

  it('201 with the sender that the version has now, and the values that it needs', async () => {
    const sender = await aReplyTo(harness, service, 'sms', { text: 'BEFORE' });
    const id = await aTemplate(harness, service, { content: 'One', reply_to: sender });
    await edit(id, { content: 'Two ((more))' });
    const pinned = () => send({ template_id: id, template_version: 1 });
    expect((await pinned()).body.content).toEqual({ body: 'One', from_number: 'BEFORE' });
    await harness.admin('POST', `/service/${service}/sms-sender/${sender}`, { sms_sender: 'AFTER', is_default: false });
    expect((await pinned()).body.content).toEqual({ body: 'One', from_number: 'AFTER' });
    expectError(await send({ template_id: id }), 400, 'BadRequestError', 'Missing personalisation: more');
  });

  it('404 for an unknown version, 400 for an archived one and for what is no version', async () => {
    for (const version of [6, 2_147_483_648, 9_007_199_254_740_991]) {
      expectError(
        await send({ template_id: sms, template_version: version }),
        404,
        'NoResultFound',
        `Template ${sms} has no version ${version}`,
      );
    }
    expectError(
      await send({ template_id: sms, template_version: 3 }),
      400,
      'BadRequestError',
      `Version 3 of template ${sms} is archived`,
    );
    const wrong: [unknown, string][] = [
      [0, 'template_version 0 is less than the minimum of 1'],
      [1.5, 'template_version 1.5 is not of type integer'],
      ['2', 'template_version 2 is not of type integer'],
      [null, 'template_version None is not of type integer'],
    ];
    for (const [template_version, text] of wrong)
      expectError(await send({ template_id: sms, template_version }), 400, 'ValidationError', text);
    const gone = await aTemplate(harness, service, { name: 'Gone' });
    await edit(gone, { archived: true });
    expectError(
      await send({ template_id: gone, template_version: 1 }),
      400,
      'BadRequestError',
      'Template has been deleted',
    );
    const other = await aTemplate(harness, await aService(harness));
    expectError(
      await send({ template_id: other, template_version: 1 }),
      403,
      'AuthError',
      'Invalid token: service not found',
    );
  });
});

describe('template_name', () => {
  it('201 with the template of that name and channel, also after it was renamed', async () => {
    await aTemplate(harness, service, { name: 'Reminder', template_type: 'email', subject: 'Mail', content: 'Hello' });
    expect((await send({ template_name: 'Reminder' })).body.content.body).toBe('Five');
    expect((await send({ template_name: 'Reminder' }, 'email')).body.content.subject).toBe('Mail');
    expect((await send({ template_name: 'Reminder', template_version: 1 })).body.content.body).toBe('One Ada');
    const id = await aTemplate(harness, service, { name: 'Old name' });
    await edit(id, { name: 'New name' });
    expect((await send({ template_name: 'New name' })).body.template.id).toBe(id);
    expectError(await send({ template_name: 'Old name' }), 404, 'NoResultFound', 'No template is called Old name');
  });

  it('404 for an unknown name, 400 for an ambiguous one, for both, for none and for another channel', async () => {
    expectError(await send({ template_name: 'reminder' }), 404, 'NoResultFound', 'No template is called reminder');
    expectError(await send({ template_name: '' }), 404, 'NoResultFound', 'No template is called ');
    for (const _ of [1, 2]) await aTemplate(harness, service, { name: 'Twice' });
    expectError(
      await send({ template_name: 'Twice' }),
      400,
      'BadRequestError',
      '2 templates are called Twice: use template_id',
    );
    expectError(
      await send({ template_name: 'Twice', template_id: sms }),
      400,
      'ValidationError',
      'template_name cannot be used together with template_id',
    );
    expectError(await send({}), 400, 'ValidationError', 'template_id is a required property');
    expectError(await send({ template_name: 7 }), 400, 'ValidationError', 'template_name 7 is not of type string');
    await aTemplate(harness, service, { name: 'Only email', template_type: 'email' });
    expectError(
      await send({ template_name: 'Only email' }),
      400,
      'BadRequestError',
      'email template is not suitable for sms notification',
    );
    await aTemplate(harness, await aService(harness), { name: 'Elsewhere' });
    expectError(await send({ template_name: 'Elsewhere' }), 404, 'NoResultFound', 'No template is called Elsewhere');
  });

  it('400 with all problems of a letter in the order of the protocol', async () => {
    const { status, body } = await harness.v2('POST', '/v2/notifications/letter', key, { colour: 1 });
    const texts = body.errors.map(({ message }: { message: string }) => message);
    expect([status, texts]).toEqual([
      400,
      [
        'template_id is a required property',
        'personalisation is a required property',
        'Additional properties are not allowed (colour was unexpected)',
      ],
    ]);
  });
});

describe('POST /v2/notifications/bulk', () => {
  const rows = [
    ['phone number', 'name'],
    ['07700900111', 'Ada'],
    ['07700900112', 'Grace'],
  ];

  it.each([
    [
      'JSON',
      () =>
        harness.v2('POST', '/v2/notifications/bulk', key, {
          template_name: 'Bulk',
          template_version: 1,
          name: 'list',
          rows,
        }),
    ],
    [
      'CSV',
      () =>
        harness.request({
          method: 'POST',
          url: '/v2/notifications/bulk?template_name=Bulk&template_version=1&name=list',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
          payload: rows.map((row) => row.join(',')).join('\n'),
        }),
    ],
  ])('201 with a name and a version, as %s: every message has that version', async (_, request) => {
    const found = await harness.app.db
      .selectFrom('templates')
      .select('id')
      .where('name', '=', 'Bulk')
      .executeTakeFirst();
    const id = found?.id ?? (await aTemplate(harness, service, { name: 'Bulk', content: 'First ((name))' }));
    if (!found) await edit(id, { content: 'Second ((other))' });
    const { status, body } = await request();
    expect([status, body.data.template_version]).toEqual([201, 1]);
    await harness.runTasks();
    const messages = await harness.app.db
      .selectFrom('notifications')
      .select(['id', 'template_id', 'template_version'])
      .where('job_id', '=', body.data.id)
      .execute();
    expect(messages.map(({ id: _, ...version }) => version)).toEqual(
      Array(2).fill({ template_id: id, template_version: 1 }),
    );
    const texts = messages.map(
      async (message) => (await harness.v2('GET', `/v2/notifications/${message.id}`, key)).body.body,
    );
    expect((await Promise.all(texts)).sort()).toEqual(['First Ada', 'First Grace']);
  });

  it('400 and 404 as for single messages, and nothing is stored', async () => {
    const bulk = (choice: object) =>
      harness.v2('POST', '/v2/notifications/bulk', key, { name: 'list', rows, ...choice });
    expectError(await bulk({}), 400, 'ValidationError', 'template_id is a required property');
    expectError(await bulk({ template_name: 'None' }), 404, 'NoResultFound', 'No template is called None');
    expectError(
      await bulk({ template_id: sms, template_version: 3 }),
      400,
      'BadRequestError',
      `Version 3 of template ${sms} is archived`,
    );
    const query = await harness.request({
      method: 'POST',
      url: `/v2/notifications/bulk?template_id=${sms}&template_version=x&name=list`,
      headers: { authorization: `Bearer ${key}`, 'content-type': 'text/csv' },
      payload: 'phone number\n07700900111',
    });
    expectError(query, 400, 'ValidationError', 'template_version x is not valid');
    await aTemplate(harness, service, { name: 'In two channels' });
    await aTemplate(harness, service, { name: 'In two channels', template_type: 'email' });
    expectError(
      await bulk({ template_name: 'In two channels' }),
      400,
      'BadRequestError',
      '2 templates are called In two channels: use template_id',
    );
  });
});
