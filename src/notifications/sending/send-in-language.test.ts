import { NotifyClient } from 'notifications-node-client';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aUser } from '../../../test/kit/builders/rows.ts';
import { expectError, storedMessage } from '../../../test/kit/builders/sends.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';

// The client signs its tokens with the real time, so the clock starts there.
const harness = useHarness({ config: { demo: { enabled: true } } });
const phone_number = '07700900123';
const permissions = ['sms', 'email', 'letter', 'template_languages'];
let service: string;
let plain: string;
let key: string;
let plainKey: string;
let user: string;

beforeAll(async () => {
  user = await aUser(harness);
  service = await aService(harness, { permissions, created_by_id: user });
  plain = await aService(harness);
  key = await anApiKey(harness, service);
  plainKey = await anApiKey(harness, plain);
});

const french = { language: 'fr', content: 'Bonjour ((nom))' };
const canadian = { language: 'fr-CA', content: 'Allô ((nom))' };
const languages = { default: 'en', field: 'language', variants: [french, canadian] };

async function aTextIn(fields: object = {}): Promise<string> {
  const template = { name: 'Greeting', template_type: 'sms', content: 'Hello ((name))', created_by: user };
  const { status, body } = await harness.admin('POST', `/service/${service}/template`, {
    ...template,
    languages: { ...languages, ...fields },
  });
  expect(status, JSON.stringify(body)).toBe(201);
  return body.data.id;
}

const send = (template_id: string, change: object = {}): Promise<Answer> =>
  harness.v2('POST', '/v2/notifications/sms', key, { phone_number, template_id, ...change });

async function textOf(template_id: string, change: object): Promise<[string, string | null]> {
  const { status, body } = await send(template_id, change);
  expect(status, JSON.stringify(body)).toBe(201);
  return [body.content.body, (await storedMessage(harness, body.id))?.language ?? null];
}

describe('POST /v2/notifications/sms with a template in several languages', () => {
  const values = { name: 'Ada', nom: 'Ada' };

  it.each([
    [{}, 'Hello Ada', null],
    [{ language: 'fr' }, 'Bonjour Ada', 'fr'],
    [{ language: 'fr-CA' }, 'Allô Ada', 'fr-CA'],
    [{ language: 'FR-ca' }, 'Allô Ada', 'fr-CA'],
    [{ language: 'fr-BE' }, 'Bonjour Ada', 'fr'],
    [{ language: 'de' }, 'Hello Ada', null],
    [{ language: 'en-GB' }, 'Hello Ada', null],
    [{ personalisation: { ...values, language: 'fr' } }, 'Bonjour Ada', 'fr'],
    [{ personalisation: { ...values, Language: 'fr_CA' } }, 'Allô Ada', 'fr-CA'],
    [{ personalisation: { ...values, language: '' } }, 'Hello Ada', null],
    [{ personalisation: { ...values, language: 'not a language!' } }, 'Hello Ada', null],
    [{ language: 'en', personalisation: { ...values, language: 'fr' } }, 'Hello Ada', null],
  ])('201 for %j: the body field, then the value, then the text of the template', async (change, text, language) => {
    const template = await aTextIn();
    expect(await textOf(template, { personalisation: values, ...change })).toEqual([text, language]);
  });

  it('400 for values that the chosen text lacks, and only those', async () => {
    const template = await aTextIn();
    expectError(await send(template, { language: 'fr' }), 400, 'BadRequestError', 'Missing personalisation: nom');
    expectError(await send(template), 400, 'BadRequestError', 'Missing personalisation: name');
    expect(await textOf(template, { language: 'fr', personalisation: { nom: 'Ada' } })).toEqual(['Bonjour Ada', 'fr']);
  });

  it('400 for another language, if the template says so', async () => {
    const template = await aTextIn({ refuse_unknown: true });
    const message = 'The template has no text in the language of this message: its languages are en, fr, fr-CA';
    for (const change of [{ language: 'de' }, { personalisation: { ...values, language: 'secret value' } }]) {
      expectError(await send(template, { personalisation: values, ...change }), 400, 'BadRequestError', message);
    }
    expect((await textOf(template, { language: 'fr', personalisation: values }))[1]).toBe('fr');
    expect((await textOf(template, { personalisation: values }))[1]).toBeNull();
  });

  it('400 for what is no language tag', async () => {
    const template = await aTextIn();
    const response = await send(template, { language: 'français!' });
    expectError(response, 400, 'ValidationError', 'language Not a language tag, such as fr or fr-CA');
    expectError(await send(template, { language: 7 }), 400, 'ValidationError', 'language 7 is not of type string');
  });

  it('sends, reads and tells the chosen text, also after the template was edited', async () => {
    const template = await aTextIn();
    const { id } = (await send(template, { language: 'fr', personalisation: values })).body;
    const edit = { content: 'Hi', languages: { default: 'en', variants: [{ language: 'fr', content: 'Salut' }] } };
    expect((await harness.admin('POST', `/service/${service}/template/${template}`, edit)).status).toBe(200);
    await harness.deliver();
    const { body: outbox } = await harness.request({ method: 'GET', url: '/outbox' });
    const sent = outbox.messages.filter(({ reference }: { reference: string }) => reference === id);
    expect(sent).toMatchObject([{ body: 'Bonjour Ada' }]);
    const read = await harness.v2('GET', `/v2/notifications/${id}`, key);
    expect(read.body).toMatchObject({ body: 'Bonjour Ada', language: 'fr', template: { version: 1 } });
    const listed = await harness.admin('GET', `/service/${service}/notifications/${id}`);
    expect(listed.body).toMatchObject({ body: 'Bonjour Ada', language: 'fr' });
    expect(await textOf(template, { language: 'fr' })).toEqual(['Salut', 'fr']);
  });

  it('keeps its languages in versions that other changes make, and loses them on request', async () => {
    const template = await aTextIn();
    const url = `/service/${service}/template/${template}`;
    await harness.admin('POST', url, { name: 'Renamed' });
    expect(await textOf(template, { language: 'fr', personalisation: values })).toEqual(['Bonjour Ada', 'fr']);
    const removed = await harness.admin('POST', url, { languages: null });
    expect(removed.body.data).toMatchObject({ version: 3 });
    expect(removed.body.data).not.toHaveProperty('languages');
    expect(await textOf(template, { language: 'fr', personalisation: values })).toEqual(['Hello Ada', null]);
    const sameAgain = await harness.admin('POST', url, { languages: null });
    expect(sameAgain.body.data.version).toBe(3);
  });

  it('the official client chooses with a value', async () => {
    const template = await aTextIn();
    const address = await harness.http.listen({ host: '127.0.0.1', port: 0 });
    const client = new NotifyClient(address, key);
    const sent = await client.sendSms(template, phone_number, { personalisation: { nom: 'Ada', language: 'fr' } });
    expect(sent.data.content.body).toBe('Bonjour Ada');
    const preview = await client.previewTemplateById(template, { nom: 'Ada', language: 'fr-CA' });
    expect(preview.data.body).toBe('Allô Ada');
  });
});

describe('a service without the permission', () => {
  it('400 for a language, which no request of the protocol has', async () => {
    const template = { name: 'Greeting', template_type: 'sms', content: 'Hello', created_by: user };
    const made = await harness.admin('POST', `/service/${plain}/template`, template);
    const template_id = made.body.data.id;
    const sendPlain = (change: object) =>
      harness.v2('POST', '/v2/notifications/sms', plainKey, { phone_number, template_id, ...change });
    const unexpected = 'Additional properties are not allowed (language was unexpected)';
    expectError(await sendPlain({ language: 'fr' }), 400, 'ValidationError', unexpected);
    const both = 'Additional properties are not allowed (language, other were unexpected)';
    expectError(await sendPlain({ language: 'fr', other: 1 }), 400, 'ValidationError', both);
    const wrong = await sendPlain({ language: 7, phone_number: '123' });
    expect(wrong.body.errors.map(({ message }: { message: string }) => message)).toEqual([
      unexpected,
      'Not a valid phone number',
    ]);
    const sent = await sendPlain({ personalisation: { language: 'fr' } });
    expect(sent.status).toBe(201);
    const read = await harness.v2('GET', `/v2/notifications/${sent.body.id}`, plainKey);
    expect(read.body).not.toHaveProperty('language');
    expect((await harness.v2('GET', `/v2/template/${template_id}`, plainKey)).body).not.toHaveProperty('languages');
    expect(made.body.data).not.toHaveProperty('languages');
  });

  it('400 for emails and letters, too', async () => {
    const unexpected = 'Additional properties are not allowed (language was unexpected)';
    const template_id = '4f46df42-f795-4cc4-83bb-65ca312f4900';
    const email = { template_id, email_address: 'ada@example.com', language: 'fr' };
    expectError(
      await harness.v2('POST', '/v2/notifications/email', plainKey, email),
      400,
      'ValidationError',
      unexpected,
    );
    const letter = { template_id, personalisation: { address_line_1: 'Ada' }, language: 'fr' };
    expectError(
      await harness.v2('POST', '/v2/notifications/letter', plainKey, letter),
      400,
      'ValidationError',
      unexpected,
    );
  });

  it('400 for a template in several languages', async () => {
    const template = { name: 'Greeting', template_type: 'sms', content: 'Hello', created_by: user, languages };
    const { status, body } = await harness.admin('POST', `/service/${plain}/template`, template);
    expect(status).toBe(400);
    expect(body.message).toEqual({
      languages: ['The service cannot have templates in several languages: it lacks the permission template_languages'],
    });
  });

  it('gets the text of the template once the permission is gone, and what was accepted keeps its language', async () => {
    const owner = await aService(harness, { permissions, created_by_id: user });
    const ownerKey = await anApiKey(harness, owner);
    const made = await harness.admin('POST', `/service/${owner}/template`, {
      ...{ name: 'Greeting', template_type: 'sms', content: 'Hello', created_by: user },
      languages: { default: 'en', field: 'language', variants: [{ language: 'fr', content: 'Bonjour' }] },
    });
    const body = { phone_number, template_id: made.body.data.id, personalisation: { language: 'fr' } };
    const before = await harness.v2('POST', '/v2/notifications/sms', ownerKey, body);
    expect(before.body.content.body).toBe('Bonjour');
    const off = await harness.admin('POST', `/service/${owner}`, { permissions: ['sms', 'email', 'letter'] });
    expect(off.status).toBe(200);
    const after = await harness.v2('POST', '/v2/notifications/sms', ownerKey, body);
    expect(after.body.content.body).toBe('Hello');
    const template = await harness.v2('GET', `/v2/template/${body.template_id}`, ownerKey);
    expect(template.body).not.toHaveProperty('languages');
    expect((await harness.v2('GET', `/v2/notifications/${before.body.id}`, ownerKey)).body.body).toBe('Bonjour');
  });
});
