import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { processorTimeSince_ms, quadratic_ms } from '../../test/kit/process/processor-time.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { findSource } from '../delivery/sandbox/email-sources.ts';
import { ownMailHeader, ownMailMark } from '../notifications/sending/over-smtp.ts';
import { newId } from '../platform/id.ts';
import { SecretBox } from '../platform/secrets/secrets.ts';
import { type Inlet, openInlet } from './inlet.ts';

const harness = useHarness({
  config: { inlet: { listen: { host: '127.0.0.1', port: 0 }, plainLoopback: true } },
});
let inlet: Inlet;
let service: string;
let key: string;
let client: SmtpClient;

beforeAll(async () => {
  const opened = await openInlet(harness.app);
  if (!opened) throw new Error('The inlet is off');
  inlet = opened;
  service = await aService(harness, { permissions: ['email', 'smtp'] });
  key = await anApiKey(harness, service, { send_over_smtp: true });
  client = await SmtpClient.signedIn(inlet.port, key);
});

afterAll(async () => {
  client?.close();
  await inlet?.close();
});

const send = (...headers: string[]) =>
  client.send(
    ['From: desk@example.org', 'Subject: Ticket', ...headers, '', 'It is solved'].join('\r\n'),
    'ada@example.org',
  );

const idIn = (answer: string) => /^250 2\.0\.0 Queued as (\S+)$/.exec(answer)?.[1] ?? answer;

/** What goes to the provider, each header on one line. */
async function sourceOf(id: string): Promise<string> {
  await harness.deliver();
  return String(await findSource(harness.app, id)).replaceAll(/\r\n[ \t]+/g, ' ');
}

const nameOf = (line: string) => line.split(':')[0] ?? '';
const kept = /^(?:In-Reply-To|References|Auto-Submitted|List-|X-Mailer|Bcc)/i;

async function keptOf(...headers: string[]): Promise<string[]> {
  const [head = ''] = (await sourceOf(idIn(await send(...headers)))).split('\r\n\r\n');
  return head.split('\r\n').filter((line) => kept.test(line));
}

const recordOf = async (id: string) => (await harness.admin('GET', `/service/${service}/notifications/${id}`)).body;

describe('headers of the received email', () => {
  it('that say to which conversation it belongs are on the one that goes out, and no others', async () => {
    const sent = [
      'In-Reply-To: <2@desk.example>',
      'References: <1@desk.example> <2@desk.example>',
      'Auto-Submitted: auto-generated',
    ];
    const others = ['List-Unsubscribe: <https://desk.example/stop>', 'List-Id: desk', 'X-Mailer: desk'];
    expect((await keptOf(...sent, ...others)).sort()).toEqual(sent.toSorted());
  });

  it('are absent if it has none, and from messages of the API', async () => {
    expect(await keptOf()).toEqual([]);
    const template_id = await aTemplate(harness, service, { template_type: 'email', subject: 'x', content: 'x ((n))' });
    const personalisation = { n: '1', '(smtp)': { 'In-Reply-To': '<1@a.example>' } };
    const request = { template_id, email_address: 'ada@example.org', personalisation };
    const { body } = await harness.v2('POST', '/v2/notifications/email', key, request);
    const [head = ''] = (await sourceOf(body.id)).split('\r\n\r\n');
    expect(head.split('\r\n').map(nameOf)).not.toContain('In-Reply-To');
    expect(head).not.toContain(ownMailHeader);
    expect(await recordOf(body.id)).not.toHaveProperty('created_via');
  });

  const manyIds = Array.from({ length: 100 }, (_, index) => `<${index}@desk.example>`);
  it.each<[string, string, string[]]>([
    ['folded', 'References: <1@a.example>\r\n <2@a.example>', ['References: <1@a.example> <2@a.example>']],
    ['with comments', 'In-Reply-To: your (nice) mail <1@a.example> of today', ['In-Reply-To: <1@a.example>']],
    ['of no id', 'In-Reply-To: your mail of today', []],
    ['with an id that is too long', `In-Reply-To: <${'x'.repeat(300)}@a.example>`, []],
    ['outside ASCII', 'In-Reply-To: <jõgeva@a.example> <2@a.example>', ['In-Reply-To: <2@a.example>']],
    ['with control characters', 'In-Reply-To: <1\u0000\u0007@a.example>', []],
    [
      'in encoded words',
      'In-Reply-To: =?utf-8?Q?<1@a.example>=0D=0ABcc:_eve@example.org?=',
      ['In-Reply-To: <1@a.example>'],
    ],
    [
      'with encoded line ends in an id',
      `References: <=?utf-8?Q?=0D=0ABcc:?=@a.example>`,
      ['References: <=?utf-8?Q?=0D=0ABcc:?=@a.example>'],
    ],
    ['with parameters', 'Auto-Submitted: auto-replied; owner-email="a@b.example"', ['Auto-Submitted: auto-replied']],
    ['of another kind', 'Auto-Submitted: =?utf-8?Q?auto=0D=0ABcc?=', []],
    ['that is empty', 'Auto-Submitted:', []],
    [
      'with too many ids',
      `References: ${manyIds.join('\r\n ')}`,
      [expect.stringMatching(/^References: <0@.*<99@\S+$/)],
    ],
  ])('%s', async (_, header, expected) => {
    const found = await keptOf(header);
    expect(found).toEqual(expected);
    expect(found.join().length).toBeLessThanOrEqual('References: '.length + 870);
  });
});

it('an id that never ends takes no time', async () => {
  const before = process.cpuUsage();
  expect(await keptOf(...Array(25).fill(`References: <${'a@'.repeat(490)}`))).toEqual([]);
  expect(await keptOf(`References: ${`<${'a@'.repeat(490)}\r\n `.repeat(25)}x`)).toEqual([]);
  expect(processorTimeSince_ms(before)).toBeLessThan(quadratic_ms);
});

describe('the record of an email', () => {
  it('says that it arrived over SMTP, also with a template that it names; its values are those of the template', async () => {
    await aTemplate(harness, service, {
      ...{ template_type: 'email', name: 'Desk', subject: '((subject))', content: '((body))' },
    });
    const hidden = await recordOf(idIn(await send('Auto-Submitted: no')));
    expect(hidden.created_via).toBe('smtp');
    expect(hidden.personalisation).not.toHaveProperty('(smtp)');
    const id = idIn(await send('X-Pennypost-Template: Desk', 'References: <1@a.example>'));
    expect(await recordOf(id)).toMatchObject({ created_via: 'smtp', body: 'It is solved' });
    expect((await recordOf(id)).personalisation).toEqual({ subject: 'Ticket', body: 'It is solved' });
    const { body } = await harness.v2('GET', `/v2/notifications/${id}`, key);
    expect(JSON.stringify(body)).not.toMatch(/smtp|1@a\.example/i);
  });
});

describe('an email of ours whose Message-ID a provider has replaced', () => {
  const returned = async (id: string) => {
    const line = (await sourceOf(id)).split('\r\n').find((each) => each.startsWith(ownMailHeader));
    return line ?? '';
  };

  it('is a loop', async () => {
    const mark = await returned(idIn(await send()));
    expect(mark).toMatch(/^X-Pennypost-Message: [0-9a-f-]{36}\.[0-9a-z]{16}$/);
    const other = 'Message-ID: <0102019a@eu-west-2.amazonses.com>';
    expect(await send(mark, other)).toBe('554 5.4.6 Loop');
    expect(await send(mark.toUpperCase(), other)).toBe('554 5.4.6 Loop');
  });

  it('is none if it is of another installation, or made up', async () => {
    const id = newId(harness.clock.now());
    const others = new SecretBox(['the secret key of another installation']);
    for (const mark of [ownMailMark(others, id), `${id}.0123456789abcdef`, id, '', 'x'.repeat(5_000)])
      expect(await send(`${ownMailHeader}: ${mark}`)).toMatch(/^250/);
  });
});
