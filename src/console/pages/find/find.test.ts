import { beforeAll, describe, expect, it } from 'vitest';
import { aQueuedMessage } from '../../../../test/kit/builders/queued-messages.ts';
import { anOrganisation, aService, aTemplate } from '../../../../test/kit/builders/rows.ts';
import { useHarness } from '../../../../test/kit/harness.ts';
import { aPerson, joinService, signedIn } from '../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../test/kit/world/console-visitor.ts';
import { newId } from '../../../platform/id.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
const find = '/console/find';

let service: string;
let foreign: string;
let template: string;
let message: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'Parking permits' });
  foreign = await aService(harness, { name: 'Parking fines' });
  template = await aTemplate(harness, service, { name: 'Parking reminder' });
  await aTemplate(harness, foreign, { name: 'Parking fine due' });
  message = await aQueuedMessage(harness, service, { client_reference: 'case-4711' });
  await aQueuedMessage(harness, foreign, { client_reference: 'case-4712' });
});

async function member(name: string, permissions?: readonly string[]): Promise<ConsoleVisitor> {
  const person = await aPerson(harness, { name });
  await joinService(harness, service, person.id, permissions);
  return signedIn(harness, person.id);
}

const search = async (visitor: ConsoleVisitor, text: string) =>
  visitor.follow(await visitor.post(find, { find: text }));

describe('find, for members of a service', () => {
  it('finds pages, templates, people and messages of the service, and nothing of another', async () => {
    const ada = await member('Ada of Parking');
    const page = await search(ada, 'parking');
    expect(page.text).toMatch(
      /Templates of Parking permits.*Parking reminder.*People of Parking permits.*Ada of Parking/s,
    );
    expect(page.text).toMatch(/Your services.*Parking permits/s);
    expect(page.text).not.toMatch(/Parking fine/);
    const keys = await search(ada, 'api key');
    expect(keys.text).toContain(`href="/console/services/${service}/integration/keys"`);
    const byReference = await search(ada, 'case-4711');
    expect(byReference.text).toContain(`href="/console/services/${service}/messages/${message}"`);
    expect((await search(ada, 'case-4712')).text).toContain('Nothing found');
  });

  it('shows only what the person can open', async () => {
    const sender = await member('Sender', ['send_texts', 'send_emails', 'send_letters']);
    expect((await search(sender, 'sender')).text).not.toContain('People of');
    expect((await search(sender, 'api key')).text).toContain('Nothing found');
    expect((await search(sender, 'case-4711')).text).toContain(message);
    const editor = await member('Editor', ['manage_templates']);
    expect((await search(editor, 'case-4711')).text).toContain('Nothing found');
    expect((await search(editor, 'reminder')).text).toContain(`/templates/${template}"`);
  });

  it('leads to what has an id, if it is of an own service', async () => {
    const ada = await member('Ada');
    expect((await search(ada, template)).location).toBe(`/console/services/${service}/templates/${template}`);
    expect((await search(ada, message.toUpperCase())).location).toBe(
      `/console/services/${service}/messages/${message}`,
    );
    expect((await search(ada, foreign)).text).toContain('Nothing found');
  });

  it('keeps what was searched for out of addresses, and says what is wrong', async () => {
    const ada = await member('Ada');
    expect((await ada.post(find, { find: 'rear-admiral@navy.example' })).location).not.toMatch(/admiral|navy.example/);
    expect((await ada.post(find)).problems).toEqual({ find: 'Enter a name, an address, a reference or an id.' });
    expect(Object.keys((await ada.post(find, { find: 'after:someday' })).problems)).toEqual(['find']);
  });

  it('is on every page', async () => {
    const nobody = await signedIn(harness, (await aPerson(harness)).id);
    expect((await nobody.get('/console/account')).text).toContain('action="/console/find"');
    expect((await search(nobody, 'parking')).text).toContain('Nothing found');
    expect((await search(nobody, 'theme')).text).toContain('href="/console/account/theme"');
  });
});

describe('find, for operators', () => {
  let operator: ConsoleVisitor;
  let looker: ConsoleVisitor;

  beforeAll(async () => {
    operator = await signedIn(harness, (await aPerson(harness, { platform_admin: true })).id);
    looker = await signedIn(harness, (await aPerson(harness, { read_only_operator: true })).id);
  });

  it('leads to what has the id, and lists names and addresses of the installation', async () => {
    await anOrganisation(harness, { name: 'Parking trust' });
    const byId = await search(operator, service);
    expect([byId.status, byId.location]).toEqual([303, `/console/operator/services/${service}`]);
    expect((await search(operator, 'parking')).text).toMatch(/Parking fines.*Parking permits.*Parking trust/s);
    const person = await aPerson(harness, { name: 'Grace Hopper', email_address: 'grace@navy.example' });
    const people = await search(looker, 'grace@navy');
    expect(people.text).toContain('grace@navy.example');
    expect(people.text).toContain(person.id);
    expect((await search(operator, 'zzz')).text).toContain('Nothing found');
    expect((await search(operator, newId(new Date()))).text).toContain('Nothing found');
  });

  it('leads to a message for platform administrators only', async () => {
    expect((await search(operator, message)).location).toBe(`/console/services/${service}/messages/${message}`);
    expect((await search(looker, message)).location).toBe(`/console/operator/services/${service}`);
  });
});

describe('the frame', () => {
  it('keeps the open service on pages that belong to none', async () => {
    const ada = await member('Ada');
    await ada.get(`/console/services/${service}`);
    const account = await ada.get('/console/account');
    expect(account.text).toContain(`href="/console/services/${service}/templates"`);
    expect(account.text).toMatch(/aria-current="page"[^>]*>Your account/);
    expect(account.text).toContain('<title>Your account – Pennypost</title>');
    // Somebody who has left the service keeps nothing of it.
    ada.cookies.set('pennypost_service', foreign);
    expect((await ada.get('/console/account')).text).not.toContain(foreign);
    expect((await ada.get('/console/services')).text).not.toContain(`href="/console/services/${service}/templates"`);
  });
});
