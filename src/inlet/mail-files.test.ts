import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../test/kit/builders/rows.ts';
import { useHarness } from '../../test/kit/harness.ts';
import { SmtpClient } from '../../test/kit/vendors/smtp-client.ts';
import { type Inlet, openInlet } from './inlet.ts';

const harness = useHarness({
  config: { inlet: { listen: { host: '127.0.0.1', port: 0 }, plainLoopback: true } },
});
let inlet: Inlet;
const clients: SmtpClient[] = [];

beforeAll(async () => {
  const opened = await openInlet(harness.app);
  if (!opened) throw new Error('The inlet is off');
  inlet = opened;
});

afterAll(async () => {
  for (const client of clients) client.close();
  await inlet?.close();
});

async function aServiceThat(smtp_files: string) {
  const of = await aService(harness, { permissions: ['email', 'smtp'], contact_link: 'help@example.org' });
  await harness.admin('POST', `/service/${of}`, { smtp_files });
  harness.app.changeListener.reset();
  const apiKey = await anApiKey(harness, of, { send_over_smtp: true });
  const client = await SmtpClient.signedIn(inlet.port, apiKey);
  clients.push(client);
  const messages = harness.app.db.selectFrom('notifications').select('id').where('service_id', '=', of);
  /** The body of the message that the reply names, or the reply. */
  const bodyAfter = async (source: string) => {
    const reply = await client.send(source, 'ada@example.org');
    const [, id] = /Queued as (\S+)$/.exec(reply) ?? [];
    return id === undefined ? reply : (await harness.v2('GET', `/v2/notifications/${id}`, apiKey)).body.body;
  };
  return { of, client, messages, bodyAfter };
}

interface File {
  name?: string;
  type?: string;
  content?: string | Buffer;
}

const pdf = '%PDF-1.4';

function withFiles(...files: File[]): string {
  const parts = files.map(({ name, type = 'application/pdf', content = pdf }) => [
    ...[
      '--b',
      `Content-Type: ${type}`,
      `Content-Disposition: attachment${name === undefined ? '' : `; filename="${name}"`}`,
    ],
    ...[
      'Content-Transfer-Encoding: base64',
      '',
      ...(Buffer.from(content)
        .toString('base64')
        .match(/.{1,76}/g) ?? []),
    ],
  ]);
  const head = [
    'From: alarm@example.org',
    'Subject: Door',
    'MIME-Version: 1.0',
    'Content-Type: multipart/mixed; boundary=b',
  ];
  return [...head, '', '--b', 'Content-Type: text/plain', '', 'Text', ...parts.flat(), '--b--'].join('\r\n');
}

const csv = withFiles({ name: 'report.csv', type: 'text/csv', content: 'a,b\r\n1,2' });
const withPicture = [
  ...['Subject: x', 'MIME-Version: 1.0', 'Content-Type: multipart/related; boundary=b', ''],
  ...['--b', 'Content-Type: text/html', '', '<p>Hi <img src="cid:1"></p>'],
  ...[
    '--b',
    'Content-Type: image/png',
    'Content-ID: <1>',
    'Content-Transfer-Encoding: base64',
    '',
    'iVBORw0KGgo=',
    '--b--',
  ],
].join('\r\n');

describe('attachments of a service that removes them', () => {
  it('are named in the email, whatever their names', async () => {
    const { bodyAfter } = await aServiceThat('drop');
    expect(await bodyAfter(csv)).toBe('Text\n\nAttachments removed: report.csv');
    const names = [
      '../../etc/passwd',
      'C:\\\\Users\\\\me\\\\a.txt',
      '=?utf-8?Q?a=0D=0A=00b.pdf?=',
      '[x](http://evil.example).pdf',
      `${'🔔'.repeat(60)}abc.pdf`,
    ];
    expect(await bodyAfter(withFiles(...names.map((name) => ({ name })), {}))).toBe(
      `Text\n\nAttachments removed: passwd, a.txt, a b.pdf, evil.example).pdf, ${'🔔'.repeat(46)}abc.pdf, file-6`,
    );
    expect(await bodyAfter(withPicture)).toBe('Hi\n\nAttachments removed: file-1');
  });
});

describe('attachments of a service that links to them', () => {
  it('become links for each recipient, which lead to the file', async () => {
    const { of, client, bodyAfter } = await aServiceThat('link');
    const body = await bodyAfter(csv);
    expect(body).toMatch(/^Text\n\nreport\.csv: http\S+\/d\/\S+$/);
    const [, path = ''] = /http:\/\/[^/]+(\/d\/\S+)$/.exec(body) ?? [];
    expect((await harness.request({ method: 'GET', url: path })).status).toBe(200);
    await client.send(csv, 'ada@example.org', 'bob@example.org');
    const documents = harness.app.db.selectFrom('documents').select('id').where('service_id', '=', of);
    expect(await documents.execute()).toHaveLength(3);
  });

  it('have the type of their content if they have no name with an ending', async () => {
    const { of, bodyAfter } = await aServiceThat('link');
    expect(await bodyAfter(withPicture)).toMatch(/^Hi\n\nfile-1: http\S+$/);
    expect(await bodyAfter(withFiles({ name: 'scan' }, { name: 'a/b/plan.PDF' }))).toMatch(
      /^Text\n\nscan: http\S+\n\nplan\.PDF: http\S+$/,
    );
    const documents = harness.app.db.selectFrom('documents').selectAll().where('service_id', '=', of).orderBy('id');
    expect((await documents.execute()).map(({ file_extension }) => file_extension)).toEqual(['png', 'pdf', 'pdf']);
  });

  const large = Buffer.alloc(2 * 1024 * 1024, pdf);

  it.each<[string, string, string | RegExp]>([
    ['a program', withFiles({ name: 'setup.exe' }), /^554 5\.6\.0 Unsupported file type '\.exe'/],
    ['an unknown content', withFiles({ content: '\x01\x02' }), /^554 5\.6\.0 Unsupported file type/],
    ['nothing', withFiles({ name: 'a.pdf', content: '' }), '554 5.6.0 Document must not be empty'],
    [
      'more than 2 MB',
      withFiles({ content: Buffer.alloc(2_200_000, pdf) }),
      '552 5.3.4 An attachment is larger than 2 MB',
    ],
    ['eleven', withFiles(...Array<File>(11).fill({})), '554 5.7.1 At most 10 attachments are accepted'],
    [
      'a virus',
      withFiles({ content: ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD-', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('') }),
      '554 5.6.0 File did not pass the virus scan',
    ],
  ])('are refused: %s', async (_, source, expected) => {
    const { of, bodyAfter, messages } = await aServiceThat('link');
    expect(await bodyAfter(source)).toEqual(typeof expected === 'string' ? expected : expect.stringMatching(expected));
    expect(await messages.execute()).toEqual([]);
    const refused = await harness.admin('GET', `/service/${of}/refused-requests`);
    expect(refused.body.refused_requests).toMatchObject([{ path: 'SMTP', errors: [{ error: 'SMTP' }] }]);
  });

  it('are refused if they are too large for all recipients together, or the template has no place for them', async () => {
    const { of, client, bodyAfter, messages } = await aServiceThat('link');
    const many = Array.from({ length: 18 }, (_, index) => `person${index}@example.org`);
    const three = withFiles(...Array<File>(3).fill({ content: large }));
    expect(await client.send(three, ...many)).toBe('552 5.3.4 The attachments are too large for so many recipients');
    const texts = { name: 'Short', subject: '((subject))', content: '((body))' };
    await aTemplate(harness, of, { template_type: 'email', ...texts });
    expect(await bodyAfter(csv.replace('MIME-Version', 'X-Pennypost-Template: Short\r\nMIME-Version'))).toBe(
      '554 5.6.0 The template has no place for attachments: add ((file_1))',
    );
    expect(await messages.execute()).toEqual([]);
  });
});

it('attachments of another service are refused, pictures in the text too', async () => {
  const { bodyAfter } = await aServiceThat('refuse');
  for (const source of [csv, withPicture])
    expect(await bodyAfter(source)).toBe('554 5.7.1 Attachments are not accepted');
});
