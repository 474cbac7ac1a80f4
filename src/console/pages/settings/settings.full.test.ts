import { describe, expect, it } from 'vitest';
import { anOrganisation, aReplyTo, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: { providers: { sandbox: { delay_ms: 0 } }, sms: { protectedSenderIds: ['HMRC'] } },
});

async function aMember(service: string, permissions: string[], fields: Parameters<typeof aPerson>[1] = {}) {
  const person = await aPerson(harness, fields);
  await harness.admin('POST', `/service/${service}/users/${person.id}`, {
    permissions: permissions.map((permission) => ({ permission })),
  });
  return person;
}

async function aManager(fields: Parameters<typeof aService>[1] = {}) {
  const service = await aService(harness, fields);
  const person = await aMember(service, ['manage_service']);
  const browser = await signedIn(harness, person.id);
  const home = `/console/services/${service}`;
  const record = async () => (await harness.admin('GET', `/service/${service}`)).body.data;
  return { service, person, browser, home, here: `${home}/settings`, record };
}

const anAdmin = async () => signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);

describe('GET /settings', () => {
  it('shows every group with what is left today; only those who manage can change, operators more', async () => {
    const { service, browser, here } = await aManager({ name: 'Library', email_message_limit: 50 });
    const page = await browser.get(here);
    for (const text of ['General', 'Email', 'Text', 'Letters', 'Library', '(50 emails left today)']) {
      expect(page.text).toContain(text);
    }
    expect(page.text).toContain(`${here}/email/reply-to`);
    expect(page.text).not.toContain('operator/');
    const developer = await signedIn(harness, (await aMember(service, ['manage_api_keys'])).id);
    const seen = await developer.get(here);
    expect([seen.status, seen.text.includes('>Change<')]).toEqual([200, false]);
    expect((await developer.get(`${here}/name`)).status).toBe(403);
    const admin = await anAdmin();
    expect((await admin.get(here)).text).toContain(`${here}/operator/mode`);
    expect((await browser.get(`${here}/operator/mode`)).status).toBe(403);
  });
});

describe('daily limits', () => {
  it('never say that more texts are left abroad than there are texts', async () => {
    const limits = { sms_message_limit: 50, international_sms_message_limit: 100 };
    const { browser, here } = await aManager(limits);
    expect((await browser.get(here)).text).toContain('(50 texts left today, 50 of them abroad)');
  });

  it('say what they count wherever they say what is left: texts, or parts of texts', async () => {
    const limits = { sms_message_limit: 50, international_sms_message_limit: 10, sms_limit_unit: 'parts' as const };
    const { service, here, home } = await aManager(limits);
    const rights = ['manage_service', 'view_activity', 'send_texts', 'send_emails', 'send_letters'];
    const browser = await signedIn(harness, (await aMember(service, rights)).id);
    const text = await aTemplate(harness, service, { content: 'Hello' });
    const email = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'c' });
    expect((await browser.get(here)).text).toContain('(50 parts of texts left today, for at most 10 texts abroad)');
    expect((await browser.get(`${home}/send/${text}`)).text).toContain('50 parts of texts left today');
    const checked = await browser.post(`${home}/send/${text}`, { do: 'check', to: '07700 900123' });
    expect(checked.text).toContain('50 parts of texts left today, with this one');
    expect((await browser.get(`${home}/send/${email}`)).text).toContain('emails left today');
    await harness.app.db.updateTable('services').set({ restricted: true }).where('id', '=', service).execute();
    await harness.app.changeListener.catchUp();
    expect((await browser.get(home)).text).toMatch(/emails and 50 parts of texts today, only to your team/);
  });
});

describe('general settings', () => {
  it('choose the API that applications were written for', async () => {
    const { browser, here, record } = await aManager();
    expect((await browser.get(here)).text).toMatch(/API compatibility.*?GOV\.UK Notify/s);
    expect((await browser.post(`${here}/api-dialect`, { api_dialect: 'fr' })).status).toBe(400);
    await browser.post(`${here}/api-dialect`, { api_dialect: 'gc' });
    expect((await record()).api_dialect).toBe('gc');
    expect((await browser.get(here)).text).toMatch(/API compatibility.*?GC Notify/s);
  });

  it('say where people see the name', async () => {
    const { service, browser, here } = await aManager({ prefix_sms: true });
    const hint = async () => (await browser.get(`${here}/name`)).text;
    expect(await hint()).toContain('as the sender of your emails and at the start of your texts.');
    await harness.admin('POST', `/service/${service}`, { prefix_sms: false });
    expect(await hint()).toContain('Your texts do not start with it.');
  });

  it('renaming asks again whether the name is unique; a wrong name is kept and changes nothing', async () => {
    const { service, browser, here, record } = await aManager();
    await harness.admin('POST', `/service/${service}`, { confirmed_unique: true });
    const wrong = await browser.post(`${here}/name`, { name: '…' });
    expect(wrong.problems).toEqual({ name: 'Enter a name with a letter or a digit.' });
    expect(wrong.text).toContain('value="…"');
    const taken = await aService(harness, { name: `Taken ${service}` });
    expect(taken).toBeTruthy();
    expect(Object.keys((await browser.post(`${here}/name`, { name: `Taken ${service}` })).problems)).toEqual(['name']);
    expect((await browser.post(`${here}/name`, { name: `New ${service}` })).location).toBe(here);
    expect(await record()).toMatchObject({ name: `New ${service}`, confirmed_unique: false });
  });

  it('email links cannot be switched off while somebody has no number', async () => {
    const { service, browser, here, record } = await aManager({ permissions: ['email'] });
    await browser.post(`${here}/sign-in`, { value: 'yes' });
    expect((await record()).permissions).toEqual(['email', 'email_auth']);
    await aMember(service, [], { name: 'Bob', mobile_number: null, auth_type: 'email_auth' });
    const refused = await browser.post(`${here}/sign-in`, { value: 'no' });
    expect(refused.problems).toEqual({
      value: 'Bob has no mobile number for text codes. Ask them to add one in “Your account” first.',
    });
    expect((await record()).permissions).toEqual(['email', 'email_auth']);
  });

  it('retention is 3 to 90 days, for all channels, and only of live services', async () => {
    const { service, browser, here } = await aManager();
    for (const value of ['2', '91', 'x', '7.5e3']) {
      expect((await browser.post(`${here}/retention`, { value })).problems).toEqual({
        value: 'Enter a whole number from 3 to 90.',
      });
    }
    await browser.post(`${here}/retention`, { value: '30' });
    await browser.post(`${here}/retention`, { value: '21' });
    const { body } = await harness.admin('GET', `/service/${service}/data-retention`);
    expect(body.map((rule: { days_of_retention: number }) => rule.days_of_retention)).toEqual([21, 21, 21]);
    const other = await aManager();
    const saved = await Promise.all(
      ['30', '21'].map((value) => other.browser.post(`${other.here}/retention`, { value })),
    );
    expect(saved.map(({ status }) => status)).toEqual([303, 303]);
    const trial = await aManager({ restricted: true });
    expect((await trial.browser.post(`${trial.here}/retention`, { value: '30' })).status).toBe(400);
  });

  it('teams archive in trial mode, platform administrators always', async () => {
    const live = await aManager();
    expect((await live.browser.post(`${live.here}/archive`)).status).toBe(400);
    expect((await live.record()).active).toBe(true);
    await (await anAdmin()).post(`${live.here}/archive`);
    expect((await live.record()).active).toBe(false);
    const trial = await aManager({ restricted: true });
    expect((await trial.browser.post(`${trial.here}/archive`)).location).toBe('/console/services');
    expect((await trial.record()).active).toBe(false);
  });
});

describe('email settings', () => {
  it('are switched on with a confirmed name and a reply-to address', async () => {
    const { service, browser, here, record } = await aManager({ permissions: ['sms'] });
    const problem = async () => (await browser.post(`${here}/email/channel`, { value: 'yes' })).problems.value;
    expect(await problem()).toBe('Choose a sender name and add a reply-to address first.');
    for (const [custom_name, text] of [
      ['desk@example.org', 'Enter a name, not an email address.'],
      ['Почта', 'Use Latin letters only.'],
      ['no-reply', '“no-reply” says nothing about the sender. Use a name people know.'],
      ['a'.repeat(144), 'Enter a shorter name. This one is too long for an email address.'],
      ['', 'Enter a name.'],
    ]) {
      const page = await browser.post(`${here}/email/sender-name`, { use: 'own', custom_name: custom_name ?? '' });
      expect(page.problems).toEqual({ custom_name: text });
    }
    await browser.post(`${here}/email/sender-name`, { use: 'own', custom_name: 'Town Hall' });
    expect(await record()).toMatchObject({ email_sender_local_part: 'town.hall', confirmed_email_sender_name: true });
    expect(await problem()).toBe('Add a reply-to address first.');
    await aReplyTo(harness, service, 'email', { is_default: true });
    expect(await problem()).toBeUndefined();
    expect((await record()).permissions).toEqual(['sms', 'email']);
  });

  it('a reply-to address is added when the test email was delivered', async () => {
    const { service, browser, here } = await aManager();
    const list = `${here}/email/reply-to`;
    expect((await browser.post(`${list}/add`, { value: 'nobody' })).problems).toEqual({
      value: 'Enter an email address in the correct format, such as name@example.org.',
    });
    const check = (await browser.post(`${list}/add`, { value: 'desk@example.org' })).location ?? '';
    expect(check).not.toContain('desk');
    expect((await browser.get(check)).text).toContain('A test email is on its way');
    expect((await browser.post(check)).status).toBe(400);
    await harness.deliver();
    await harness.deliver();
    expect((await browser.get(check.replace('/check?', '/check/status?'))).text).toContain('Add the address');
    expect((await browser.post(check)).location).toBe(list);
    const { body } = await harness.admin('GET', `/service/${service}/email-reply-to`);
    expect(body).toMatchObject([{ email_address: 'desk@example.org', is_default: true }]);
    expect((await browser.post(`${list}/${body[0].id}/archive`)).status).toBe(400);
    const other = await aManager();
    expect((await other.browser.get(`${other.here}/email/reply-to/${body[0].id}`)).status).toBe(404);
  });

  it('the contact for files is a page, an address or a number; the address of the API leads to it', async () => {
    const { service, browser, here, record, home } = await aManager();
    expect(Object.keys((await browser.post(`${here}/email/files-contact`, { contact: 'ask us' })).problems)).toEqual([
      'contact',
    ]);
    await browser.post(`${here}/email/files-contact`, { contact: 'https://example.org/help' });
    expect((await record()).contact_link).toBe('https://example.org/help');
    const { location } = await browser.get(`${home}/service-settings/send-files-by-email`);
    expect(location).toBe(`/console/services/${service}/settings/email/files-contact`);
  });

  it('brands are those of the organisation', async () => {
    const organisation = await anOrganisation(harness);
    const { browser, here, record } = await aManager({ organisation_id: organisation });
    const brand = { name: 'Town Hall', brand_type: 'org', text: 'Town Hall' };
    const created = await harness.admin('POST', '/email-branding', brand);
    const other = await harness.admin('POST', '/email-branding', { ...brand, name: 'Other' });
    await harness.admin('POST', `/organisations/${organisation}/email-branding-pool`, {
      branding_ids: [created.body.data.id],
    });
    expect((await browser.post(`${here}/email/branding`, { value: other.body.data.id })).status).toBe(400);
    await browser.post(`${here}/email/branding`, { value: created.body.data.id });
    expect((await record()).email_branding).toBe(created.body.data.id);
    await browser.post(`${here}/email/branding`, { value: 'none' });
    expect((await record()).email_branding).toBeNull();
  });
});

describe('text settings', () => {
  it.each([
    ['AB', 'Enter at least 3 characters.'],
    ['TWELVE CHARS', 'Enter at most 11 characters.'],
    ['Büro', 'Use letters, digits and spaces only.'],
    ['0044', 'Enter a sender that does not start with 00.'],
    ['Alert', 'Use the name of your service. “Alert” misleads people.'],
    ['123', 'Enter a UK mobile number, a short code of 5 or 6 digits, or a name.'],
    ['h m r c', 'Enter another sender. “h m r c” is the name of another organisation.'],
  ])('sender %s: %s', async (value, text) => {
    const { browser, here } = await aManager();
    const page = await browser.post(`${here}/text/senders/add`, { value });
    expect(page.problems).toEqual({ value: text });
    expect(page.text).toContain(`value="${value}"`);
  });

  it('senders are added, made the default and archived; the default stays', async () => {
    const { service, browser, here } = await aManager();
    await browser.post(`${here}/text/senders/add`, { value: 'TOWNHALL', 'is_default[]': ['yes'] });
    const { body } = await harness.admin('GET', `/service/${service}/sms-sender`);
    expect(body.map((sender: { sms_sender: string }) => sender.sms_sender)).toEqual(['TOWNHALL', 'TESTING']);
    const kept = await browser.post(`${here}/text/senders/${body[0].id}`, { value: 'TOWNHALL' });
    expect(kept.problems).toEqual({ '': 'Make another sender the default instead.' });
    expect((await browser.post(`${here}/text/senders/${body[1].id}/archive`)).location).toBe(`${here}/text/senders`);
    expect((await browser.get(`${here}/text/senders/${body[1].id}`)).status).toBe(404);
  });

  it('a number for received texts is given, and not taken away while it is the default', async () => {
    const { service, browser, here, record } = await aManager({ permissions: ['sms'] });
    expect((await browser.post(`${here}/text/receive`, { value: 'yes' })).problems).toEqual({
      '': 'No number is free. Ask the people who run this Pennypost to add one.',
    });
    expect((await record()).permissions).toEqual(['sms']);
    await harness.admin('POST', '/inbound-number', { number: '07700900777', provider: 'mmg' });
    await browser.post(`${here}/text/receive`, { value: 'yes' });
    expect((await record()).permissions).toEqual(['sms', 'inbound_sms']);
    expect((await browser.post(`${here}/text/receive`, { value: 'release' })).status).toBe(400);
    await browser.post(`${here}/text/senders/add`, { value: 'TOWNHALL', 'is_default[]': ['yes'] });
    await browser.post(`${here}/text/receive`, { value: 'release' });
    expect((await record()).permissions).toEqual(['sms']);
    const { body } = await harness.admin('GET', `/inbound-number/service/${service}`);
    expect(body.data).toEqual({});
  });

  it('prefix and messages abroad are switched', async () => {
    const { browser, here, record } = await aManager();
    await browser.post(`${here}/text/prefix`, { value: 'no' });
    await browser.post(`${here}/text/abroad`, { value: 'no' });
    await browser.post(`${here}/letter/abroad`, { value: 'no' });
    expect(await record()).toMatchObject({ prefix_sms: false, permissions: ['sms', 'email', 'letter'] });
  });
});

describe('letter settings', () => {
  it('sender addresses have at most ten lines, and need no default', async () => {
    const { service, browser, here } = await aManager();
    const add = `${here}/letter/contacts/add`;
    expect((await browser.post(add, { value: 'line\n'.repeat(11) })).problems).toEqual({
      value: 'Enter at most 10 lines.',
    });
    await browser.post(add, { value: 'Town Hall\r\nLondon' });
    const { body } = await harness.admin('GET', `/service/${service}/letter-contact`);
    expect(body).toMatchObject([{ contact_block: 'Town Hall\nLondon', is_default: false }]);
  });
});

describe('settings of operators', () => {
  it('change limits, mode, free texts and notes', async () => {
    const { service, here, record } = await aManager({ restricted: true });
    const admin = await anAdmin();
    await harness.admin('POST', `/service/${service}`, { has_active_go_live_request: true });
    await admin.post(`${here}/operator/email-limit`, { value: '1,000' });
    await admin.post(`${here}/operator/notes`, { value: 'Call Bob' });
    await admin.post(`${here}/operator/free-texts`, { value: '12' });
    await admin.post(`${here}/operator/retention-sms`, { value: '400' });
    expect((await admin.post(`${here}/operator/rate-limit`, { value: '-1' })).problems).toEqual({
      value: 'Enter a whole number from 0.',
    });
    await admin.post(`${here}/operator/mode`, { value: 'yes' });
    expect(await record()).toMatchObject({
      ...{ email_message_limit: 1_000, notes: 'Call Bob', restricted: false, has_active_go_live_request: false },
      go_live_at: '2026-11-15T12:00:00.000000Z',
    });
    const { body } = await harness.admin('GET', `/service/${service}/billing/free-sms-fragment-limit`);
    expect(body.free_sms_fragment_limit).toBe(12);
  });
});

describe('going live', () => {
  it('is asked for when every step is done: an entry in the queue of the operator', async () => {
    const { service, person, browser, home, record } = await aManager({ restricted: true });
    const page = await browser.post(`${home}/going-live`);
    expect(page.problems['']).toMatch(/^Before you can ask to go live, tell us how many messages you will send/);
    await aTemplate(harness, service);
    await aMember(service, ['manage_service']);
    expect((await browser.post(`${home}/going-live/volumes`, { sms: 'many' })).problems).toEqual({
      sms: 'Enter a whole number from 0.',
    });
    const wrong = await browser.post(`${home}/going-live/volumes`, { email: '-1', sms: 'many', letter: '2' });
    expect(Object.keys(wrong.problems)).toEqual(['email', 'sms']);
    for (const form of [{ email: '' }, { email: '', sms: '0', letter: '' }] as Record<string, string>[]) {
      expect((await browser.post(`${home}/going-live/volumes`, form)).problems).toEqual({
        email: 'Enter how many emails, texts or letters you will send.',
      });
    }
    await browser.post(`${home}/going-live/volumes`, { sms: '10,000' });
    await browser.post(`${home}/going-live/name`);
    await browser.post(`${home}/settings/text/senders/add`, { value: 'TOWNHALL' });
    expect((await browser.post(`${home}/going-live`)).problems).toEqual({});
    expect(await record()).toMatchObject({
      has_active_go_live_request: true,
      go_live_user: person.id,
      volume_sms: 10_000,
    });
    const next = await browser.get(`${home}/going-live`);
    for (const text of ['You have asked to go live.', 'What happens next', 'The people who run this Pennypost check']) {
      expect(next.text).toContain(text);
    }
  });
});
