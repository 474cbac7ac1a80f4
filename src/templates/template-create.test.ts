import { beforeAll, describe, expect, it } from 'vitest';
import { aReplyTo, aService, aTemplateFolder, aUser } from '../../test/kit/builders/rows.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
let service: string;
let author: string;

beforeAll(async () => {
  service = await aService(harness);
  author = await aUser(harness, { name: 'Grace Author' });
});

const text = () => ({ name: 'Reminder', template_type: 'sms', content: 'Dear ((name))', created_by: author });
const email = () => ({ ...text(), template_type: 'email', subject: 'About ((thing))' });
const letter = () => ({ ...email(), template_type: 'letter' });

function create(body: object, of = service) {
  return harness.admin('POST', `/service/${of}/template`, body);
}

async function refusal(body: object): Promise<unknown> {
  const response = await create(body);
  expect(response.status).toBe(400);
  expect(response.body.result).toBe('error');
  return response.body.message;
}

describe('POST /service/{service_id}/template', () => {
  it('201 with version 1 and every field', async () => {
    const { status, body } = await create(text());
    expect(status).toBe(201);
    expect(body).toEqual({
      data: {
        id: expect.stringMatching(/^[0-9a-f-]{36}$/),
        service,
        name: 'Reminder',
        template_type: 'sms',
        subject: null,
        content: 'Dear ((name))',
        version: 1,
        archived: false,
        hidden: false,
        folder: null,
        process_type: 'normal',
        redact_personalisation: false,
        postage: null,
        is_precompiled_letter: false,
        reply_to: null,
        reply_to_text: 'TESTING',
        service_letter_contact: null,
        service_letter_contact_id: null,
        letter_languages: null,
        letter_welsh_subject: null,
        letter_welsh_content: null,
        letter_attachment: null,
        has_unsubscribe_link: false,
        email_files: [],
        created_by: { id: author, name: 'Grace Author' },
        created_at: '2026-11-15T12:00:00.000000Z',
        updated_at: null,
      },
    });
  });

  it('201 for an email', async () => {
    const { status, body } = await create({ ...email(), has_unsubscribe_link: true, process_type: 'bulk' });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      template_type: 'email',
      subject: 'About ((thing))',
      has_unsubscribe_link: true,
      process_type: 'bulk',
      postage: null,
      letter_languages: null,
    });
  });

  it('201 for a letter, second class and in English by default', async () => {
    const { status, body } = await create(letter());
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ postage: 'second', letter_languages: 'english', letter_welsh_content: null });
  });

  it.each(['first', 'second', 'economy'])('201 with postage %s', async (postage) => {
    expect((await create({ ...letter(), postage })).body.data.postage).toBe(postage);
  });

  it('201 without postage unless it is a letter', async () => {
    expect((await create({ ...email(), postage: 'first' })).body.data.postage).toBeNull();
  });

  it.each(['normal', 'priority', 'bulk'])('201 with process type %s', async (process_type) => {
    expect((await create({ ...text(), process_type })).body.data.process_type).toBe(process_type);
  });

  it('201 in a folder', async () => {
    const parent_folder_id = await aTemplateFolder(harness, service);
    const { body } = await create({ ...text(), parent_folder_id });
    expect(body.data.folder).toBe(parent_folder_id);
  });

  it('201 when the body repeats the service id, in any notation', async () => {
    expect((await create({ ...text(), service })).status).toBe(201);
    expect((await create({ ...text(), service: service.toUpperCase().replaceAll('-', '') })).status).toBe(201);
  });

  it('201 with unknown keys, which are ignored', async () => {
    const { status, body } = await create({ ...text(), colour: 'blue', version: 7, hidden: true });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({ version: 1, hidden: false });
    expect(body.data).not.toHaveProperty('colour');
  });

  it('201 for a text message, ignoring the subject', async () => {
    expect((await create({ ...text(), subject: 'A subject' })).body.data.subject).toBeNull();
    expect((await create({ ...text(), subject: null })).body.data.subject).toBeNull();
  });

  it('201 with empty content', async () => {
    expect((await create({ ...text(), content: '' })).status).toBe(201);
  });

  it('201 in Welsh then English', async () => {
    const welsh = {
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: 'Pennawd',
      letter_welsh_content: 'Corff',
    };
    const { status, body } = await create({ ...letter(), ...welsh });
    expect(status).toBe(201);
    expect(body.data).toMatchObject(welsh);
  });

  it.each(['letter', 'email', 'sms'] as const)('201 with a reply-to for type %s', async (type) => {
    const reply_to = await aReplyTo(harness, service, type, { text: type === 'sms' ? '07700900123' : 'somewhere' });
    const { status, body } = await create({ ...email(), template_type: type, reply_to });
    expect(status).toBe(201);
    expect(body.data).toMatchObject({
      reply_to,
      reply_to_text: type === 'sms' ? '447700900123' : 'somewhere',
      service_letter_contact_id: type === 'letter' ? reply_to : null,
    });
  });

  it('201 exactly at the length limit, not counting placeholders', async () => {
    expect((await create({ ...text(), content: `${'x'.repeat(918)}((name))` })).status).toBe(201);
  });

  it('201 with the text of a QR code exactly at the limit', async () => {
    expect((await create({ ...letter(), content: `QR: ${'x'.repeat(500)}` })).status).toBe(201);
  });

  it('keeps version 1 in the history', async () => {
    const { body } = await create(text());
    const versions = await harness.admin('GET', `/service/${service}/template/${body.data.id}/versions`);
    expect(versions.body.data.map(({ version }: { version: number }) => version)).toEqual([1]);
  });

  it('400 with every missing field', async () => {
    const missing = ['Missing data for required field.'];
    expect(await refusal({})).toEqual({
      name: missing,
      template_type: missing,
      content: missing,
      created_by: missing,
    });
    expect(await refusal({ template_type: 'email' })).toEqual({
      name: missing,
      subject: missing,
      content: missing,
      created_by: missing,
    });
  });

  it.each(['email', 'letter'])('400 when a template of type %s has no subject', async (template_type) => {
    expect(await refusal({ ...text(), template_type })).toEqual({ subject: ['Missing data for required field.'] });
    expect(await refusal({ ...text(), template_type, subject: null })).toEqual({ subject: ['Field may not be null.'] });
    expect(await refusal({ ...text(), template_type, subject: ' \n' })).toEqual({
      subject: ['Invalid template subject'],
    });
  });

  const wrong: [string, object, Record<string, string[]>][] = [
    ['name is a number', { name: 1 }, { name: ['Not a valid string.'] }],
    ['name is null', { name: null }, { name: ['Field may not be null.'] }],
    ['name is blank', { name: ' ' }, { name: ['Invalid template name'] }],
    ['name is too long', { name: 'x'.repeat(256) }, { name: ['Longer than maximum length 255.'] }],
    ['type is unknown', { template_type: 'fax' }, { template_type: ['Must be one of: sms, email, letter.'] }],
    ['type is null', { template_type: null }, { template_type: ['Field may not be null.'] }],
    ['content is null', { content: null }, { content: ['Field may not be null.'] }],
    ['content is a list', { content: [] }, { content: ['Not a valid string.'] }],
    ['author is not an id', { created_by: 'me' }, { created_by: ['Not a valid UUID.'] }],
    ['author is unknown', { created_by: unknown }, { created_by: ['No result found'] }],
    ['folder is null', { parent_folder_id: null }, { parent_folder_id: ['Field may not be null.'] }],
    ['folder is not an id', { parent_folder_id: 'top' }, { parent_folder_id: ['Not a valid UUID.'] }],
    [
      'process type is unknown',
      { process_type: 'slow' },
      { process_type: ['Must be one of: normal, priority, bulk.'] },
    ],
    ['postage is unknown', { postage: 'third' }, { postage: ['Must be one of: first, second, economy.'] }],
    ['postage is europe', { postage: 'europe' }, { postage: ['Must be one of: first, second, economy.'] }],
    ['reply-to is not an id', { reply_to: 'me' }, { reply_to: ['Not a valid UUID.'] }],
    ['service is not an id', { service: 'ours' }, { service: ['Not a valid UUID.'] }],
    ['service is another one', { service: unknown }, { service: ['Must be the service in the path.'] }],
    [
      'unsubscribe link is a string',
      { has_unsubscribe_link: 'yes' },
      { has_unsubscribe_link: ['Not a valid boolean.'] },
    ],
    [
      'unsubscribe link is set for another template type',
      { has_unsubscribe_link: true },
      { has_unsubscribe_link: ['Only emails have an unsubscribe link.'] },
    ],
    [
      'languages are set for another template type',
      { letter_languages: 'english', letter_welsh_subject: null, letter_welsh_content: null },
      { letter_languages: ['Only letters have languages.'] },
    ],
    [
      'fields are invalid',
      { name: 1, content: 2 },
      { name: ['Not a valid string.'], content: ['Not a valid string.'] },
    ],
  ];
  it.each(wrong)('400 when the %s', async (_what, change, message) => {
    expect(await refusal({ ...text(), ...change })).toEqual(message);
  });

  const languages: [string, object, Record<string, string[]>][] = [
    ['unknown', { letter_languages: 'french' }, { letter_languages: ['Must be one of: english, welsh_then_english.'] }],
    [
      'given without the Welsh texts',
      { letter_languages: 'welsh_then_english' },
      {
        letter_welsh_subject: ['Missing data for required field.'],
        letter_welsh_content: ['Missing data for required field.'],
      },
    ],
    [
      'Welsh without a Welsh text',
      { letter_languages: 'welsh_then_english', letter_welsh_subject: 'Pennawd', letter_welsh_content: null },
      { letter_welsh_content: ['Field may not be null.'] },
    ],
    [
      'English with a Welsh text',
      { letter_languages: 'english', letter_welsh_subject: 'Pennawd', letter_welsh_content: null },
      { letter_welsh_subject: ['Must be null unless letter_languages is welsh_then_english.'] },
    ],
  ];
  it.each(languages)('400 when the languages are %s', async (_what, change, message) => {
    expect(await refusal({ ...letter(), ...change })).toEqual(message);
  });

  it('400 when the text message is too long', async () => {
    expect(await refusal({ ...text(), content: 'x'.repeat(919) })).toEqual({
      content: ['Content has a character count greater than the limit of 918'],
    });
  });

  it('400 when the text of a QR code is too long, in either language', async () => {
    const content = `Scan this:\n\nQR: ${'x'.repeat(501)}`;
    expect(await refusal({ ...letter(), content })).toEqual({ content: ['qr-code-too-long'] });
    const welsh = { letter_languages: 'welsh_then_english', letter_welsh_subject: 'Pennawd' };
    expect(await refusal({ ...letter(), ...welsh, letter_welsh_content: content })).toEqual({
      content: ['qr-code-too-long'],
    });
  });

  it('400 when the folder does not exist or belongs to another service', async () => {
    const elsewhere = await aTemplateFolder(harness, await aService(harness));
    for (const parent_folder_id of [unknown, elsewhere]) {
      expect(await refusal({ ...text(), parent_folder_id })).toBe('parent_folder_id not found');
    }
  });

  it.each([
    ['letter', 'letter_contact_id'],
    ['email', 'email_reply_to_id'],
    ['sms', 'sms_sender_id'],
  ] as const)('400 when the reply-to of a template of type %s is not the service’s', async (type, name) => {
    const elsewhere = await aReplyTo(harness, await aService(harness), type);
    const archived = await aReplyTo(harness, service, type, { archived: true });
    const ofOtherType = await aReplyTo(harness, service, type === 'sms' ? 'email' : 'sms');
    for (const reply_to of [unknown, elsewhere, archived, ofOtherType]) {
      expect(await refusal({ ...email(), template_type: type, reply_to })).toBe(
        `${name} ${reply_to} does not exist in database for service id ${service}`,
      );
    }
  });

  it('400 when a string contains characters that the database cannot store', async () => {
    expect((await create({ ...text(), content: 'a\u0000b' })).status).toBe(400);
  });

  it('400 when the body is not JSON', async () => {
    const response = await harness.request({
      method: 'POST',
      url: `/service/${service}/template`,
      headers: { authorization: `Bearer ${adminToken(harness.clock)}` },
      payload: '{',
    });
    expect(response.status).toBe(400);
    expect(response.body.result).toBe('error');
  });

  it.each([
    ['sms', 'text message'],
    ['email', 'email'],
    ['letter', 'letter'],
  ])('403 when the service may not send %s', async (template_type, channel) => {
    const permissions = ['sms', 'email', 'letter'].filter((permission) => permission !== template_type);
    const limited = await aService(harness, { permissions });
    const { status, body } = await create({ ...email(), template_type }, limited);
    expect(status).toBe(403);
    expect(body).toEqual({
      result: 'error',
      message: { template_type: [`Creating ${channel} templates is not allowed`] },
    });
  });

  it('404 when the service does not exist, whatever the body', async () => {
    for (const body of [text(), {}]) {
      const response = await create(body, unknown);
      expect(response.status).toBe(404);
      expect(response.body).toEqual({ result: 'error', message: 'No result found' });
    }
  });

  it('404 for an invalid service id', async () => {
    expect((await create(text(), 'ours')).status).toBe(404);
  });
});
