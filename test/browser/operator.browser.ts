import { mkdirSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { somePastMessages } from '../kit/builders/messages.ts';
import { someQueuedMessages } from '../kit/builders/queued-messages.ts';
import { anOrganisation, aService } from '../kit/builders/rows.ts';
import { useHarness } from '../kit/harness.ts';
import { startStubGateways } from '../kit/vendors/stub-gateways.ts';
import { aPerson, joinService, password, signedIn } from '../kit/world/console-people.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsInEveryLook } from './kit/looks.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

const harness = useHarness({
  now: '2026-11-16T14:02:00Z',
  config: {
    sms: { providers: ['mmg', 'firetext'] },
    providers: {
      mmg: { url: `${gateways.url}/mmg`, apiKey: 'x' },
      firetext: { url: `${gateways.url}/firetext`, apiKey: 'x' },
    },
  },
});
const open = useBrowser(harness);

const names = ['Parking permits', 'Library reminders', 'Town Hall appointments', 'Council tax'];
let services: string[];
let organisation: string;
let person: string;
let token: string;

beforeAll(async () => {
  mkdirSync(harness.app.config.storage.dataDir, { recursive: true });
  organisation = await anOrganisation(harness, { name: 'Borough of Westbrook', organisation_type: 'local' });
  services = [];
  for (const name of names) services.push(await aService(harness, { name, organisation_id: organisation }));
  const operator = await aPerson(harness, { name: 'Ada Lovelace', platform_admin: true });
  token = (await signedIn(harness, operator.id)).cookies.get('pennypost_session') ?? '';
  person = (await aPerson(harness, { name: 'Grace Hopper', email_address: 'grace@westbrook.example' })).id;
  await joinService(harness, services[0] ?? '', person);
  await harness.admin('POST', `/organisations/${organisation}/users/${person}`, { permissions: [] });
  const trial = await aService(harness, { name: 'Swimming lessons', restricted: true, organisation_id: organisation });
  const asks = { has_active_go_live_request: true, go_live_user: person, volume_sms: 12_000, volume_email: 4_000 };
  await harness.admin('POST', `/service/${trial}`, asks);
  const locked = await aPerson(harness, { name: 'Lola Turing' });
  await harness.app.db.updateTable('users').set({ failed_login_count: 10 }).where('id', '=', locked.id).execute();
  for (const [index, id] of services.entries()) {
    const many = Array.from({ length: 40 - index * 9 }, () => ({
      service_id: id,
      notification_type: 'email' as const,
      created_at: '2026-11-16T09:00:00Z',
      status: 'delivered' as const,
    }));
    await somePastMessages(harness, many);
  }
  services.push(trial);
});

describe('the API reference', () => {
  it('opens over plain HTTP', async () => {
    const { page } = await open();
    await page.goto('/docs');
    // It draws several hundred operations.
    await page.locator('.swagger-ui .info .title').waitFor({ timeout: 240_000 });
    await page.context().close();
  }, 300_000);
});

async function beat(): Promise<void> {
  await harness.app.pool.query(
    "insert into queue_workers values ('test', now()) on conflict (id) do update set seen_at = now()",
  );
}

async function send(count: number): Promise<void> {
  const texts = Array.from({ length: count }, () => ({}));
  await someQueuedMessages(harness, services[0] ?? '', texts);
  await harness.deliver();
  await beat();
}

describe('the operator', () => {
  it('sees within half a minute that a provider stops, what was done, and its repair', async () => {
    for (const count of [10, 24, 18, 30, 22]) {
      await send(count);
      harness.clock.advance({ seconds: 45 });
      await beat();
    }
    await send(12);
    const { page, origin } = await open();
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    await page.goto('/console/operator');
    await page.getByRole('heading', { name: 'No problems' }).waitFor();
    const wrong = await problemsInEveryLook(page, 'operator-well');

    gateways.answer = ({ gateway }) => (gateway === 'mmg' ? 'hang up' : 'accept');
    harness.clock.advance({ seconds: 15 });
    await send(200);
    await page.getByRole('heading', { name: 'MMG does not accept texts' }).waitFor({ timeout: 30_000 });
    await page.getByText(/moved its share from 51 to 41/).waitFor();
    wrong.push(...(await problemsInEveryLook(page, 'operator-red')));

    gateways.answer = () => 'accept';
    harness.clock.advance({ seconds: 15 });
    await send(20);
    await page.getByRole('heading', { name: 'No problems' }).waitFor({ timeout: 30_000 });
    await page.context().close();
    expect(wrong).toEqual([]);
  }, 300_000);

  it('finds services, organisations and people, in pages that fit', async () => {
    const { page, origin } = await open();
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    const wrong: string[] = [];
    for (const [name, url] of [
      ['services', '/console/operator/services'],
      ['requests', '/console/operator/services/going-live'],
      ['service', `/console/operator/services/${services[0]}`],
      ['decision', `/console/services/${services[4]}/make-service-live`],
      ['organisations', '/console/operator/organisations'],
      ['organisation', `/console/organisations/${organisation}`],
      ['organisation-trial', `/console/organisations/${organisation}/trial`],
      ['organisation-team', `/console/organisations/${organisation}/team`],
      ['organisation-settings', `/console/organisations/${organisation}/settings`],
      ['people', '/console/operator/people'],
      ['person', `/console/operator/people/${person}`],
      ['person-role', `/console/operator/people/${person}/role`],
      ['person-archive', `/console/operator/people/${person}/archive`],
      ['system', '/console/operator/system'],
    ] as const) {
      await beat();
      await page.goto(url);
      wrong.push(...(await problemsInEveryLook(page, `operator-${name}`)));
    }
    await page.goto('/console/operator/people');
    await page.getByRole('searchbox', { name: 'Name, email address or id' }).fill('grace@');
    await page.getByRole('main').getByRole('button', { name: 'Find' }).click();
    await page.getByRole('link', { name: 'Grace Hopper' }).click();
    await page.getByRole('link', { name: 'Change operator' }).click();
    await page.getByLabel('Platform administrator').check();
    await page.getByRole('textbox', { name: 'Current password' }).fill(password);
    await page.getByRole('button', { name: 'Save' }).click();
    await page.getByText('Role saved.').waitFor();
    await page.context().close();
    expect(wrong).toEqual([]);
  }, 600_000);

  it('connects and tests providers, in pages that fit', async () => {
    const { body } = await harness.admin('GET', '/provider-details');
    const pageOf = (name: string) => {
      const { id } = body.provider_details.find(({ identifier }: { identifier: string }) => identifier === name);
      return `/console/operator/providers/${id}`;
    };
    const { page, origin } = await open();
    await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
    const wrong: string[] = [];
    await page.goto('/console/operator/providers');
    wrong.push(...(await problemsInEveryLook(page, 'operator-providers')));
    await page.goto(pageOf('smtp'));
    wrong.push(...(await problemsInEveryLook(page, 'operator-provider')));
    await page.getByRole('link', { name: 'Read the guide' }).click();
    await page.getByRole('heading', { name: 'Guide: ' }).waitFor();
    wrong.push(...(await problemsInEveryLook(page, 'operator-provider-guide')));
    await page.goto(pageOf('mmg'));
    await page.getByRole('link', { name: 'Send a test to me' }).click();
    gateways.answer = () => ({ status: 401, body: { Error: 'The key is unknown.' } });
    await page.getByRole('button', { name: 'Send a test to me' }).click();
    await page.getByText('MMG did not accept the message').waitFor();
    wrong.push(...(await problemsInEveryLook(page, 'operator-provider-test')));
    await page.context().close();
    expect(wrong).toEqual([]);
  }, 300_000);
});
