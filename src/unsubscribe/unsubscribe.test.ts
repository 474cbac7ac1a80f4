import PostalMime from 'postal-mime';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness);
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, {
    template_type: 'email',
    subject: 's',
    content: 'c',
    has_unsubscribe_link: true,
  });
});

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

async function aLink(): Promise<{ id: string; url: string }> {
  const { body } = await harness.v2('POST', '/v2/notifications/email', key, {
    email_address: 'Ada@example.org',
    template_id,
  });
  const read = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
  return { id: body.id, url: new URL(read.body.one_click_unsubscribe_url).pathname };
}

const success = { result: 'success', message: 'Unsubscribe successful' };

function recorded(notificationId: string) {
  return harness.app.db
    .selectFrom('unsubscribe_requests')
    .selectAll()
    .where('notification_id', '=', notificationId)
    .execute();
}

describe('POST /unsubscribe/{id}/{token}', () => {
  it('200 for JSON and for the form posts of mail clients; one record', async () => {
    const { id, url } = await aLink();
    const authorization = `Bearer ${key}`;
    expect((await harness.request({ method: 'POST', url, headers: { authorization }, payload: '{}' })).body).toEqual(
      success,
    );
    const form = { 'content-type': 'application/x-www-form-urlencoded' };
    const oneClick = 'List-Unsubscribe=One-Click';
    expect((await harness.request({ method: 'POST', url, headers: form, payload: oneClick })).body).toEqual(success);
    const multipart = { 'content-type': 'multipart/form-data; boundary=x' };
    const parts = `--x\r\nContent-Disposition: form-data; name="List-Unsubscribe"\r\n\r\nOne-Click\r\n--x--\r\n`;
    expect((await harness.request({ method: 'POST', url, headers: multipart, payload: parts })).status).toBe(200);
    expect((await harness.request({ method: 'POST', url })).status).toBe(200);
    expect(await recorded(id)).toEqual([
      expect.objectContaining({
        service_id: service,
        template_id,
        template_version: 1,
        email_address: 'ada@example.org',
        created_at: '2026-11-16T12:00:00.000000Z',
      }),
    ]);
  });

  it('200 for a year, even after the message was deleted', async () => {
    const { id, url } = await aLink();
    await harness.app.db.deleteFrom('notifications').where('id', '=', id).execute();
    harness.clock.set('2027-11-16T12:00:00Z');
    expect((await harness.request({ method: 'POST', url })).status).toBe(200);
  });

  it('404 when the token is malformed', async () => {
    const { id } = await aLink();
    const response = await harness.request({ method: 'POST', url: `/unsubscribe/${id}/nonsense` });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({
      result: 'error',
      message: { 'unsubscribe request': 'This is not a valid unsubscribe link.' },
    });
  });

  it('404 when the token is for another message, or older than a year', async () => {
    const { url } = await aLink();
    const expected = {
      result: 'error',
      message: { 'unsubscribe request': 'This unsubscribe link is invalid or expired.' },
    };
    const other = url.replace(/[0-9a-f-]{36}/, '4f46df42-f795-4cc4-83bb-65ca312f4900');
    const response = await harness.request({ method: 'POST', url: other });
    expect(response.status).toBe(404);
    expect(response.body).toEqual(expected);
    harness.clock.set('2027-11-16T12:00:01Z');
    expect((await harness.request({ method: 'POST', url })).body).toEqual(expected);
  });
});

describe('GET /unsubscribe/{id}/{token}', () => {
  it('200 with a confirmation page; its button unsubscribes', async () => {
    const { id, url } = await aLink();
    const page = await harness.request({ method: 'GET', url });
    expect(page.status).toBe(200);
    expect(page.headers['content-type']).toBe('text/html; charset=utf-8');
    expect(page.text).toContain('ada@example.org');
    expect(await recorded(id)).toEqual([]);
    const headers = { accept: 'text/html', 'content-type': 'application/x-www-form-urlencoded' };
    const pressed = await harness.request({ method: 'POST', url, headers, payload: '' });
    expect(pressed.text).toContain('You have unsubscribed');
    expect(await recorded(id)).toHaveLength(1);
  });

  it('404 with a page for a broken link', async () => {
    const response = await harness.request({
      method: 'GET',
      url: '/unsubscribe/4f46df42-f795-4cc4-83bb-65ca312f4900/x',
    });
    expect(response.status).toBe(404);
    expect(response.text).toContain('This link does not work');
  });
});

describe('in other languages', () => {
  const abroad = useHarness({
    now: '2026-11-16T12:00:00Z',
    config: { demo: { enabled: true } },
    environment: { LANGUAGES: 'en,ar-XB,en-XA' },
  });

  /** An email of a template in English and Arabic. */
  async function anEmail(language?: string) {
    const owner = await aService(abroad, { permissions: ['email', 'template_languages'] });
    const { body: made } = await abroad.admin('POST', `/service/${owner}/template`, {
      ...{ name: 'News', template_type: 'email', subject: 's', content: 'c', created_by: await aUser(abroad) },
      ...{ has_unsubscribe_link: true },
      languages: { default: 'en', variants: [{ language: 'ar-XB', subject: 's', content: 'c' }] },
    });
    const request = { email_address: 'Ada@example.org', template_id: made.data.id, ...(language ? { language } : {}) };
    const ownKey = await anApiKey(abroad, owner);
    const { body, status } = await abroad.v2('POST', '/v2/notifications/email', ownKey, request);
    expect(status, JSON.stringify(body)).toBe(201);
    await abroad.deliver();
    const source = (await abroad.admin('GET', `/outbox/${body.id}`)).text;
    const read = await abroad.v2('GET', `/v2/notifications/${body.id}`, ownKey);
    return {
      id: body.id,
      url: new URL(read.body.one_click_unsubscribe_url).pathname,
      ...(await PostalMime.parse(source)),
    };
  }

  it('the email says how to unsubscribe in its own language', async () => {
    const arabic = await anEmail('ar-XB');
    expect(arabic.text).toMatch(/\[\u202eUnsubscribe\u202c.* ~+\]/);
    expect(arabic.html).toMatch(/<html lang="ar-XB" dir="rtl">.*>\[\u202eUnsubscribe\u202c/s);
    expect((await anEmail()).text).toContain('Unsubscribe from these emails: ');
  });

  it('the pages are in the language of the email, else in that of the browser', async () => {
    const { url, id } = await anEmail('ar-XB');
    const page = await abroad.request({ method: 'GET', url, headers: { 'accept-language': 'en-XA' } });
    expect(page.text).toContain('<html lang="ar-XB" dir="rtl">');
    expect(page.text).toMatch(/<p>\[\u202eStop\u202c .*<b>ada@example.org<\/b>.* ~+\]<\/p>/);
    expect(page.headers.vary).toBe('accept-language');
    const confirmed = await abroad.request({ method: 'POST', url, headers: { accept: 'text/html' } });
    expect(confirmed.text).toContain('<h1>[\u202eYou\u202c');
    const rows = await abroad.app.db.selectFrom('unsubscribe_requests').select('notification_id').execute();
    expect(rows).toEqual([{ notification_id: id }]);
    const broken = `${url.slice(0, -4)}`;
    const inEnglish = await abroad.request({ method: 'GET', url: broken, headers: { 'accept-language': 'en-XA' } });
    expect([inEnglish.status, inEnglish.text.includes('<html lang="en-XA">')]).toEqual([404, true]);
    expect((await abroad.request({ method: 'GET', url: broken })).text).toContain('<h1>This link does not work</h1>');
  });
});
