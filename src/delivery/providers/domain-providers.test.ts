import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { aService } from '../../../test/kit/builders/rows.ts';
import { addDomain, check } from '../../../test/kit/builders/sending-domains.ts';
import { FakeDns } from '../../../test/kit/fakes/fake-dns.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { type FrontRequest, startHttpFront } from '../../../test/kit/vendors/http-front.ts';
import { json } from '../../../test/kit/vendors/vendor.ts';

const name = 'notify.council.example';
let isVerified = false;
let asked: FrontRequest[] = [];

/** As the documentation of each API describes its answers. */
const answers: Record<string, (request: FrontRequest) => unknown> = {
  [`GET /ses/v2/email/identities/${name}`]: () => ({
    VerifiedForSendingStatus: isVerified,
    DkimAttributes: { Status: isVerified ? 'SUCCESS' : 'PENDING', Tokens: ['aaa', 'bbb', 'ccc'] },
  }),
  [`GET /sendgrid/v3/whitelabel/domains?domain=${name}&limit=50`]: () => [
    {
      ...{ id: 1, domain: name, subdomain: 'em', valid: isVerified },
      dns: {
        mail_cname: { valid: true, type: 'cname', host: `em.${name}`, data: 'u1.wl.sendgrid.net' },
        dkim1: { valid: true, type: 'cname', host: `s1._domainkey.${name}`, data: 's1.domainkey.u1.wl.sendgrid.net' },
        dkim2: { valid: true, type: 'cname', host: `s2._domainkey.${name}`, data: 's2.domainkey.u1.wl.sendgrid.net' },
      },
    },
  ],
  'GET /postmark/domains?count=500&offset=0': () => ({ TotalCount: 1, Domains: [{ Name: name, ID: 7 }] }),
  'GET /postmark/domains/7': () => ({
    ...{ Name: name, ID: 7, DKIMVerified: isVerified, DKIMHost: '', DKIMTextValue: '' },
    ...{ DKIMPendingHost: `pm._domainkey.${name}`, DKIMPendingTextValue: 'k=rsa; p=abc' },
    ...{ ReturnPathDomain: `pm-bounces.${name}`, ReturnPathDomainVerified: isVerified },
    ReturnPathDomainCNAMEValue: 'pm.mtasv.net',
  }),
};

const front = await startHttpFront(async (request) => {
  asked.push(request);
  const answer = answers[`${request.method} ${request.url}`];
  return answer ? json(200, answer(request)) : json(404, { message: 'not found' });
});
afterAll(() => front.close());

const dns = new FakeDns();
const harness = useHarness({
  now: '2026-11-15T12:00:00Z',
  resolver: dns,
  config: {
    email: { providers: ['ses', 'sendgrid', 'postmark', 'mailgun'] },
    providers: {
      ses: { url: `${front.url}/ses`, accessKeyId: 'AKIA', secretAccessKey: 'secret' },
      sendgrid: { url: `${front.url}/sendgrid`, apiKey: 'SG.key' },
      postmark: { url: `${front.url}/postmark`, serverToken: 'server', accountToken: 'account' },
    },
  },
});

beforeEach(() => {
  isVerified = false;
  asked = [];
});

async function add(provider: string, more: object = {}) {
  const owner = { scope: 'service', service_id: await aService(harness), way: 'provider', provider };
  const { status, body } = await addDomain(harness, { ...owner, name, ...more });
  return { status, body, id: body.data?.id as string };
}

describe('a domain with a provider', () => {
  it.each([
    [
      'ses',
      [
        `CNAME aaa._domainkey.${name} aaa.dkim.amazonses.com`,
        `CNAME bbb._domainkey.${name} bbb.dkim.amazonses.com`,
        `CNAME ccc._domainkey.${name} ccc.dkim.amazonses.com`,
      ],
      'authorization',
    ],
    [
      'sendgrid',
      [
        `CNAME em.${name} u1.wl.sendgrid.net`,
        `CNAME s1._domainkey.${name} s1.domainkey.u1.wl.sendgrid.net`,
        `CNAME s2._domainkey.${name} s2.domainkey.u1.wl.sendgrid.net`,
      ],
      'authorization',
    ],
    [
      'postmark',
      [`TXT pm._domainkey.${name} k=rsa; p=abc`, `CNAME pm-bounces.${name} pm.mtasv.net`],
      'x-postmark-account-token',
    ],
  ])('gets its records from %s, and is verified once both agree', async (provider, expected, header) => {
    const { status, body, id } = await add(provider);
    expect(status).toBe(201);
    expect(body.data.keys).toEqual([]);
    const records = body.data.records.filter(({ purpose }: { purpose: string }) =>
      ['signature', 'return-path'].includes(purpose),
    );
    const texts = records.map((record: Record<string, string>) => `${record.type} ${record.name} ${record.value}`);
    expect(texts.sort()).toEqual([...expected].sort());
    expect(asked[0]?.headers[header]).toBeTruthy();
    for (const record of body.data.records) dns.zone[`${record.type} ${record.name}`] = [record.value];
    const before = await check(harness, id);
    expect(before.state).toBe('pending');
    expect(before.checks.find((one) => one.name === 'provider-records')?.reason).toBe('provider-not-verified');
    isVerified = true;
    expect(['verified', 'warning']).toContain((await check(harness, id)).state);
    await harness.admin('DELETE', `/sending-domain/${id}`);
  });

  it('takes pasted records where the provider cannot be asked, and refuses none', async () => {
    const none = await add('mailgun');
    expect([none.status, none.body.message]).toEqual([
      400,
      { records: ['Add the domain at mailgun, then paste the records that it asks to publish'] },
    ]);
    const records = [{ type: 'TXT', name: `mg._domainkey.${name}`, value: 'k=rsa; p=abc', purpose: 'signature' }];
    const { status, id } = await add('mailgun', { records });
    expect(status).toBe(201);
    await harness.admin('DELETE', `/sending-domain/${id}`);
    expect(asked).toEqual([]);
  });

  it('400 for a provider that is not in use, and for signing here without one that takes it', async () => {
    expect((await add('none')).body.message).toEqual({
      provider: ['Choose one of the providers in use: ses, postmark, sendgrid, mailgun'],
    });
    const { status, body } = await add('ses', { way: 'signed-here' });
    expect([status, body.message]).toEqual([
      400,
      { way: ['No email provider in use takes emails that are signed here'] },
    ]);
  });
});
