import { describe, expect, it } from 'vitest';
import { anOrganisation, aService } from '../../../../test/kit/builders/rows.ts';
import { addDomain, check, publish } from '../../../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, signedIn } from '../../../../test/kit/world/console-people.ts';

const dns = new FakeDns();
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  resolver: dns,
  config: { domains: { mode: 'services' }, email: { domain: 'installation.example' } },
});

async function aManager() {
  const service_id = await aService(harness);
  const person = await aPerson(harness);
  const permissions = [{ permission: 'manage_service' }];
  await harness.admin('POST', `/service/${service_id}/users/${person.id}`, { permissions });
  const browser = await signedIn(harness, person.id);
  return { service_id, person, browser, here: `/console/services/${service_id}/settings/email/domain` };
}

const domainAt = async (location = '') =>
  (await harness.admin('GET', `/sending-domain/${location.split('/').at(-1)}`)).body.data;

describe('the domains of a service', () => {
  it('are added by its manager, who sees what to publish, checks it, and sees that emails come from it', async () => {
    const { browser, here, service_id } = await aManager();
    expect((await browser.get(here)).text).toContain('No domains yet');
    const wrong = await browser.post(`${here}/add`, { name: 'gmail.com' });
    expect(wrong.status).toBe(400);
    expect(wrong.text).toContain('You cannot send as gmail.com: it belongs to a mailbox provider');
    const added = await browser.post(`${here}/add`, { name: 'Notify.Council.Example' });
    expect(added.status).toBe(303);
    const domain = await domainAt(added.location);
    const page = await browser.follow(added);
    expect(page.h1).toBe('notify.council.example');
    for (const { name } of domain.records) expect(page.text).toContain(`>${name}</code>`);
    expect(page.text).toContain('Not yet: 2 records are missing.');
    expect(page.text).toContain('We check the other records once we have found the ownership record.');
    expect(page.text).toContain('Until then emails come from installation.example.');
    const mailto = /href="(mailto:[^"]*)"/.exec(page.text)?.[1] ?? '';
    const body = new URLSearchParams(mailto.replaceAll('&amp;', '&').split('?')[1]).get('body');
    for (const { name, value } of domain.records) expect(body).toContain(`Name: ${name}\nValue: ${value}`);
    publish(dns, domain);
    const checked = await browser.post(added.location ?? '', { task: 'check' });
    expect((await browser.follow(checked)).text).toContain('Emails come from notify.council.example');
    const settings = await browser.get(`/console/services/${service_id}/settings`);
    expect(settings.text).toContain('@notify.council.example');
    const again = await browser.post(added.location ?? '', { task: 'check' });
    expect(again.text).toContain('Wait 10 seconds before the next check');
  });

  it('can be retired, hold their emails, and get a second key', async () => {
    const { browser, here, service_id } = await aManager();
    const { body } = await addDomain(harness, { scope: 'service', service_id, name: 'a.council.example' });
    const url = `${here}/${body.data.id}`;
    const change = { suspended: 'hold', return_path_domain: 'Bounces.A.Council.Example' };
    expect((await browser.post(`${url}/change`, change)).location).toBe(url);
    expect(await domainAt(url)).toMatchObject({ hold: true, return_path_domain: 'bounces.a.council.example' });
    const shown = (await browser.get(url)).text;
    expect(shown).toContain('Emails wait until the domain is verified again, at most 72 hours');
    const wrong = await browser.post(`${url}/change`, { suspended: 'fall-back', return_path_domain: 'nothing' });
    expect([wrong.status, wrong.text.includes('Enter a domain such as bounces.a.council.example')]).toEqual([
      400,
      true,
    ]);
    await browser.post(`${url}/change`, { suspended: 'fall-back' });
    expect(await domainAt(url)).toMatchObject({ hold: false, return_path_domain: null });
    await browser.post(url, { task: 'new-key' });
    expect((await browser.get(url)).text).toContain('New: publish its record');
    const refused = await browser.post(url, { task: 'new-key' });
    expect([
      refused.status,
      refused.text.includes('This domain has 2 keys. Wait until the old one is retired'),
    ]).toEqual([400, true]);
    const retired = await browser.post(url, { task: 'retire' });
    expect(retired.location).toBe(here);
    expect((await domainAt(url)).state).toBe('retired');
  });

  it('can be signed by a mail server whose selector is known', async () => {
    const { browser, here } = await aManager();
    const without = await browser.post(`${here}/add`, { name: 'relay.council.example', way: 'relay' });
    expect(without.problems).toEqual({ selector: 'Enter the selector of the relay' });
    const added = await browser.post(`${here}/add`, { name: 'relay.council.example', way: 'relay', selector: 's1' });
    expect(await domainAt(added.location)).toMatchObject({ way: 'relay', keys: [{ selector: 's1' }] });
    expect((await browser.follow(added)).text).toContain('Your mail server signs the emails');
  });

  it('show what was found beside what was expected, which setting is missing, and which domain is chosen', async () => {
    const { browser, here, service_id } = await aManager();
    const of = { scope: 'service', service_id };
    const first = await addDomain(harness, { ...of, name: 'first.council.example' });
    const second = await addDomain(harness, { ...of, name: 'second.council.example' });
    const other = 'pennypost-verification=of-somebody-else';
    publish(dns, first.body.data);
    publish(dns, second.body.data);
    dns.zone['TXT _pennypost-challenge.first.council.example'] = [other];
    for (const { body } of [first, second]) await check(harness, body.data.id);
    const wrong = (await browser.get(`${here}/${first.body.data.id}`)).text;
    expect(wrong).toMatch(new RegExp(`Found instead:</b>[^]{0,200}${other}`));
    const at = `${here}/${second.body.data.id}`;
    const unused = (await browser.get(at)).text;
    expect(unused).toContain('Emails come from another domain until you choose this one.');
    expect(unused).toContain('Not checked: set SMTP_SERVERS.');
    await browser.post(at, { task: 'use-domain' });
    const chosen = (await browser.get(at)).text;
    expect(chosen).toContain('Emails come from second.council.example.');
    expect(chosen).not.toContain('Use this domain');
  });

  it('are not found at another service, and refuse what only an operator decides', async () => {
    const mine = await aManager();
    const other = await aManager();
    const owner = { scope: 'service', service_id: other.service_id };
    const { body } = await addDomain(harness, { ...owner, name: 'b.council.example' });
    const url = `${mine.here}/${body.data.id}`;
    expect((await mine.browser.get(url)).status).toBe(404);
    expect((await mine.browser.post(url, { task: 'retire' })).status).toBe(404);
    expect((await mine.browser.post(`${url}/change`, { suspended: 'hold' })).status).toBe(404);
    expect((await domainAt(url)).state).toBe('pending');
  });
});

describe('the domains of an organisation', () => {
  it('are shown to its members, and added by those who make services live', async () => {
    const organisation = await anOrganisation(harness);
    const person = await aPerson(harness);
    const permit = (permissions: string[]) =>
      harness.admin('POST', `/organisations/${organisation}/users/${person.id}`, {
        permissions: permissions.map((permission) => ({ permission })),
      });
    await permit([]);
    const here = `/console/organisations/${organisation}/domain`;
    const member = await signedIn(harness, person.id);
    expect((await member.get(here)).text).toContain('No domains yet');
    expect((await member.post(`${here}/add`, { name: 'c.council.example' })).status).toBe(403);
    await harness.app.db
      .insertInto('organisation_permissions')
      .values({ organisation_id: organisation, user_id: person.id, permission: 'can_make_services_live' })
      .execute();
    expect((await member.post(`${here}/add`, { name: 'c.council.example' })).status).toBe(303);
  });
});

describe('the domains of the installation', () => {
  it('are listed for operators, by state', async () => {
    const admin = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    const { service_id } = await aManager();
    await addDomain(harness, { scope: 'service', service_id, name: 'd.council.example' });
    expect((await admin.get('/console/operator/domains')).text).toContain('d.council.example');
    expect((await admin.get('/console/operator/domains?state=suspended')).text).not.toContain('d.council.example');
    const added = await admin.post('/console/operator/domains/add', { name: 'installation.example' });
    expect((await admin.follow(added)).h1).toBe('installation.example');
    const other = await signedIn(harness, (await aPerson(harness)).id);
    expect((await other.get('/console/operator/domains')).status).toBe(403);
  });
});
