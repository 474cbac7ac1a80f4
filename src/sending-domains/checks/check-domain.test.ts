import { generateKeyPairSync } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { FakeDns, type Zone } from '../../../test/kit/fakes/fake-dns.ts';
import type { Check, CheckName } from './check.ts';
import { checkDomain, type DomainFacts, requiredChecks } from './check-domain.ts';

const domain = 'notify.council.example';
const token = 'k7qf2m9x4hk7qf2m9x4h';
const server = '203.0.113.7';
let publicKey: string;
let shortKey: string;
let ed25519Key: string;
let facts: DomainFacts;

beforeAll(() => {
  publicKey = rsa(2048);
  shortKey = rsa(1024);
  const { x } = generateKeyPairSync('ed25519').publicKey.export({ format: 'jwk' });
  ed25519Key = Buffer.from(x ?? '', 'base64url').toString('base64');
  facts = {
    way: 'signed-here',
    ...{ token, isProven: true },
    keys: [{ selector: 'pp2611a', publicKey }],
    records: [],
    returnPathDomain: 'bounces.council.example',
    servers: [server],
    helo: 'out.council.example',
    bounceDomain: 'mail.example',
    listens: true,
    negotiated: { tls: 'TLSv1.3', certificate: 'valid', outside: true },
  };
});

/** Everything is right. */
function goodZone(): Zone {
  return {
    [`TXT _pennypost-challenge.${domain}`]: [`pennypost-verification=${token}`],
    [`TXT pp2611a._domainkey.${domain}`]: [[`v=DKIM1; k=rsa; p=${publicKey.slice(0, 200)}`, publicKey.slice(200)]],
    'TXT _dmarc.council.example': ['v=DMARC1; p=reject; rua=mailto:dmarc@council.example'],
    'TXT bounces.council.example': [`v=spf1 ip4:${server} -all`],
    'MX bounces.council.example': ['10 in.council.example'],
    'A in.council.example': ['203.0.113.9'],
    'MX mail.example': ['20 out.council.example', '10 in.council.example'],
    [`MX ${domain}`]: ['10 in.council.example'],
    'PTR 7.113.0.203.in-addr.arpa': ['out.council.example'],
    'A out.council.example': [server],
  };
}

async function check(changes: Zone = {}, changed: Partial<DomainFacts> = {}): Promise<Check[]> {
  const zone = Object.fromEntries(
    Object.entries({ ...goodZone(), ...changes }).filter(([, records]) => records.length > 0),
  );
  return checkDomain(domain, new FakeDns(zone), { ...facts, ...changed });
}

async function checkOne(name: CheckName, changes: Zone = {}, changed: Partial<DomainFacts> = {}) {
  const found = (await check(changes, changed)).find((one) => one.name === name);
  return `${found?.verdict} ${found?.reason}`;
}

describe('a domain', () => {
  it('passes every check if everything is published', async () => {
    const checks = await check();
    expect(checks.map(({ name, verdict, reason }) => `${name} ${verdict} ${reason}`)).toEqual([
      'ownership pass ok',
      'dkim pass ok',
      'alignment pass ok',
      'spf pass ok',
      'dmarc pass ok',
      'mx pass ok',
      'from-domain pass ok',
      'ptr pass ok',
      'tls pass ok',
    ]);
  });

  it('fails what it needs if nothing is published, and shows what was asked', async () => {
    const checks = await checkDomain(domain, new FakeDns(), facts);
    expect(checks.map(({ name, verdict, reason }) => `${name} ${verdict} ${reason}`)).toEqual([
      'ownership fail record-missing',
      'dkim fail record-missing',
      'alignment warn dkim-only',
      'spf fail record-missing',
      'dmarc fail record-missing',
      'mx fail record-missing',
      'from-domain fail not-found',
      'ptr fail ptr-missing',
      'tls pass ok',
    ]);
    expect(checks[1]?.evidence).toEqual({
      selector: 'pp2611a',
      queries: [{ query: `TXT pp2611a._domainkey.${domain}`, answer: 'nxdomain' }],
    });
  });

  it('is unknown wherever no name server answers, and never fails', async () => {
    const down = { query: async () => ({ outcome: 'failure' as const }) };
    const checks = await checkDomain(domain, down, facts);
    expect(checks.map(({ verdict, reason }) => `${verdict} ${reason}`)).toEqual([
      ...Array.from({ length: 8 }, () => 'unknown dns-error'),
      'pass ok',
    ]);
  });

  it('is not checked for what is not known', async () => {
    const known = { servers: [], returnPathDomain: undefined, negotiated: undefined, token: undefined };
    const checks = await check({}, known);
    expect(checks.filter(({ reason }) => reason === 'not-checked').map(({ name }) => name)).toEqual([
      'spf',
      'mx',
      'ptr',
      'tls',
    ]);
    expect(checks.map(({ name }) => name)).not.toContain('ownership');
  });

  it('asks each question once, and a bounded number of them', async () => {
    const dns = new FakeDns(goodZone());
    await checkDomain(domain, dns, facts);
    expect(new Set(dns.asked).size).toBe(dns.asked.length);
    const hosts = Array.from({ length: 300 }, (_, index) => `10 mx${index}.council.example`);
    const many = new FakeDns({ ...goodZone(), 'MX bounces.council.example': hosts });
    const servers = Array.from({ length: 200 }, (_, index) => `203.0.113.${index}`);
    const checks = await checkDomain(domain, many, { ...facts, servers, listens: false });
    expect(many.asked.length).toBeLessThanOrEqual(250);
    expect(Math.max(...checks.map(({ evidence }) => JSON.stringify(evidence).length))).toBeLessThanOrEqual(4_096);
    expect(checks.find(({ name }) => name === 'ptr')?.evidence.more_queries).toBeGreaterThan(100);
  });
});

describe('what a domain needs', () => {
  const names = (way: DomainFacts['way'], checks: Check[]) => requiredChecks(way, checks).map(({ name }) => name);

  it('is ownership, its signature and alignment', async () => {
    expect(names('signed-here', await check())).toEqual(['ownership', 'dkim', 'alignment']);
  });

  it('is SPF, too, if the provider signs as itself', async () => {
    const records = [{ type: 'CNAME' as const, name: 'pm.council.example', value: 'pm.provider.example' }];
    const checks = await check({ 'CNAME pm.council.example': ['pm.provider.example'] }, { way: 'provider', records });
    expect(names('provider', checks)).toEqual(['ownership', 'provider-records', 'alignment', 'spf']);
    expect(checks.find(({ name }) => name === 'alignment')?.reason).toBe('spf-only');
  });
});

describe('ownership', () => {
  const name = `TXT _pennypost-challenge.${domain}`;

  it.each([
    ['the token of somebody else', ['pennypost-verification=other'], 'fail token-differs'],
    [
      'beside the token of another installation',
      ['pennypost-verification=other', `pennypost-verification=${token}`],
      'pass ok',
    ],
  ])('%s', async (_, records, expected) => {
    expect(await checkOne('ownership', { [name]: records })).toBe(expected);
  });

  it.each([domain, 'council.example'])('finds the name with %s appended to it', async (zone) => {
    const records = { [name]: [], [`${name}.${zone}`]: [`pennypost-verification=${token}`] };
    expect(await checkOne('ownership', records)).toBe('fail name-doubled');
  });
});

describe('dkim', () => {
  it.each([
    ['p=; v=DKIM1', 'fail wrong-version'],
    ['v=DKIM1; p=', 'fail revoked'],
    ['v=DKIM1; k=rsa', 'fail key-missing'],
    ['v=DKIM1; p=KEY; p=KEY', 'fail syntax'],
    ['v=DKIM1; t=y:s; p=KEY', 'warn testing'],
    ['v=DKIM1; h=sha1; p=KEY', 'fail hash-not-allowed'],
    ['v=DKIM1; h=sha1:sha256; s=*; p=KEY', 'pass ok'],
    ['v=DKIM1; s=other; p=KEY', 'fail not-for-email'],
    ['v=DKIM1; k=ed25519; p=KEY', 'fail wrong-key-type'],
    ['"v=DKIM1; p=KEY"', 'fail quoted'],
    ['a note', 'fail record-missing'],
  ])('%s: %s', async (record, expected) => {
    const records = [record.replaceAll('KEY', publicKey)];
    expect(await checkOne('dkim', { [`TXT pp2611a._domainkey.${domain}`]: records })).toBe(expected);
  });

  it('compares the key with ours', async () => {
    const published = (key: string) => ({ [`TXT pp2611a._domainkey.${domain}`]: [`v=DKIM1; p=${key}`] });
    expect(await checkOne('dkim', published(publicKey.slice(0, 230)))).toBe('fail key-cut');
    expect(await checkOne('dkim', published(shortKey))).toBe('fail key-differs');
  });

  it('takes the key of a relay as it is, if verifiers can use it', async () => {
    const relay = { way: 'relay' as const, keys: [{ selector: 'pp2611a' }] };
    const published = (text: string) => ({ [`TXT pp2611a._domainkey.${domain}`]: [text] });
    expect(await checkOne('dkim', {}, relay)).toBe('pass ok');
    expect(await checkOne('dkim', published(`v=DKIM1; p=${shortKey}`), relay)).toBe('warn short-key');
    expect(await checkOne('dkim', published(`v=DKIM1; k=ed25519; p=${ed25519Key}`), relay)).toBe('pass ok');
    expect(await checkOne('dkim', published(`v=DKIM1; p=${publicKey.slice(0, 230)}`), relay)).toBe('fail key-invalid');
    expect(await checkOne('dkim', published('v=DKIM1; k=dsa; p=AAAA'), relay)).toBe('fail wrong-key-type');
  });

  it('is as bad as the worst of two keys', async () => {
    const keys = [
      { selector: 'pp2611a', publicKey },
      { selector: 'pp2612a', publicKey: shortKey },
    ];
    const checks = await check({}, { keys });
    expect(checks.find(({ name }) => name === 'dkim')).toMatchObject({
      verdict: 'fail',
      reason: 'record-missing',
      evidence: { selector: 'pp2612a' },
    });
  });
});

describe('provider-records', () => {
  const records = [
    { type: 'CNAME' as const, name: `s1._domainkey.${domain}`, value: 'S1.provider.example.' },
    { type: 'MX' as const, name: `bounce.${domain}`, value: '10 in.provider.example' },
  ];
  const published = {
    [`CNAME s1._domainkey.${domain}`]: ['s1.provider.example'],
    [`MX bounce.${domain}`]: ['10 in.provider.example'],
  };
  const way = 'provider' as const;

  it.each([
    ['all are published', published, undefined, 'pass ok'],
    ['the provider has not seen them yet', published, false, 'fail provider-not-verified'],
    [
      'one leads elsewhere',
      { ...published, [`MX bounce.${domain}`]: ['10 other.example'] },
      true,
      'fail record-differs',
    ],
    ['one is missing', { ...published, [`MX bounce.${domain}`]: [] }, true, 'fail record-missing'],
  ])('%s', async (_, zone, isProviderVerified, expected) => {
    expect(await checkOne('provider-records', zone, { way, records, isProviderVerified })).toBe(expected);
  });
});

describe('alignment', () => {
  it.each([
    ['v=DMARC1; p=reject; aspf=s', 'warn dkim-only'],
    ['v=DMARC1; p=reject; adkim=s', 'pass ok'],
  ])('%s: %s', async (record, expected) => {
    expect(await checkOne('alignment', { 'TXT _dmarc.council.example': [record] })).toBe(expected);
  });

  it('fails if the signature and the return path are those of the provider', async () => {
    const records = [{ type: 'TXT' as const, name: 's1._domainkey.provider.example', value: 'p=x' }];
    const changed = { way: 'provider' as const, records, returnPathDomain: 'provider.example' };
    expect(await checkOne('alignment', {}, changed)).toBe('fail not-aligned');
  });
});

describe('spf', () => {
  const name = 'TXT bounces.council.example';
  const chain = (length: number): Zone =>
    Object.fromEntries(
      Array.from({ length }, (_, index) => [
        `TXT s${index}.example`,
        [index + 1 < length ? `v=spf1 include:s${index + 1}.example ?all` : `v=spf1 ip4:${server}`],
      ]),
    );

  it.each<[string, Zone, string]>([
    ['v=spf1 ip4:203.0.113.0/24 -all', {}, 'pass ok'],
    ['v=spf1 ip4:203.0.113.7/33 -all', {}, 'fail syntax'],
    ['v=spf1 ip4:2001:db8::1 -all', {}, 'fail syntax'],
    [`v=spf1 ip4:${server} ipv4:192.0.2.1 -all`, {}, 'fail syntax'],
    [`v=spf1 ip4:${server} include: -all`, {}, 'fail syntax'],
    [`v=spf1 ip4:${server} exp=%{z} -all`, {}, 'fail syntax'],
    ['v=spf1 -all', {}, 'fail not-listed'],
    ['v=spf1', {}, 'fail not-listed'],
    ['v=spf1 all', {}, 'warn allows-everyone'],
    ['v=spf1 include:all.example -all', { 'TXT all.example': ['v=spf1 +all'] }, 'warn allows-everyone'],
    ['v=spf1 ptr -all', {}, 'fail not-listed'],
    ['v=spf1 ptr:council.example -all', {}, 'warn uses-ptr'],
    ['v=spf1 redirect=none.example', {}, 'fail redirect-missing'],
    ['v=spf1 include:none.example -all', {}, 'fail include-missing'],
    ['v=spf1 include:s0.example -all', chain(9), 'warn near-lookup-limit'],
    ['v=spf1 include:s0.example -all', chain(11), 'fail too-many-lookups'],
    ['v=spf1 include:bounces.council.example -all', {}, 'fail too-many-lookups'],
    ['v=spf1 a:one.example a:two.example ip4:203.0.113.7 -all', {}, 'pass ok'],
    ['v=spf1 a:one.example a:two.example mx:three.example ip4:203.0.113.7 -all', {}, 'fail too-many-void-lookups'],
    [
      'v=spf1 exists:%{ir}.%{v}.%{d2}._spf.%{o} -all',
      { 'A 7.113.0.203.in-addr.council.example._spf.bounces.council.example': ['127.0.0.2'] },
      'pass ok',
    ],
    ['v=spf1 a:out.council.example/24 -all', { 'A out.council.example': ['203.0.113.200'] }, 'pass ok'],
    ['v=spf1 mx:council.example -all', { 'MX council.example': ['10 out.council.example'] }, 'pass ok'],
    ['v=spf1 a:down.example -all', { 'A down.example': 'SERVFAIL' }, 'unknown dns-error'],
  ])('%s', async (record, zone, expected) => {
    expect(await checkOne('spf', { [name]: [record], ...zone })).toBe(expected);
  });

  it('refuses two records, and names the server that is not listed', async () => {
    expect(await checkOne('spf', { [name]: ['v=spf1 -all', 'v=spf1 +all'] })).toBe('fail several-records');
    const checks = await check({}, { servers: [server, '2001:db8::25'] });
    expect(checks.find((one) => one.name === 'spf')?.evidence.server).toBe('2001:db8::25');
  });
});

describe('dmarc', () => {
  const own = `TXT _dmarc.${domain}`;

  it.each<[string, Zone, string]>([
    ['none', { [own]: ['v=DMARC1; p=none'] }, 'warn policy-none'],
    ['testing', { [own]: ['v=DMARC1; p=quarantine; t=y'] }, 'warn testing'],
    ['a policy that does not exist, without reports', { [own]: ['v=DMARC1; p=all'] }, 'fail policy-invalid'],
    [
      'a policy that does not exist, with reports',
      { [own]: ['v=DMARC1; p=all; rua=mailto:a@b.example'] },
      'warn policy-invalid',
    ],
    [
      'two records',
      { 'TXT _dmarc.council.example': ['v=DMARC1; p=none', 'v=DMARC1; p=reject'] },
      'fail several-records',
    ],
    [
      'np for a name that does not exist',
      { [`MX ${domain}`]: [], 'TXT _dmarc.council.example': ['v=DMARC1; p=none; np=reject'] },
      'pass ok',
    ],
    [
      'np, and no answer whether the name exists',
      { [`A ${domain}`]: 'TIMEOUT', 'TXT _dmarc.council.example': ['v=DMARC1; p=none; np=reject'] },
      'unknown dns-error',
    ],
  ])('%s', async (_, zone, expected) => {
    expect(await checkOne('dmarc', zone)).toBe(expected);
  });

  it('asks at most eight names on its way up', async () => {
    const dns = new FakeDns();
    await checkDomain(`${'a.'.repeat(40)}council.example`, dns, { ...facts, returnPathDomain: undefined, servers: [] });
    expect(dns.asked.filter((question) => question.startsWith('TXT _dmarc.'))).toHaveLength(8);
  });
});

describe('mx, from-domain, ptr, tls', () => {
  const mx = 'MX bounces.council.example';

  it.each<[CheckName, string, Zone, string]>([
    ['mx', 'a null MX', { [mx]: ['0 '] }, 'fail null-mx'],
    [
      'mx',
      'an alias',
      { 'A in.council.example': [], 'CNAME in.council.example': ['out.council.example'] },
      'warn mx-is-alias',
    ],
    ['mx', 'elsewhere', { [mx]: ['10 out.council.example'] }, 'fail mx-elsewhere'],
    ['mx', 'one is missing', { [mx]: ['10 in.council.example', '20 none.example'] }, 'warn mx-partly-missing'],
    ['mx', 'missing', { 'A in.council.example': [] }, 'fail mx-not-found'],
    ['from-domain', 'a null MX', { [`MX ${domain}`]: ['0 '] }, 'fail null-mx'],
    ['from-domain', 'no mail', { [`MX ${domain}`]: [], [`TXT ${domain}`]: ['x'] }, 'warn no-replies'],
    [
      'ptr',
      'generic',
      { 'PTR 7.113.0.203.in-addr.arpa': ['host-203-0-113-7.example'], 'A host-203-0-113-7.example': [server] },
      'warn ptr-generic',
    ],
    ['ptr', 'not confirmed', { 'A out.council.example': ['203.0.113.8'] }, 'fail ptr-not-confirmed'],
  ])('%s: %s', async (name, _, zone, expected) => {
    expect(await checkOne(name, zone)).toBe(expected);
  });

  it('mx: the server of the installation is expected if it is our listener, and shown in any case', async () => {
    const elsewhere = { [mx]: ['10 out.council.example'] };
    const found = async (changed: Partial<DomainFacts>) => {
      const check = (
        await checkDomain(domain, new FakeDns({ ...goodZone(), ...elsewhere }), { ...facts, ...changed })
      ).find(({ name }) => name === 'mx');
      return [check?.verdict, check?.evidence.expected_host];
    };
    expect(await found({})).toEqual(['fail', 'in.council.example']);
    expect(await found({ listens: false })).toEqual(['pass', 'in.council.example']);
    expect(await found({ bounceDomain: undefined })).toEqual(['pass', undefined]);
    expect(await checkOne('mx', { 'MX mail.example': [] })).toBe('fail mx-elsewhere');
    expect(await checkOne('mx', { 'MX mail.example': [] }, { bounceDomain: 'in.council.example' })).toBe('pass ok');
  });

  it.each([
    ['out.council.example', 'pass ok'],
    ['mail.council.example', 'warn helo-differs'],
    ['[203.0.113.7]', 'fail helo-not-a-name'],
  ])('a server that greets as %s: %s', async (helo, expected) => {
    expect(await checkOne('ptr', {}, { helo })).toBe(expected);
  });

  it.each([
    [null, null, true, 'fail no-tls'],
    [null, null, false, 'warn no-tls'],
    ['TLSv1.1', 'valid', true, 'fail old-tls'],
    ['TLSv1.2', 'CERT_HAS_EXPIRED', true, 'fail certificate'],
    ['TLSv1.2', 'valid', false, 'pass ok'],
  ])('a connection with %s, certificate %s, outside %s: %s', async (tls, certificate, outside, expected) => {
    expect(await checkOne('tls', {}, { negotiated: { tls, certificate, outside } })).toBe(expected);
  });
});

function rsa(modulusLength: number): string {
  return generateKeyPairSync('rsa', { modulusLength })
    .publicKey.export({ type: 'spki', format: 'der' })
    .toString('base64');
}
