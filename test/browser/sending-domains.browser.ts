import { afterAll, expect, it } from 'vitest';
import { aService } from '../kit/builders/rows.ts';
import { addDomain, aVerifiedDomain, check, type DomainBody } from '../kit/builders/sending-domains.ts';
import { FakeDns } from '../kit/fakes/fake-dns.ts';
import { useHarness } from '../kit/harness.ts';
import { startMailServer } from '../kit/vendors/mail-servers.ts';
import { aPerson, joinService, signedIn } from '../kit/world/console-people.ts';
import { useBrowser } from './kit/browser.ts';
import { problemsInEveryLook } from './kit/looks.ts';

const dns = new FakeDns();
const mailServer = await startMailServer();
afterAll(() => mailServer.close());

const harness = useHarness({
  now: '2026-11-15T14:02:00Z',
  resolver: dns,
  config: {
    guard: { mode: 'on' },
    email: { providers: ['smtp'], domain: 'installation.example' },
    providers: { smtp: { url: mailServer.url, returnPath: 'bounces@mail.example', listen: '127.0.0.1:0' } },
  },
});
const open = useBrowser(harness);

it('the pages of domains, of "Can we send?" and of the guard fit with all that they can say', async () => {
  const person = await aPerson(harness, { platform_admin: true });
  const service_id = await aService(harness, { created_by_id: person.id });
  await joinService(harness, service_id, person.id);
  const name = 'notify.metropolitan-borough-council.example';
  const domain = await aVerifiedDomain(harness, dns, {
    ...{ scope: 'service', service_id, name, return_path_domain: `bounces.${name}` },
  });
  dns.zone[`MX bounces.${name}`] = ['10 elsewhere.example'];
  await harness.admin('POST', `/sending-domain/${domain.id}/keys`, {});
  await check(harness, domain.id);
  const added = await addDomain(harness, { scope: 'service', service_id, name: 'permits.council.example' });
  const pending: DomainBody = added.body.data;
  dns.zone['TXT _pennypost-challenge.permits.council.example'] = ['pennypost-verification=somebody-else'];
  await check(harness, pending.id);
  const at = harness.clock.now().toISOString();
  const paused = { state: 'paused', because: 'bounces', rate: '12.4', since: at, judged_at: at } as const;
  await harness.app.db
    .insertInto('service_guard')
    .values({ service_id, ...paused })
    .execute();

  const { page, origin } = await open();
  const token = (await signedIn(harness, person.id)).cookies.get('pennypost_session') ?? '';
  await page.context().addCookies([{ name: 'pennypost_session', value: token, url: origin }]);
  const settings = `/console/services/${service_id}/settings/email`;
  const pages = {
    'domains-of-service': `${settings}/domain`,
    'domain-with-a-warning': `${settings}/domain/${domain.id}`,
    'domain-not-verified': `${settings}/domain/${pending.id}`,
    'can-we-send': `${settings}/can-we-send`,
    guard: `${settings}/guard`,
    'guarded-services': '/console/operator/guard',
  };
  const wrong: string[] = [];
  for (const [shown, url] of Object.entries(pages)) {
    await page.goto(`${origin}${url}`);
    wrong.push(...(await problemsInEveryLook(page, shown)));
  }
  expect(wrong).toEqual([]);
}, 600_000);
