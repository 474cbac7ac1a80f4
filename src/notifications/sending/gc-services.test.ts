import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { expectError } from '../../../test/kit/builders/sends.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { findSentEmail } from '../../delivery/sandbox/email-sources.ts';

/** What follows the dialect of a service, whoever calls. */

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'Permis', prefix_sms: true });
  key = await anApiKey(harness, service);
  await useDialect('gc');
});

async function useDialect(api_dialect: string): Promise<void> {
  const { status, body } = await harness.admin('POST', `/service/${service}`, { api_dialect });
  expect([status, body.data?.api_dialect, body.message]).toEqual([200, api_dialect, undefined]);
}

async function sendEmail(content: string, personalisation: object = {}) {
  const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content });
  return { template_id, ...(await post('email', { email_address: 'ada@example.org', template_id, personalisation })) };
}

async function sendText(content: string, personalisation: object = {}) {
  const template_id = await aTemplate(harness, service, { template_type: 'sms', content });
  return post('sms', { phone_number: '+447700900123', template_id, personalisation });
}

const post = (channel: string, body: object) => harness.v2('POST', `/v2/notifications/${channel}`, key, body);

async function received(id: string) {
  await harness.deliver();
  const email = await findSentEmail(harness.app, id);
  return { html: email?.html ?? '', text: email?.text.replaceAll('\r\n', '\n').trim() };
}

describe('emails of a service in the dialect of GC Notify', () => {
  it('have bold and italic text; the marks of code and of struck text are dropped', async () => {
    const { body } = await sendEmail('**Hello** _there_ *you*, `code` ~~old~~ a_b_c 2*3\n\n**Bold** first\n\n* item');
    const { html, text } = await received(body.id);
    expect(html).toMatch(
      /<p [^>]*><strong>Hello<\/strong> <em>there<\/em> <em>you<\/em>, code old a_b_c 2\*3<\/p><p [^>]*><strong>Bold<\/strong> first<\/p>/,
    );
    expect(text).toBe('**Hello** _there_ _you_, code old a_b_c 2*3\n\n**Bold** first\n\n• item');
  });

  it('show optional text for French values', async () => {
    const content = 'Hello((x?? shown))';
    for (const x of ['oui', 'VRAI', 'inclure', 'afficher', 'yes']) {
      expect((await sendEmail(content, { x })).body.content.body).toBe('Hello shown');
    }
    expect((await sendEmail(content, { x: 'non' })).body.content.body).toBe('Hello');
  });

  it('follow a change of the dialect at once, also messages that were accepted before', async () => {
    const { body, template_id } = await sendEmail('So **Hello** ((name))', { name: 'Ada' });
    expect((await received(body.id)).html).toContain('<strong>Hello</strong> Ada');
    const waiting = await post('email', {
      email_address: 'a@example.org',
      template_id,
      personalisation: { name: 'B' },
    });
    await useDialect('govuk');
    expect((await received(waiting.body.id)).html).toContain('**Hello** B');
    await useDialect('gc');
    const again = await post('email', { email_address: 'a@example.org', template_id, personalisation: { name: 'C' } });
    expect((await received(again.body.id)).html).toContain('<strong>Hello</strong> C');
  });
});

describe('text messages of a service in the dialect of GC Notify', () => {
  it('keep the letters of Canada, and what others keep', async () => {
    const letters = 'À Œ ç œ ŵ ÿ ᐃᓄᒃᑎᑐᑦ';
    expect((await sendText(`${letters}\u00A0中`)).body.content.body).toBe(`${letters} ?`);
  });

  it('have 612 units with the prefix, where some characters count twice', async () => {
    const prefix = 'Permis: '.length;
    const message = 'Content for template has a character count greater than the limit of 612';
    const values = (count: number, character = 'a') => ({ x: character.repeat(count) });
    expect((await sendText('((x))', values(612 - prefix))).status).toBe(201);
    expectError(await sendText('((x))', values(613 - prefix)), 400, 'BadRequestError', message);
    expectError(await sendText('((x))', values(307, '€')), 400, 'BadRequestError', message);
    await harness.admin('POST', `/service/${service}`, { prefix_sms: false });
    expect((await sendText('((x))', values(612))).status).toBe(201);
    expect((await sendText('((x))', values(306, '€'))).status).toBe(201);
    expectError(await sendText('((x))', values(613)), 400, 'BadRequestError', message);
    await harness.admin('POST', `/service/${service}`, { prefix_sms: true });
  });

  it('have templates of 612 units at most', async () => {
    const template = { name: 'Long', template_type: 'sms', content: 'a'.repeat(613), service };
    const created_by = (await harness.admin('GET', `/service/${service}`)).body.data.created_by;
    const { status, body } = await harness.admin('POST', `/service/${service}/template`, { ...template, created_by });
    expect([status, body.message]).toEqual([
      400,
      { content: ['Content has a character count greater than the limit of 612'] },
    ]);
  });
});

describe('objects in the personalisation of a request in the dialect of GC Notify', () => {
  const missing = (...names: string[]) =>
    names.map((name) => ({ error: 'ValidationError', message: `personalisation ${name} is a required property` }));

  it.each([
    [{ file: 'VGV4dA==' }, missing('sending_method', 'filename')],
    [{ a: 1 }, missing('file', 'sending_method', 'filename')],
  ])('400 for an object that is no file: %o', async (doc, errors) => {
    const { status, body } = await sendEmail('Hello', { doc });
    expect([status, body.errors]).toEqual([400, errors]);
  });

  it('201 for a list, which is a value', async () => {
    expect((await sendEmail('Hello ((doc))', { doc: ['x', 'y'] })).status).toBe(201);
  });
});
