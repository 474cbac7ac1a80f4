import { readdirSync, readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { useHarness } from '../../../../../test/kit/harness.ts';
import { startStubGateways } from '../../../../../test/kit/vendors/stub-gateways.ts';
import { aPerson, signedIn } from '../../../../../test/kit/world/console-people.ts';
import type { ConsoleVisitor } from '../../../../../test/kit/world/console-visitor.ts';

const gateways = await startStubGateways();
afterAll(() => gateways.close());

const harness = useHarness({
  now: '2026-11-16T12:00:00Z',
  config: {
    sms: { providers: ['sandbox', 'mmg'] },
    providers: { mmg: { url: `${gateways.url}/mmg`, apiKey: 'right-key' } },
  },
});

let operator: ConsoleVisitor;
let looker: ConsoleVisitor;
beforeAll(async () => {
  operator = await signedIn(
    harness,
    (await aPerson(harness, { email_address: 'ada@example.org', platform_admin: true })).id,
  );
  looker = await signedIn(harness, (await aPerson(harness, { read_only_operator: true })).id);
});

interface Details {
  id: string;
  identifier: string;
  notification_type: string;
  priority: number;
  active: boolean;
  version: number;
}

async function provider(identifier: string, notification_type = 'sms'): Promise<Details> {
  const { body } = await harness.admin('GET', '/provider-details');
  return body.provider_details.find(
    (one: Details) => one.identifier === identifier && one.notification_type === notification_type,
  );
}

const shares = '/console/operator/providers/text-shares';

describe('shares', () => {
  it('change together, with a reason in the history, and failover returns to them', async () => {
    const page = await operator.post(shares, { share_sandbox: '30', share_mmg: '70', reason: 'Cheaper' });
    expect([page.status, page.location]).toEqual([303, '/console/operator/providers']);
    const [sandbox, mmg] = [await provider('sandbox'), await provider('mmg')];
    expect([sandbox.priority, mmg.priority]).toEqual([30, 70]);
    const resting = await harness.app.db
      .selectFrom('provider_details')
      .select('resting_priority')
      .where('id', '=', mmg.id)
      .executeTakeFirstOrThrow();
    expect(resting.resting_priority).toBe(70);
    const { text } = await operator.get(`/console/operator/providers/${mmg.id}`);
    expect(text).toMatch(/70%.*Cheaper.*Ada Lovelace/s);
  });

  it.each([
    [{ share_sandbox: '30', share_mmg: '60' }, { '': 'The shares add up to 90. They must add up to 100.' }],
    [{ share_sandbox: '101', share_mmg: '0' }, { share_sandbox: 'Enter a whole number from 0 to 100.' }],
    [{ share_sandbox: '-1', share_mmg: '99' }, { share_sandbox: 'Enter a whole number from 0 to 100.' }],
    [{ share_mmg: '100' }, { share_sandbox: 'Enter a number from 0 to 100.' }],
  ])('400 for %o; nothing changes', async (form, problems) => {
    const before = await provider('mmg');
    const page = await operator.post(shares, { ...form, reason: 'Try' });
    expect([page.status, page.problems]).toEqual([400, problems]);
    expect(await provider('mmg')).toEqual(before);
  });

  it('400 without a reason; read-only operators change nothing', async () => {
    const page = await operator.post(shares, { share_sandbox: '50', share_mmg: '50' });
    expect(page.problems).toEqual({ reason: 'Enter a reason.' });
    expect((await looker.post(shares, { share_sandbox: '50', share_mmg: '50', reason: 'x' })).status).toBe(403);
    expect((await looker.get('/console/operator/providers')).text).not.toContain('Change shares');
  });
});

describe('pausing', () => {
  it('stops one provider; the last one of a channel stays', async () => {
    const [sandbox, mmg] = [await provider('sandbox'), await provider('mmg')];
    const step = (id: string, name: string, reason = 'Outage') =>
      operator.post(`/console/operator/providers/${id}/${name}`, { reason });
    expect((await step(mmg.id, 'pause', '')).problems).toEqual({ reason: 'Enter a reason.' });
    expect((await step(mmg.id, 'pause')).status).toBe(303);
    expect((await provider('mmg')).active).toBe(false);
    expect((await operator.get('/console/operator/providers')).text).toContain('Paused');
    const refused = await step(sandbox.id, 'pause');
    expect(refused.problems).toEqual({
      reason: 'This is the only provider in use. Resume or connect another one first.',
    });
    expect((await provider('sandbox')).active).toBe(true);
    expect((await step(mmg.id, 'resume')).status).toBe(303);
    expect((await provider('mmg')).active).toBe(true);
  });
});

describe('a test', () => {
  const testOf = async (identifier: string, channel = 'sms') =>
    `/console/operator/providers/${(await provider(identifier, channel)).id}/test`;
  const send = async (identifier: string, channel = 'sms', form = {}) =>
    operator.post(await testOf(identifier, channel), form);

  it('goes to the operator, whatever the form says, and shows what the provider said', async () => {
    expect((await send('sandbox')).text).toContain('Sandbox accepted the message');
    const sent = await send('sandbox', 'email', { recipient: 'somebody@example.org' });
    expect(sent.text).toContain('Sandbox accepted the message');
    const messages = await harness.app.db.selectFrom('sandbox_messages').select('recipient').execute();
    expect(messages.map(({ recipient }) => recipient).sort()).toEqual(['447700900460', 'ada@example.org']);
  });

  it('shows the response of the provider, without secrets', async () => {
    gateways.answer = () => ({ status: 401, body: { Error: 'the key right-key is unknown' } });
    const { text } = await send('mmg');
    expect(text).toContain('MMG did not accept the message');
    expect(text).toMatch(/Its response: .*401 \{&quot;Error&quot;:&quot;the key \[hidden\] is unknown&quot;\}/);
    expect(text).not.toContain('right-key');
  });

  it('is in the audit log, without the recipient', async () => {
    await send('mmg');
    const { body } = await harness.admin('GET', '/platform-admin/audit-log?noun=provider_test');
    const entry = { action: 'create', user_name: 'Ada Lovelace', after: { notification_type: 'sms', provider: 'mmg' } };
    expect(body.data).toContainEqual(expect.objectContaining(entry));
    expect(JSON.stringify(body.data)).not.toContain('447700900460');
  });

  it('403 for read-only operators; 404 for a provider that is not in use', async () => {
    expect((await looker.post(await testOf('sandbox'))).status).toBe(403);
    expect((await send('firetext')).status).toBe(404);
  });

  it('leads a person without a number to the account', async () => {
    const person = await aPerson(harness, { platform_admin: true, mobile_number: null, auth_type: 'email_auth' });
    const browser = await signedIn(harness, person.id);
    const page = await browser.get(await testOf('sandbox'));
    expect(page.text).toContain('href="/console/account/mobile"');
    expect(page.text).not.toContain('Send a test to me</button>');
    expect((await browser.post(await testOf('sandbox'))).status).toBe(400);
  });
});

describe('settings', () => {
  const pageOf = async (identifier: string, channel = 'sms') =>
    operator.get(`/console/operator/providers/${(await provider(identifier, channel)).id}`);

  it('say what is set, never a value', async () => {
    const { text } = await pageOf('mmg');
    expect(text).toMatch(/<code>MMG_API_KEY<\/code><\/th><td[^>]*><span[^>]*>Set</);
    expect(text).toMatch(/<code>MMG_INBOUND_AUTH<\/code><\/th><td[^>]*><span[^>]*>Not set</);
    expect(text).not.toContain('right-key');
    expect(text).not.toContain('How to connect');
  });

  it.each([
    [
      'twilio',
      'sms',
      'SMS_PROVIDERS=mmg,twilio\nTWILIO_ACCOUNT_SID=&lt;SID of the Twilio account>\nTWILIO_AUTH_TOKEN=',
    ],
    ['smtp', 'email', 'EMAIL_PROVIDERS=smtp\nEMAIL_DOMAIN='],
    ['smtp', 'email', '\nSMTP_URL=smtps://user:password@mail.example:465<'],
    ['ses', 'email', '\nSES_TOPIC_ARNS='],
    ['dvla', 'letter', 'PRINT_HAND_OFF=sftp\nPRINT_SFTP_URL=sftp://notify@sftp.printer.example/letters\n'],
  ])('say how to connect %s of %s', async (identifier, channel, expected) => {
    const { text } = await pageOf(identifier, channel);
    expect(text).toContain('How to connect');
    expect(text).toContain(expected);
  });

  it('lead to the guide of the provider, if there is one', async () => {
    expect((await pageOf('smtp', 'email')).text).toContain('<a href="/console/operator/providers/guides/smtp">');
    expect((await pageOf('dvla', 'letter')).text).toContain('<a href="/console/operator/providers/guides/sftp">');
    expect((await pageOf('twilio')).text).not.toContain('guides/');
    for (const unknown of ['twilio', '..%2Foperating', 'generic-http.example']) {
      expect((await operator.get(`/console/operator/providers/guides/${unknown}`)).status).toBe(404);
    }
  });
});

describe('the guide to', () => {
  const guides = readdirSync('docs/guides/providers').filter((file) => file.endsWith('.md'));

  it.each(guides)('%s is a page, and no mark of Markdown is left', async (file) => {
    const { text, status } = await looker.get(`/console/operator/providers/guides/${file.replace('.md', '')}`);
    const guide = readFileSync(`docs/guides/providers/${file}`, 'utf8');
    expect(status).toBe(200);
    const [, main = ''] = text.split('<main');
    expect(main).toContain('<code>docs/configuration.md</code>');
    expect(main.match(/<(?:h2|table|pre)\b/g)).toEqual(expect.arrayContaining(['<h2', '<table', '<pre']));
    const prose = main.replaceAll(/<(pre|code)\b[\s\S]*?<\/\1>/g, '').replaceAll(/<[^>]*>/g, '\n');
    expect(prose).not.toMatch(/`|\]\(|\*\*|^\s*(?:#+|-|\d+\.) |\|/m);
    // A bar inside a cell would begin another one.
    for (const table of guide.match(/(?:^\|.*\n)+/gm) ?? []) {
      const lengths = table
        .trim()
        .split('\n')
        .map((row) => row.split('|').length);
      expect(new Set(lengths).size).toBe(1);
    }
  });
});

describe('the next message', () => {
  it('goes by shares and states', async () => {
    await operator.post(shares, { share_sandbox: '30', share_mmg: '70', reason: 'Try' });
    const { text } = await operator.get('/console/operator/providers');
    expect(text).toMatch(
      /The next text message goes to one of these, chosen at random: MMG \(70%\), Sandbox \(30%\)\./,
    );
    expect(text).toContain('The next email goes to Sandbox.');
    expect(text).toContain('The next letter stays in the sandbox.');
    await operator.post(shares, { share_sandbox: '0', share_mmg: '100', reason: 'Try' });
    expect((await operator.get('/console/operator/providers')).text).toContain('The next text message goes to MMG.');
  });
});
