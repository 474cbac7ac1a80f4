import { afterAll, describe, expect, it } from 'vitest';
import { aPlan, planRecipient } from '../../../../test/kit/builders/plans.ts';
import { aQueuedMessage, someQueuedMessages } from '../../../../test/kit/builders/queued-messages.ts';
import { anApiKey, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { SmtpClient } from '../../../../test/kit/vendors/smtp-client.ts';
import { startCallbackSink } from '../../../../test/kit/vendors/stub-gateways.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';
import { createApiKey } from '../../../auth/api-keys.ts';
import { openInlet } from '../../../inlet/inlet.ts';
import { permissionsOf } from '../../access/may.ts';

const sink = await startCallbackSink();
afterAll(() => sink.close());

const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  config: {
    callbacks: { allowPrivate: true, retryDelays_ms: [5_000] },
    providers: { sandbox: { delay_ms: 0 } },
    inlet: { listen: { host: '0.0.0.0', port: 587 }, certificate: 'a certificate' },
  },
});

async function aDeveloper(fields: Parameters<typeof aService>[1] = {}) {
  const service = await aService(harness, fields);
  const person = await aPerson(harness, { name: 'Grace Hopper' });
  await harness.admin('POST', `/service/${service}/users/${person.id}`, {
    permissions: [{ permission: 'manage_api_keys' }],
  });
  const browser = await signedIn(harness, person.id);
  return { service, person, browser, here: `/console/services/${service}/integration` };
}

describe('sending over SMTP', () => {
  it('is switched on in the settings, which the page leads to', async () => {
    const { service, person, browser, here } = await aDeveloper();
    expect((await browser.get(`${here}/smtp`)).text).toContain('Ask someone who can change the settings');
    await harness.admin('POST', `/user/${person.id}/service/${service}/permission`, {
      permissions: permissionsOf(['api', 'manage']).map((permission) => ({ permission })),
    });
    const settings = `/console/services/${service}/settings/email/smtp`;
    expect((await browser.get(`${here}/smtp`)).text).toContain(`href="${settings}"`);
    expect(Object.keys((await browser.post(settings, { value: 'yes' })).problems)).toEqual(['files']);
    await browser.post(settings, { value: 'yes', files: 'drop' });
    const record = (await harness.admin('GET', `/service/${service}`)).body.data;
    expect(record).toMatchObject({ permissions: expect.arrayContaining(['smtp']), smtp_files: 'drop' });
    const wrong = await harness.admin('POST', `/service/${service}`, { smtp_files: 'keep' });
    expect(wrong.body.message).toEqual({ smtp_files: ['Must be one of: refuse, drop, link.'] });
  });

  it('shows what to enter, with settings of five programs and a key that may do it', async () => {
    const { browser, here } = await aDeveloper({ name: 'Permits', permissions: ['email', 'smtp'] });
    const { text } = await browser.get(`${here}/smtp`);
    expect(text).toMatch(/Host<.*localhost.*Port<.*587.*STARTTLS/s);
    for (const program of ['Keycloak', 'Grafana', 'GitLab', 'Django', 'Spring Boot'])
      expect(text).toContain(`<summary>${program}</summary>`);
    expect(text).toContain('host = localhost:587');
    expect(text).toContain('from_address = permits@notifications.example');
    await browser.post(`${here}/keys/create`, { name: 'grafana', key_type: 'normal', send_over_smtp: 'yes' });
    expect((await browser.get(`${here}/keys`)).text).toMatch(/grafana<small>can send over SMTP/);
  });

  it('leads people who write templates to the text around the emails, which keeps their subject and text', async () => {
    const { service, person, browser, here } = await aDeveloper({ permissions: ['email', 'smtp'] });
    const change = (fields: object) => browser.post(`${here}/smtp/template`, { version: '1', ...fields });
    expect((await browser.get(`${here}/smtp`)).text).not.toContain('smtp/template');
    expect((await browser.get(`${here}/smtp/template`)).status).toBe(403);
    await harness.admin('POST', `/user/${person.id}/service/${service}/permission`, {
      permissions: permissionsOf(['api', 'templates']).map((permission) => ({ permission })),
    });
    expect((await browser.get(`${here}/smtp`)).text).toContain('smtp/template"');
    expect((await browser.get(`${here}/smtp/template`)).text).toContain('>((body))</textarea>');
    const right = { subject: 'IT: ((subject))', content: 'Hello\r\n\r\n((body))\r\n\r\nRegards' };
    const inSubject = 'Keep ((subject)): it stands for the subject of the email.';
    const inContent = 'Keep ((body)) once, on a line of its own: it stands for the text of the email.';
    for (const [wrong, problems] of [
      [{ subject: '' }, { subject: 'Enter a subject.' }],
      [{ subject: 'News' }, { subject: inSubject }],
      [{ subject: '((subject)) ((body))' }, { subject: 'Remove ((body)): it has no value here.' }],
      [{ content: 'Hello' }, { content: inContent }],
      [{ content: 'Hello ((body))' }, { content: inContent }],
      [{ content: '((body))\r\n((body))' }, { content: inContent }],
      [{ content: '((body))\r\n((name))' }, { content: 'Remove ((name)): it has no value here.' }],
    ] as const) {
      expect((await change({ ...right, ...wrong })).problems).toEqual(problems);
    }
    expect((await browser.get(`${here}/smtp/template`)).text).toContain('>((body))</textarea>');
    await change({ ...right, unsubscribe_link: 'yes' });
    const { text } = await browser.get(`${here}/smtp/template`);
    expect(text).toContain('value="IT: ((subject))"');
    expect(text).toContain('>Hello\n\n((body))\n\nRegards</textarea>');
    expect(text).toMatch(/name="unsubscribe_link"[^>]* checked/);
    const late = await change({ ...right, subject: '((subject)) late' });
    expect(Object.values(late.problems).join()).toContain(
      'Somebody has changed the template in the meantime: version 2',
    );
    expect((await browser.get(`${here}/smtp/template`)).text).toContain('value="IT: ((subject))"');
    // No version without a change.
    await browser.post(`${here}/smtp/template`, { ...right, version: '2', unsubscribe_link: 'yes' });
    const rows = harness.app.db.selectFrom('templates').selectAll().where('service_id', '=', service);
    expect(await rows.execute()).toMatchObject([{ version: 2, hidden: true, redact_personalisation: true }]);
  });

  it('shows what was refused last, security as it is, and keys that any software can use as a password', async () => {
    const { service, browser, here } = await aDeveloper({ permissions: ['email', 'smtp'] });
    expect((await browser.get(`${here}/smtp`)).text).not.toContain('Last refusals');
    const key = await anApiKey(harness, service, { name: 'alarm', send_over_smtp: true });
    const { inlet } = harness.app.config;
    const { certificate } = inlet;
    inlet.certificate = undefined;
    const settings = { ...inlet, listen: { host: '127.0.0.1', port: 0 }, plainLoopback: true };
    const opened = await openInlet({ ...harness.app, config: { ...harness.app.config, inlet: settings } });
    const port = opened?.port ?? 0;
    const client = await SmtpClient.signedIn(port, key);
    expect(await client.send('Subject: Door\r\n\r\n', 'ada@example.org')).toBe('554 5.6.0 The email has no text');
    client.close();
    // Python's smtplib, among others, can only send ASCII as a password, and a # or a quote would end it in some files.
    for (const [name, label] of [
      [`Büro "Zürich" #1`, 'Buro_Zurich_1'],
      ['事務所', 'key'],
    ] as const) {
      const created = await browser.post(`${here}/keys/create`, { name, key_type: 'normal', send_over_smtp: 'yes' });
      const shown = /id="new-key"[^>]* value="([^"]+)"/.exec(created.text)?.[1] ?? '';
      expect(shown).toMatch(new RegExp(`^${label}-${service}-[0-9a-f-]{36}$`));
      (await SmtpClient.signedIn(port, shown)).close();
      (await SmtpClient.signedIn(port, shown.replace(/^[^-]*/, name))).close();
    }
    await opened?.close();
    const { text } = await browser.get(`${here}/smtp`);
    inlet.certificate = certificate;
    expect(text).toMatch(/Last refusals.*today, 12:00.*554 5\.6\.0 The email has no text.*alarm/s);
    expect(text).toContain('None: only on the same machine');
    const list = (await browser.get(`${here}/refused`)).text;
    expect(list).toContain('5.6.0 The email has no text');
    expect(list).not.toContain('Fields: none');
    expect(text).not.toContain('MandatoryStartTLS');
  });

  it('says that the installation has to be set up first', async () => {
    const { browser, here } = await aDeveloper();
    const { inlet } = harness.app.config;
    const { listen } = inlet;
    inlet.listen = undefined;
    const { text } = await browser.get(`${here}/smtp`);
    inlet.listen = listen;
    expect(text).toContain('Ask whoever runs Pennypost to set SMTP_INLET_LISTEN.');
  });
});

describe('keys', () => {
  it('are shown once, say when they were last used, and are revoked with a button', async () => {
    const { service, browser, here } = await aDeveloper();
    const page = await browser.post(`${here}/keys/create`, { name: 'website', key_type: 'normal' });
    const key = /id="new-key"[^>]* value="([^"]+)"/.exec(page.text)?.[1] ?? '';
    expect(key).toMatch(new RegExp(`^website-${service}-`));
    expect(page.headers['cache-control']).toBe('no-store');
    expect((await browser.get(`${here}/keys`)).text).toMatch(/website.*?Live.*?never.*?Grace Hopper/s);
    expect((await harness.v2('GET', '/v2/templates', key)).status).toBe(200);
    const used = await browser.get(`${here}/keys`);
    expect(used.text).toMatch(/website.*?today, 12:00/s);
    expect(used.text).not.toContain(key.slice(-36));
    const id = /name="api_key_id" value="([^"]+)"/.exec(used.text)?.[1] ?? '';
    await browser.post(`${here}/keys/revoke`, { api_key_id: id });
    expect((await harness.v2('GET', '/v2/templates', key)).status).toBe(403);
    expect((await browser.get(`${here}/keys`)).text).toContain('1 key was revoked in the last 7 days');
  });

  it('offer to stop their messages with a channel plan, which otherwise go on', async () => {
    const { service, browser, here } = await aDeveloper();
    const [leaked, other] = [await anApiKey(harness, service), await anApiKey(harness, service)];
    expect((await browser.get(`${here}/keys`)).text).not.toContain('stop_messages');
    const plan_id = await aPlan(harness, service, [{ channel: 'email' }, { channel: 'sms' }]);
    const request = { plan_id, recipient: planRecipient, personalisation: { name: 'Ada' } };
    const send = async (key: string) => (await harness.v2('POST', '/v2/messages', key, request)).body.id;
    const [first, second, third] = [await send(leaked), await send(leaked), await send(other)];
    const page = (await browser.get(`${here}/keys`)).text;
    expect(page).toContain('Also stop its messages with a channel plan');
    const { api_key_id } = await harness.app.db
      .selectFrom('plan_messages')
      .select('api_key_id')
      .where('id', '=', first)
      .executeTakeFirstOrThrow();
    const posted = await browser.post(`${here}/keys/revoke`, { api_key_id: api_key_id ?? '', stop_messages: 'yes' });
    expect(posted.status).toBe(303);
    await harness.deliver();
    const statusOf = async (id: string) => (await harness.v2('GET', `/v2/messages/${id}`, other)).body.status;
    expect([await statusOf(first), await statusOf(second), await statusOf(third)]).toEqual([
      ...['cancelled', 'cancelled', 'in-progress'],
    ]);
    const entries = harness.app.db.selectFrom('audit_log').select('after').where('thing_id', '=', api_key_id);
    expect((await entries.execute()).map(({ after }) => after)).toContainEqual({ stopped_messages: 2 });
  });

  it('may manage templates if their maker may', async () => {
    const { service, person, browser, here } = await aDeveloper();
    const request = { name: 'repository', key_type: 'test', manage_templates: 'yes' };
    expect((await browser.get(`${here}/keys`)).text).not.toContain('name="manage_templates"');
    expect(Object.keys((await browser.post(`${here}/keys/create`, request)).problems)).toEqual(['manage_templates']);
    await harness.admin('POST', `/user/${person.id}/service/${service}/permission`, {
      permissions: [{ permission: 'manage_api_keys' }, { permission: 'manage_templates' }],
    });
    expect((await browser.get(`${here}/keys`)).text).toContain('name="manage_templates"');
    await browser.post(`${here}/keys/create`, request);
    expect((await browser.get(`${here}/keys`)).text).toMatch(/repository<small>can manage templates/);
  });

  it('say that their secret was imported, and ask for a new key', async () => {
    const { service, person, browser, here } = await aDeveloper();
    await createApiKey(harness.app, service, { name: 'plain', key_type: 'test', created_by: person.id });
    expect((await browser.get(`${here}/keys`)).text).not.toContain('imported');
    const secret = '0f8c2c7e-6d1b-4a53-8e65-0b9d4c1f7a21';
    const { admin } = await harness.anotherProcess({ auth: { importKeys: true } });
    await admin('POST', `/service/${service}/api-key`, {
      ...{ name: 'moved', key_type: 'test', created_by: person.id, secret },
    });
    const { text } = await browser.get(`${here}/keys`);
    expect(text).toMatch(/moved<small>imported: another server knows this key, so replace it with a new one/);
    expect(text).not.toContain(secret);
  });

  it('may request reports if their maker sees the dashboard', async () => {
    const { service, person, browser, here } = await aDeveloper();
    const request = { name: 'figures', key_type: 'test', manage_reports: 'yes' };
    expect((await browser.get(`${here}/keys`)).text).not.toContain('name="manage_reports"');
    expect(Object.keys((await browser.post(`${here}/keys/create`, request)).problems)).toEqual(['manage_reports']);
    await harness.admin('POST', `/user/${person.id}/service/${service}/permission`, {
      permissions: [{ permission: 'manage_api_keys' }, { permission: 'view_activity' }],
    });
    await browser.post(`${here}/keys/create`, request);
    expect((await browser.get(`${here}/keys`)).text).toMatch(/figures<small>can request reports/);
    const { apiKeys } = (await harness.admin('GET', `/service/${service}/api-keys`)).body;
    expect(apiKeys).toMatchObject([{ name: 'figures', manage_reports: true }]);
  });

  it('400 without a name or kind, for a name in use, and for live keys in trial mode; keeps what was typed', async () => {
    const { browser, here } = await aDeveloper();
    expect((await browser.post(`${here}/keys/create`)).problems).toEqual({
      name: 'Enter a name.',
      key_type: 'Choose the kind of the key.',
    });
    await browser.post(`${here}/keys/create`, { name: 'web', key_type: 'test' });
    const twice = await browser.post(`${here}/keys/create`, { name: 'web', key_type: 'team' });
    expect(twice.problems).toEqual({ name: 'This service has a key called “web” already. Enter another name.' });
    expect(twice.text).toMatch(/value="web"/);
    expect(twice.text).toMatch(/value="team" checked/);
    const trial = await aDeveloper({ restricted: true });
    const refused = await trial.browser.post(`${trial.here}/keys/create`, { name: 'web', key_type: 'normal' });
    expect(Object.keys(refused.problems)).toEqual(['key_type']);
  });

  it('are created by members only, also not by platform administrators; 404 for those of other services', async () => {
    const { here } = await aDeveloper();
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    const page = await admin.get(`${here}/keys`);
    expect([page.status, page.text.includes('Create a key')]).toEqual([200, false]);
    expect((await admin.post(`${here}/keys/create`, { name: 'web', key_type: 'test' })).status).toBe(403);
    const other = await aDeveloper();
    await other.browser.post(`${other.here}/keys/create`, { name: 'web', key_type: 'test' });
    const { body } = await harness.admin('GET', `/service/${other.service}/api-keys`);
    expect((await admin.post(`${here}/keys/revoke`, { api_key_id: body.apiKeys[0].id })).status).toBe(404);
  });
});

describe('guest list', () => {
  it('is saved as lines; says what is wrong and keeps every line', async () => {
    const { service, browser, here } = await aDeveloper();
    const form = { email_addresses: 'ada@example.org\r\nbob@example.org', phone_numbers: '07700 900123' };
    expect((await browser.post(`${here}/guest-list`, form)).location).toBe(`${here}/guest-list`);
    const list = { email_addresses: ['ada@example.org', 'bob@example.org'], phone_numbers: ['07700 900123'] };
    expect((await harness.admin('GET', `/service/${service}/guest-list`)).body).toEqual(list);
    const wrong = await browser.post(`${here}/guest-list`, { ...form, phone_numbers: '07700 900123\n12' });
    expect(wrong.problems).toEqual({ phone_numbers: 'Change “12” to a mobile number.' });
    const both = await browser.post(`${here}/guest-list`, { email_addresses: 'ada\nbob', phone_numbers: '12' });
    expect(both.problems).toEqual({
      email_addresses: 'Change “ada” to an email address. Change “bob” to an email address.',
      phone_numbers: 'Change “12” to a mobile number.',
    });
    expect(wrong.text).toContain('07700 900123\n12');
    const many = await browser.post(`${here}/guest-list`, { email_addresses: 'a@b.org\n'.repeat(6) });
    expect(many.problems).toEqual({ email_addresses: 'Enter up to 5 email addresses.' });
    expect((await harness.admin('GET', `/service/${service}/guest-list`)).body).toEqual(list);
  });
});

describe('callbacks', () => {
  const set = { url: `${sink.url}/hook`, bearer_token: 'a-bearer-token' };

  it('are set, tested, changed and removed; the token is never shown', async () => {
    sink.answer = () => 204;
    const { service, browser, here } = await aDeveloper();
    const url = `${here}/callbacks/delivery_status`;
    expect((await browser.post(url, { url: set.url })).problems).toEqual({ bearer_token: 'Enter a token.' });
    expect((await browser.post(url, { bearer_token: 'short', url: 'http://example.org' })).problems).toEqual({
      url: 'Enter an address that starts with https://.',
      bearer_token: 'Enter a token of 10 to 2,000 characters.',
    });
    expect((await browser.post(url, { bearer_token: set.bearer_token })).problems).toEqual({
      url: 'Enter the URL for this token.',
    });
    expect((await browser.post(url, { ...set, url: `https://example.org/${'x'.repeat(2_000)}` })).problems).toEqual({
      url: 'Enter a URL of at most 2,000 characters.',
    });
    expect((await browser.post(url, { ...set, url: 'https://ada:secret@example.org' })).problems).toEqual({
      url: 'Remove the user name and password from the address.',
    });
    await browser.post(url, set);
    const page = await browser.get(url);
    expect(page.text).toContain(set.url);
    expect(page.text).not.toContain(set.bearer_token);
    await browser.post(`${url}/test`);
    const waiting = await browser.get(`${here}/callbacks`);
    expect(waiting.text).toContain(`data-from="${here}/callbacks/list"`);
    expect(waiting.text).toMatch(/Newest callback: waiting\..*?Test call.*?Sending now.*?No response yet/s);
    expect((await browser.get(`${here}/callbacks/list`)).text).toContain('data-live');
    sink.calls.length = 0;
    await harness.deliver();
    const list = await browser.get(`${here}/callbacks/list`);
    expect(list.text).toContain('Newest callback: delivered.');
    expect(list.text).not.toContain('data-live');
    expect(JSON.parse(sink.calls[0]?.body ?? '')).toMatchObject({ reference: 'test call', status: 'delivered' });
    expect(sink.calls[0]?.headers.authorization).toBe(`Bearer ${set.bearer_token}`);
    expect((await browser.get(`${here}/callbacks`)).text).toMatch(/Test call.*?Delivered.*?204 in/s);
    const elsewhere = await browser.post(url, { url: 'https://other.example/hook' });
    expect(Object.keys(elsewhere.problems)).toEqual(['bearer_token']);
    await browser.post(url);
    expect((await harness.admin('GET', `/service/${service}`)).body.data.service_callback_api).toEqual([]);
    expect((await browser.post(`${url}/test`)).status).toBe(404);
    expect((await browser.get(`${here}/callbacks/nonsense`)).status).toBe(404);
  });

  it('that failed are replayed from the page, all of them, once the receiver works', async () => {
    const { service, browser, here } = await aDeveloper();
    await browser.post(`${here}/callbacks/delivery_status`, set);
    sink.answer = () => 500;
    await someQueuedMessages(
      harness,
      service,
      Array.from({ length: 60 }, () => ({})),
    );
    for (const seconds of [0, 0, 6]) {
      harness.clock.advance({ seconds });
      await harness.deliver();
    }
    const broken = await browser.get(`${here}/callbacks?status=failed`);
    expect(broken.text).toContain('Replay 60 failed');
    expect(broken.text).toMatch(/500 in \d+ ms, 2 attempts/);
    sink.answer = () => 204;
    sink.calls.length = 0;
    const replayed = await browser.follow(await browser.post(`${here}/callbacks/replay-failed`));
    expect(replayed.text).toContain('60 callbacks replayed to the current URL.');
    await harness.deliver();
    expect(sink.calls).toHaveLength(60);
    const page = await browser.get(`${here}/callbacks`);
    expect(page.text).not.toMatch(/Replay 60|>Failed<\/span>|tone-red/);
    const older = /href="([^"]+older_than[^"]+)"/.exec(page.text)?.[1] ?? '';
    expect((await browser.get(older.replaceAll('&amp;', '&'))).text.match(/name="callback_id"/g)).toHaveLength(10);
  });

  it('are replayed one by one; 404 for those of another service', async () => {
    const { service, browser, here } = await aDeveloper();
    await browser.post(`${here}/callbacks/delivery_status`, set);
    await aQueuedMessage(harness, service);
    await harness.deliver();
    await harness.deliver();
    const id = /name="callback_id" value="([^"]+)"/.exec((await browser.get(`${here}/callbacks`)).text)?.[1] ?? '';
    sink.calls.length = 0;
    await browser.post(`${here}/callbacks/replay`, { callback_id: id });
    await harness.deliver();
    expect(sink.calls).toHaveLength(1);
    const other = await aDeveloper();
    expect((await other.browser.post(`${other.here}/callbacks/replay`, { callback_id: id })).status).toBe(404);
  });
});

describe('callbacks to a program on this machine', () => {
  const strict = useHarness({ config: { callbacks: { allowPrivate: false } } });

  it('400 that names the setting which allows them', async () => {
    const service = await aService(strict);
    const { id } = await aPerson(strict);
    const permissions = [{ permission: 'manage_api_keys' }];
    await strict.admin('POST', `/service/${service}/users/${id}`, { permissions });
    const url = `/console/services/${service}/integration/callbacks/complaint`;
    const form = { url: 'http://localhost:4000/hook', bearer_token: 'a-bearer-token' };
    expect((await (await signedIn(strict, id)).post(url, form)).problems).toEqual({
      url: 'Enter an address that starts with https://. To call a program on this machine, start Pennypost with CALLBACK_ALLOW_PRIVATE=true.',
    });
  });
});

describe('refused requests', () => {
  it('show the error and a request that works', async () => {
    const { service, browser, here, person } = await aDeveloper();
    const created = await browser.post(`${here}/keys/create`, { name: 'website', key_type: 'normal' });
    const key = /id="new-key"[^>]* value="([^"]+)"/.exec(created.text)?.[1] ?? '';
    const template = await aTemplate(harness, service, { content: 'Hello ((name)), see you on ((day))' });
    const wrong = { phone_number: '07700900999', template_id: template, personalisation: { name: 'Ada' } };
    expect((await harness.v2('POST', '/v2/notifications/sms', key, wrong)).status).toBe(400);
    const page = await browser.get(`${here}/refused`);
    expect(page.text).toContain('Missing personalisation: day');
    expect(page.text).toMatch(/key “website”/);
    expect(page.text).not.toContain('07700900999');
    const command = /<pre id="corrected-[^"]+">(.*?)<\/pre>/s.exec(page.text)?.[1]?.replaceAll('&quot;', '"') ?? '';
    const body = JSON.parse(/-d '(.*)'$/s.exec(command)?.[1] ?? '');
    expect(body).toEqual({
      template_id: template,
      phone_number: person.mobile_number,
      personalisation: { name: 'Grace', day: 'Friday' },
    });
    expect((await harness.v2('POST', '/v2/notifications/sms', key, body)).status).toBe(201);
  });
});
