import { beforeAll, describe, expect, it } from 'vitest';
import { aReplyTo, aService, aTemplate, aTemplateFolder, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import type { Channel } from '../protocol/channels.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cd';
const later = '2026-11-15T13:30:00.000000Z';
let service: string;
let author: string;
let editor: string;

beforeAll(async () => {
  service = await aService(harness);
  author = await aUser(harness, { name: 'Grace Author' });
  editor = await aUser(harness, { name: 'Edith Editor' });
});

function aTemplateOfService(fields: Parameters<typeof aTemplate>[2] = {}) {
  return aTemplate(harness, service, { created_by_id: author, ...fields });
}

async function update(id: string, body: object, of = service) {
  harness.clock.set('2026-11-15T13:30:00Z');
  const response = await harness.admin('POST', `/service/${of}/template/${id}`, body);
  harness.clock.set('2026-11-15T12:00:00Z');
  return response;
}

async function versionsOf(id: string) {
  return (await harness.admin('GET', `/service/${service}/template/${id}/versions`)).body.data;
}

async function refusal(id: string, body: object): Promise<unknown> {
  const response = await update(id, body);
  expect(response.status).toBe(400);
  expect(response.body.result).toBe('error');
  expect(await versionsOf(id)).toHaveLength(1);
  return response.body.message;
}

describe('POST /service/{service_id}/template/{template_id} (edit)', () => {
  it('200 with the next version; keeps the previous one', async () => {
    const id = await aTemplateOfService({ name: 'Old', content: 'Old ((text))' });
    const { status, body } = await update(id, { name: 'New', content: 'New ((text))', created_by: editor });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      name: 'New',
      content: 'New ((text))',
      version: 2,
      created_by: { id: editor, name: 'Edith Editor' },
      created_at: '2026-11-15T12:00:00.000000Z',
      updated_at: later,
    });
    const versions = await versionsOf(id);
    expect(versions).toMatchObject([
      { version: 2, name: 'New', content: 'New ((text))', created_by: editor, updated_at: later },
      { version: 1, name: 'Old', content: 'Old ((text))', created_by: author, updated_at: null },
    ]);
  });

  it('400 for more text than the pages about a template can show, all languages together', async () => {
    const wrong = {
      content: ['The texts of a template can have at most 4,000,000 characters, all languages together.'],
    };
    const id = await aTemplateOfService({ template_type: 'email', subject: 'S', content: 'Hello' });
    expect(await refusal(id, { content: 'x'.repeat(4_000_000) })).toEqual(wrong);
    const multilingual = await aService(harness, { permissions: ['email', 'template_languages'] });
    const other = await aTemplate(harness, multilingual, { template_type: 'email', subject: 'S', content: 'x' });
    const variants = ['fr', 'nl', 'cy'].map((language) => ({
      ...{ language, subject: 'S', content: 'x'.repeat(1_333_332) },
    }));
    const languages = { default: 'en', variants };
    expect((await update(other, { languages }, multilingual)).body.message).toEqual(wrong);
    variants[0] = { language: 'fr', subject: 'S', content: 'x'.repeat(1_333_331) };
    expect((await update(other, { languages }, multilingual)).status).toBe(200);
    // The texts that were saved before count, too.
    expect((await update(other, { content: 'xx' }, multilingual)).body.message).toEqual(wrong);
    expect((await update(other, { name: 'Other' }, multilingual)).status).toBe(200);
  });

  it('200 with the same author when none is given', async () => {
    const id = await aTemplateOfService();
    const { body } = await update(id, { content: 'New' });
    expect(body.data).toMatchObject({ version: 2, created_by: { id: author, name: 'Grace Author' } });
  });

  const changes: [string, Channel, object][] = [
    ['name', 'sms', { name: 'Another name' }],
    ['content', 'sms', { content: 'Another content' }],
    ['subject of an email', 'email', { subject: 'Another subject' }],
    ['subject of a letter', 'letter', { subject: 'Another subject' }],
    ['process type', 'sms', { process_type: 'priority' }],
    ['postage', 'letter', { postage: 'first' }],
    ['unsubscribe link', 'email', { has_unsubscribe_link: true }],
    [
      'languages',
      'letter',
      { letter_languages: 'welsh_then_english', letter_welsh_subject: 'Pennawd', letter_welsh_content: 'Corff' },
    ],
    ['archived', 'sms', { archived: true }],
  ];
  it.each(changes)('200 with a new version for the %s', async (_what, template_type, change) => {
    const id = await aTemplateOfService({ template_type });
    const { status, body } = await update(id, change);
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ ...change, version: 2 });
    expect((await versionsOf(id))[0]).toMatchObject({ ...change, version: 2 });
  });

  it('200 with a new version when only the author differs', async () => {
    const id = await aTemplateOfService();
    expect((await update(id, { created_by: editor })).body.data).toMatchObject({
      version: 2,
      created_by: { id: editor },
    });
  });

  it('200 with the same version when nothing changes', async () => {
    const id = await aTemplateOfService({ name: 'Same', content: 'Same' });
    for (const body of [{}, { name: 'Same', content: 'Same', created_by: author }, { archived: false }]) {
      const response = await update(id, body);
      expect(response.status).toBe(200);
      expect(response.body.data).toMatchObject({ id, version: 1, updated_at: null });
    }
    expect(await versionsOf(id)).toHaveLength(1);
  });

  it('200 with the same version when the record is sent back unchanged', async () => {
    const id = await aTemplateOfService({ template_type: 'letter' });
    const { body } = await harness.admin('GET', `/service/${service}/template/${id}`);
    const { reply_to: _reply_to, created_by, ...record } = body.data;
    const response = await update(id, { ...record, created_by: created_by.id });
    expect(response.status).toBe(200);
    expect(response.body.data.version).toBe(1);
  });

  it('200 without changing type or service', async () => {
    const id = await aTemplateOfService();
    const { status, body } = await update(id, { template_type: 'email', service: unknown, id: unknown });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, template_type: 'sms', service, version: 1 });
  });

  it('200; ignores fields of other template types', async () => {
    const id = await aTemplateOfService();
    const { body } = await update(id, { subject: 'A subject', postage: 'first' });
    expect(body.data).toMatchObject({ subject: null, postage: null, version: 1 });
  });

  it('200 for an archived template, which stays archived', async () => {
    const id = await aTemplateOfService({ archived: true });
    expect((await update(id, { content: 'New' })).body.data).toMatchObject({
      version: 2,
      archived: true,
      content: 'New',
    });
  });

  it('200 for only a Welsh text when the letter is already in Welsh', async () => {
    const id = await aTemplateOfService({
      template_type: 'letter',
      letter_languages: 'welsh_then_english',
      letter_welsh_subject: 'Pennawd',
      letter_welsh_content: 'Corff',
    });
    const { status, body } = await update(id, { letter_welsh_content: 'Newydd' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ letter_welsh_content: 'Newydd', letter_welsh_subject: 'Pennawd' });
    expect((await update(id, { letter_welsh_content: null })).body.message).toEqual({
      letter_welsh_content: ['Field may not be null.'],
    });
  });

  it('creates a version for each of many concurrent edits', async () => {
    const id = await aTemplateOfService();
    const edits = ['a', 'b', 'c', 'd', 'e'].map((content) => update(id, { content }));
    expect((await Promise.all(edits)).map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    expect((await versionsOf(id)).map(({ version }: { version: number }) => version)).toEqual([6, 5, 4, 3, 2, 1]);
  });

  it.each(['email', 'letter'] as const)(
    '400 when the subject of a template of type %s is blank',
    async (template_type) => {
      const id = await aTemplateOfService({ template_type });
      expect(await refusal(id, { subject: ' \t' })).toEqual({ subject: ['Invalid template subject'] });
      expect(await refusal(id, { subject: '' })).toEqual({ subject: ['Invalid template subject'] });
      expect(await refusal(id, { subject: null })).toEqual({ subject: ['Field may not be null.'] });
    },
  );

  const wrong: [string, object, Record<string, string[]>][] = [
    ['name is blank', { name: '' }, { name: ['Invalid template name'] }],
    ['name is too long', { name: 'x'.repeat(256) }, { name: ['Longer than maximum length 255.'] }],
    ['name is a number', { name: 1 }, { name: ['Not a valid string.'] }],
    ['content is null', { content: null }, { content: ['Field may not be null.'] }],
    ['type is unknown', { template_type: 'fax' }, { template_type: ['Must be one of: sms, email, letter.'] }],
    ['archived is a string', { archived: 'true' }, { archived: ['Not a valid boolean.'] }],
    ['redaction is a string', { redact_personalisation: 'yes' }, { redact_personalisation: ['Not a valid boolean.'] }],
    ['author is not an id', { created_by: 'me' }, { created_by: ['Not a valid UUID.'] }],
    ['author is unknown', { created_by: unknown, name: 'x' }, { created_by: ['No result found'] }],
    [
      'process type is unknown',
      { process_type: 'slow' },
      { process_type: ['Must be one of: normal, priority, bulk.'] },
    ],
    ['postage is unknown', { postage: 'third' }, { postage: ['Must be one of: first, second, economy.'] }],
    ['reply-to is not an id', { reply_to: 'me' }, { reply_to: ['Not a valid UUID.'] }],
    ['files are not a list', { archive_email_file_ids: 'all' }, { archive_email_file_ids: ['Not a valid list.'] }],
    [
      'languages are set for another template type',
      { letter_languages: 'english' },
      { letter_languages: ['Only letters have languages.'] },
    ],
    [
      'unsubscribe link is set for another template type',
      { has_unsubscribe_link: true },
      { has_unsubscribe_link: ['Only emails have an unsubscribe link.'] },
    ],
    [
      'text message is too long',
      { content: 'x'.repeat(919) },
      { content: ['Content has a character count greater than the limit of 918'] },
    ],
  ];
  it.each(wrong)('400 when the %s', async (_what, change, message) => {
    expect(await refusal(await aTemplateOfService(), change)).toEqual(message);
  });

  it('400 when the text of a QR code is too long', async () => {
    const id = await aTemplateOfService({ template_type: 'letter' });
    expect(await refusal(id, { content: `QR: ${'x'.repeat(501)}` })).toEqual({ content: ['qr-code-too-long'] });
  });

  it('400 when the languages are given without the Welsh texts', async () => {
    const id = await aTemplateOfService({ template_type: 'letter' });
    expect(await refusal(id, { letter_languages: 'welsh_then_english' })).toEqual({
      letter_welsh_subject: ['Missing data for required field.'],
      letter_welsh_content: ['Missing data for required field.'],
    });
  });

  it.each([
    ['sms', 'text message'],
    ['email', 'email'],
    ['letter', 'letter'],
  ] as const)('403 when the service may not send %s any more, whatever the body', async (template_type, channel) => {
    const limited = await aService(harness, { permissions: [] });
    const id = await aTemplate(harness, limited, { template_type });
    for (const body of [{ name: 'New' }, { name: 1 }, { archived: true }]) {
      const response = await update(id, body, limited);
      expect(response.status).toBe(403);
      expect(response.body.message).toEqual({ template_type: [`Updating ${channel} templates is not allowed`] });
    }
  });

  it('404 when the template does not exist, is hidden or belongs to another service, whatever the body', async () => {
    const hidden = await aTemplateOfService({ template_type: 'letter', hidden: true });
    const elsewhere = await aTemplate(harness, await aService(harness));
    for (const id of [unknown, hidden, elsewhere]) {
      for (const body of [{ name: 'New' }, { name: 1 }]) {
        const response = await update(id, body);
        expect(response.status).toBe(404);
        expect(response.body).toEqual({ result: 'error', message: 'No result found' });
      }
    }
  });
});

describe('POST /service/{service_id}/template/{template_id} (archive and restore)', () => {
  it('200; no longer in its folder or in the list', async () => {
    const folder = await aTemplateFolder(harness, service);
    const id = await aTemplateOfService({ folder });
    const { status, body } = await update(id, { archived: true, created_by: editor });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, archived: true, version: 2, folder: null, created_by: { id: editor } });
    const list = await harness.admin('GET', `/service/${service}/template`);
    expect(list.body.data.map((template: { id: string }) => template.id)).not.toContain(id);
    expect((await harness.admin('GET', `/service/${service}/template/${id}`)).body.data.archived).toBe(true);
  });

  it('200 with the same version when it is already archived', async () => {
    const id = await aTemplateOfService({ archived: true });
    expect((await update(id, { archived: true, created_by: author })).body.data.version).toBe(1);
  });

  it('200 and in the list again when it is restored', async () => {
    const id = await aTemplateOfService({ archived: true });
    expect((await update(id, { archived: false })).body.data).toMatchObject({ archived: false, version: 2 });
    const list = await harness.admin('GET', `/service/${service}/template`);
    expect(list.body.data.map((template: { id: string }) => template.id)).toContain(id);
  });
});

describe('POST /service/{service_id}/template/{template_id} (redact)', () => {
  it('200 with the next version; changes nothing else', async () => {
    const id = await aTemplateOfService({ name: 'Kept' });
    const { status, body } = await update(id, { redact_personalisation: true, created_by: editor, name: 'Ignored' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ id, redact_personalisation: true, version: 2, name: 'Kept' });
    expect(
      (await versionsOf(id)).map((version: { redact_personalisation: boolean }) => version.redact_personalisation),
    ).toEqual([true, false]);
  });

  it('200 with the same version when it is already redacted', async () => {
    const id = await aTemplateOfService({ redact_personalisation: true });
    const { status, body } = await update(id, { redact_personalisation: true, created_by: editor });
    expect(status).toBe(200);
    expect(body.data.version).toBe(1);
  });

  it('200 and still redacted, because redaction cannot be undone', async () => {
    const id = await aTemplateOfService({ redact_personalisation: true });
    const { status, body } = await update(id, { redact_personalisation: false, name: 'Renamed' });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({ redact_personalisation: true, name: 'Renamed' });
  });

  it('400 without a user', async () => {
    const id = await aTemplateOfService();
    expect(await refusal(id, { redact_personalisation: true })).toEqual({ created_by: ['Field is required'] });
  });

  it('400 for an unknown user', async () => {
    const id = await aTemplateOfService();
    expect(await refusal(id, { redact_personalisation: true, created_by: unknown })).toEqual({
      created_by: ['No result found'],
    });
  });
});

describe('POST /service/{service_id}/template/{template_id} (reply-to)', () => {
  it.each([
    ['letter', 'letter_contact_id'],
    ['email', 'email_reply_to_id'],
    ['sms', 'sms_sender_id'],
  ] as const)('by type %s: 200, 200 when cleared, 400 when it is not the service’s', async (type, name) => {
    const id = await aTemplateOfService({ template_type: type, name: 'Kept' });
    for (const reply_to of [unknown, await aReplyTo(harness, await aService(harness), type)]) {
      expect(await refusal(id, { reply_to })).toBe(
        `${name} ${reply_to} does not exist in database for service id ${service}`,
      );
    }
    const reply_to = await aReplyTo(harness, service, type, { text: 'somewhere' });
    const { status, body } = await update(id, { reply_to, name: 'Ignored', created_by: editor });
    expect(status).toBe(200);
    expect(body.data).toMatchObject({
      id,
      reply_to,
      reply_to_text: 'somewhere',
      service_letter_contact: type === 'letter' ? reply_to : null,
      service_letter_contact_id: type === 'letter' ? reply_to : null,
      version: 2,
      name: 'Kept',
      created_by: { id: author },
    });
    expect((await update(id, { reply_to })).body.data.version).toBe(2);
    const cleared = await update(id, { reply_to: null });
    expect(cleared.body.data).toMatchObject({ reply_to: null, service_letter_contact_id: null, version: 3 });
    expect(cleared.body.data.reply_to_text).toBe(type === 'sms' ? 'TESTING' : null);
    expect((await versionsOf(id))[1]).toMatchObject({ version: 2, reply_to });
  });

  it('returns the default of the service when the template has none, except for letters', async () => {
    const own = await aService(harness);
    await aReplyTo(harness, own, 'letter', { is_default: true });
    await aReplyTo(harness, own, 'email', { is_default: true, text: 'default@example.org' });
    const texts = { letter: null, email: 'default@example.org', sms: 'TESTING' };
    for (const [template_type, reply_to_text] of Object.entries(texts)) {
      const id = await aTemplate(harness, own, { template_type: template_type as 'sms' });
      const { body } = await harness.admin('GET', `/service/${own}/template/${id}`);
      expect(body.data.reply_to_text).toBe(reply_to_text);
    }
  });
});
