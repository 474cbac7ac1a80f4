import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import PostalMime from 'postal-mime';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { aService, aUser } from '../../../test/kit/builders/rows.ts';
import { type Harness, useHarness } from '../../../test/kit/harness.ts';
import { loadLanguages } from '../../language/load-languages.ts';
import { t } from '../../language/text.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { fragmentSizes } from '../../rendering/sms/sms.ts';
import { compileTemplate } from '../../rendering/template.ts';
import { seeds } from '../../seeds.ts';
import { accountTemplates } from '../../users/account-messages/account-messages.ts';
import { platformServiceId } from '../../users/platform-user.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-languages-'));
afterAll(() => rmSync(folder, { recursive: true }));

function write(translations: Record<string, string>) {
  const entries = Object.entries(translations).map((pair) => {
    const [text, translation] = pair.map((one) => JSON.stringify(one));
    return `msgid ${text}\nmsgstr ${translation}\n`;
  });
  writeFileSync(join(folder, 'fy.po'), entries.join('\n'));
}

const frisian = {
  'Reset your password': 'Stel uw wachtwoord opnieuw in',
  'Hello ((user_name))': 'Dag ((user_name))',
  '((verify_code)) is your sign-in code. It works for 30 minutes.': 'Uw code is ((verify_code)), 30 minuten geldig.',
  '((user_name)) invited you to work on the service “((service_name))”.':
    '((user_name)) nodigt u uit voor ((service_name)).',
  'Hello ((name))': 'Dag ((name))',
  'a platform administrator': 'platformbeheerder',
};
write(frisian);

const now = '2026-11-15T12:00:00Z';
const config = { demo: { enabled: true } };
const harness = useHarness({ now, config, environment: { LANGUAGES: 'en,fy,ar-XB', LANGUAGES_DIR: folder } });
const frisianHarness = useHarness({ now, config, environment: { LANGUAGES: 'fy,en', LANGUAGES_DIR: folder } });

let addresses = 0;

/** Returns the address of the new account. */
async function aReader(language: string | null, at: Harness = harness): Promise<{ id: string; address: string }> {
  const address = `reader-${++addresses}@example.org`;
  return { id: await aUser(at, { language, email_address: address }), address };
}

/** The message to somebody, as it arrives. */
async function received(recipient: string, at: Harness = harness) {
  await at.deliver();
  const { body } = await at.admin('GET', '/outbox');
  const message = body.messages.find((one: { recipient: string }) => one.recipient === recipient);
  if (message.notification_type === 'sms') return { text: message.body };
  const { subject, html } = await PostalMime.parse((await at.admin('GET', `/outbox/${message.reference}`)).text);
  return { subject: subject ?? '', html: html ?? '', text: message.body };
}

async function reset(address: string, at: Harness = harness) {
  expect((await at.admin('POST', '/user/reset-password', { email: address })).status).toBe(204);
  return received(address, at);
}

describe('a message to a user', () => {
  it.each([
    [null, 'Reset your password', '<html lang="en">'],
    ['en', 'Reset your password', '<html lang="en">'],
    ['fy', 'Stel uw wachtwoord opnieuw in', '<html lang="fy">'],
    ['fy-NL', 'Stel uw wachtwoord opnieuw in', '<html lang="fy">'],
    ['fr', 'Reset your password', '<html lang="en">'],
    ['ar-XB', '[\u202eReset\u202c', '<html lang="ar-XB" dir="rtl">'],
  ])('who reads %s is in that language, if it is offered', async (language, subject, html) => {
    const message = await reset((await aReader(language)).address);
    expect(message.subject?.startsWith(subject), message.subject).toBe(true);
    expect(message.html).toContain(html);
  });

  it('keeps English where a text has no translation', async () => {
    const { text } = await reset((await aReader('fy')).address);
    expect(text).toMatch(/Dag Ada Sender.*Choose a new password/s);
  });

  it('that has a code is in the language of the account', async () => {
    const { id } = await aReader('fy');
    await harness.admin('POST', `/user/${id}/sms-code`, { to: '07700900777' });
    expect((await received('447700900777')).text).toMatch(/^Uw code is \d{5}, 30 minuten geldig\.$/);
  });

  it('that invites somebody is in the language of their account, else in that of the inviter', async () => {
    const inviter = await aReader('fy');
    const service = await aService(harness, { created_by_id: inviter.id });
    const invite = async (email_address: string) => {
      const request = { from_user: inviter.id, permissions: '', email_address, service };
      expect((await harness.admin('POST', `/service/${service}/invite`, request)).status).toBe(201);
      return (await received(email_address)).text;
    };
    expect(await invite('new@example.org')).toContain('Ada Sender nodigt u uit voor');
    expect(await invite((await aReader('en')).address)).toContain('invited you to work on the service');
  });

  it('that goes to a former address is in the language of the account', async () => {
    const { id, address } = await aReader('fy');
    const { id: updated_by } = await aReader('en');
    const change = { email_address: 'moved@example.org', updated_by };
    expect((await harness.admin('POST', `/user/${id}`, change)).status).toBe(200);
    expect((await received(address)).text).toContain('Dag Ada Sender');
    expect((await received('moved@example.org')).text).toContain('Dag Ada Sender');
  });

  it('has its values in that language, too', async () => {
    const valueFor = async (language: string) => {
      const { address } = await aReader(language);
      const personalisation = { name: 'Ada', role: t('a platform administrator'), person_name: ['Bob'] };
      const message = { template_id: accountTemplates.operatorRoleChanged, to: address, personalisation };
      await inTransaction(harness.app.db, (tx) => harness.app.accountMessages.send(tx, message));
      return (await received(address)).subject;
    };
    expect(await valueFor('fy')).toBe('Bob is now platformbeheerder');
    expect(await valueFor('en')).toBe('Bob is now a platform administrator');
  });

  it('who has chosen nothing is in the language of the installation', async () => {
    const { address } = await aReader(null, frisianHarness);
    expect((await reset(address, frisianHarness)).subject).toBe('Stel uw wachtwoord opnieuw in');
    const english = await aReader('en', frisianHarness);
    expect((await reset(english.address, frisianHarness)).subject).toBe('Reset your password');
  });
});

describe('at each start', () => {
  const path = `/service/${platformServiceId}/template/${accountTemplates.smsCode}`;
  const code = '((verify_code)) is your sign-in code. It works for 30 minutes.';

  /** Starts with these translations. */
  async function start(translations: Record<string, string>) {
    write(translations);
    const { languages } = loadLanguages({ tags: ['en', 'fy'], isNamed: true, locale: 'en-GB', folder });
    const { db, clock, country } = harness.app;
    await inTransaction(db, async (tx) => {
      for (const seed of seeds) await seed(tx, clock.now(), country, languages);
    });
    const { body } = await harness.admin('GET', path);
    const variants = body.data.languages?.variants ?? [];
    const found = variants.find(({ language }: { language: string }) => language === 'fy');
    return { version: body.data.version, frisian: found?.content };
  }

  beforeAll(async () => {
    const { body } = await harness.admin('GET', `/service/${platformServiceId}`);
    const permissions = [...body.data.permissions, 'template_languages'];
    await harness.admin('POST', `/service/${platformServiceId}`, { permissions });
  });

  it('translations are as they are now, and others stay', async () => {
    const before = await start(frisian);
    expect(before).toEqual({ version: before.version, frisian: frisian[code] });
    const { version } = await start({ ...frisian, [code]: '((verify_code)) is uw code.' });
    expect(version).toBe(before.version + 1);
    expect(await start({ ...frisian, [code]: '((verify_code)) is uw code.' })).toEqual({
      ...{ version, frisian: '((verify_code)) is uw code.' },
    });
    const { body } = await harness.admin('GET', path);
    expect(body.data.languages.variants.map(({ language }: { language: string }) => language)).toEqual(['ar-XB', 'fy']);
    expect(body.data.content).toBe(code);
  });

  it('a translation that somebody has changed is kept, also in later versions', async () => {
    const { version } = await start(frisian);
    const own = { default: 'en', variants: [{ language: 'fy', content: 'Onze code: ((verify_code))' }] };
    expect((await harness.admin('POST', path, { languages: own })).status).toBe(200);
    await harness.admin('POST', path, { name: 'Renamed' });
    expect(await start({ ...frisian, [code]: 'Another ((verify_code))' })).toEqual({
      ...{ version: version + 2, frisian: 'Onze code: ((verify_code))' },
    });
  });

  it('translations that somebody has removed stay away', async () => {
    await harness.admin('POST', path, { languages: null });
    expect((await start(frisian)).frisian).toBeUndefined();
  });

  it('a text that somebody has changed gets no translation', async () => {
    const changed = `/service/${platformServiceId}/template/${accountTemplates.emailCode}`;
    await harness.admin('POST', changed, { content: 'Our own ((url))' });
    const before = (await harness.admin('GET', changed)).body.data;
    await start({ ...frisian, 'Hello ((name))': 'Hallo ((name))' });
    expect((await harness.admin('GET', changed)).body.data).toEqual(before);
  });
});

describe('a sign-in code by text message', () => {
  const shipped = readdirSync('languages').flatMap((name) => (name.endsWith('.po') ? [name.replace('.po', '')] : []));
  const everywhere = useHarness({ now, config, environment: { LANGUAGES: ['en', ...shipped].join() } });

  it.each(['en', ...shipped])('fits into one part in %s, whatever alphabet the country has', async (language) => {
    const { id } = await aReader(language, everywhere);
    const number = `7700900${800 + shipped.indexOf(language)}`;
    await everywhere.admin('POST', `/user/${id}/sms-code`, { to: `0${number}` });
    const { text } = await received(`44${number}`, everywhere);
    expect(text).toMatch(/\d{5}/);
    if (language !== 'en') expect(text).not.toContain('is your sign-in code');
    for (const alphabet of ['gsm-welsh', 'gsm', 'keep-letters'] as const) {
      const message = compileTemplate({ template_type: 'sms', content: text, alphabet }).render();
      expect([alphabet, message.fragments, message.text.length <= fragmentSizes[message.encoding].single]).toEqual([
        ...[alphabet, 1, true],
      ]);
    }
  });
});
