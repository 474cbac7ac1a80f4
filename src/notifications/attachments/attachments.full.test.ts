import PostalMime from 'postal-mime';
import { beforeAll, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate } from '../../../test/kit/builders/rows.ts';
import { expectError } from '../../../test/kit/builders/sends.ts';
import { type Answer, useHarness } from '../../../test/kit/harness.ts';
import { findSentEmail } from '../../delivery/sandbox/email-sources.ts';
import { deleteFilesWithoutMessage } from '../unconfirmed-files.ts';
import { deleteUnneededAttachments } from './attachments.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  // It has no contact link, which links of the protocol need and these do not.
  service = await aService(harness, { name: 'Permits' });
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'Hello' });
});

const base64 = (content: string | Buffer) => Buffer.from(content).toString('base64');
const aFile = (fields: object = {}) => ({
  file: base64('Text content here'),
  filename: 'report.txt',
  sending_method: 'attach',
  ...fields,
});

function send(personalisation: object, change: object = {}, as = key): Promise<Answer> {
  return harness.v2('POST', '/v2/notifications/email', as, {
    email_address: 'ada@example.org',
    template_id,
    personalisation,
    ...change,
  });
}

const aTemplateWith = (content: string) =>
  aTemplate(harness, service, { template_type: 'email', subject: 's', content });

async function received(id: string) {
  const email = await findSentEmail(harness.app, id);
  if (!email) throw new Error('The sandbox has no such email');
  const { attachments } = await PostalMime.parse(email.source);
  const files = attachments.map(({ filename, mimeType, disposition, content }) => ({
    filename,
    mimeType,
    disposition,
    content: Buffer.from(content as ArrayBuffer).toString(),
  }));
  return { email, files };
}

const storedPaths = () => [...harness.files.kept.keys()].filter((path) => path.startsWith(`attachments/${service}/`));

async function attachmentRows(): Promise<number> {
  const { rows } = await harness.app.pool.query('select from attachments where service_id = $1', [service]);
  return rows.length;
}

describe('POST /v2/notifications/email with an attachment', () => {
  it('201: the file is stored encrypted before the response, sent with the email, and deleted once the message is final', async () => {
    const sent = await send({ doc: aFile() });
    expect([sent.status, sent.body.content.body]).toEqual([201, 'Hello']);
    const [path = ''] = storedPaths();
    expect(harness.files.kept.get(path)?.toString('latin1')).not.toContain('Text content');
    const { rows } = await harness.app.pool.query('select n::text from notifications n where id = $1', [sent.body.id]);
    expect(JSON.stringify(rows)).not.toMatch(/report\.txt|VGV4dCBjb250/);

    await deleteUnneededAttachments(harness.app);
    expect(storedPaths()).toEqual([path]);
    await harness.deliver();
    const { email, files } = await received(sent.body.id);
    expect(files).toEqual([
      { filename: 'report.txt', mimeType: 'text/plain', disposition: 'attachment', content: 'Text content here' },
    ]);
    expect(email.text).toContain('Hello');
    expect(email.attachments).toEqual([{ filename: 'report.txt', mime_type: 'text/plain', size_in_bytes: 17 }]);
    const read = await harness.v2('GET', `/v2/notifications/${sent.body.id}`, key);
    expect(read.body).toMatchObject({ body: 'Hello', status: 'sending' });

    await deleteUnneededAttachments(harness.app);
    expect(storedPaths()).toEqual([path]);
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    await deleteUnneededAttachments(harness.app);
    expect([storedPaths(), await attachmentRows()]).toEqual([[], 0]);
  });

  it('201 with ten files in the order of their keys, under any name', async () => {
    const names = [
      'a.csv',
      'été “x” 你好.txt',
      '../../etc/passwd',
      'x\r\nBcc: eve@example.org',
      `${'n'.repeat(251)}.txt`,
    ];
    const files = Object.fromEntries(
      Array.from({ length: 10 }, (_, index) => [
        `d${index}`,
        aFile({ filename: names[index] ?? `f${index}.txt`, is_csv: true, file: base64(`content ${index}`) }),
      ]),
    );
    const { status, body } = await send(files);
    expect(status).toBe(201);
    await harness.deliver();
    const { files: got, email } = await received(body.id);
    expect(got.map(({ content }) => content)).toEqual(Array.from({ length: 10 }, (_, index) => `content ${index}`));
    expect(got.slice(0, 5).map(({ filename }) => filename)).toEqual([
      'a.csv',
      'été “x” 你好.txt',
      '.._.._etc_passwd',
      'xBcc: eve@example.org',
      `${'n'.repeat(251)}.txt`,
    ]);
    expect(got[0]?.mimeType).toBe('text/csv');
    expect(email.headers.map(({ name }) => name)).not.toContain('Bcc');
    expect(
      email.source
        .toString('latin1')
        .split('\r\n')
        .filter((line) => line.length > 78),
    ).toEqual([]);
  });

  it.each([
    ['an old Word file', 'a.doc', '0M8R4KGxGuEAAAAAAAAAAA==', 'application/msword'],
    ['an old workbook', 'a.xls', '0M8R4KGxGuEAAAAAAAAAAA==', 'application/vnd.ms-excel'],
    ['a PDF under another name', 'a.txt', base64('%PDF-1.5'), 'application/pdf'],
    ['a name without an extension', 'report', base64('text'), 'text/plain'],
    ['JSON that is called text', 'a.txt', base64('{"a":1}'), 'text/plain'],
    ['text that is called JSON', 'a.json', base64('a,b'), 'text/plain'],
  ])('201 with the type of the content: %s', async (_, filename, file, type) => {
    const { status, body } = await send({ doc: aFile({ filename, file }) });
    expect(status).toBe(201);
    await harness.deliver();
    expect((await received(body.id)).files.map(({ mimeType }) => mimeType)).toEqual([type]);
  });

  it('201 with 10 MiB, and 400 with a byte more', { timeout: 60_000 }, async () => {
    const size = 10 * 1024 * 1024;
    const { status, body } = await send({ doc: aFile({ filename: 'big.txt', file: base64('a'.repeat(size)) }) });
    expect(status).toBe(201);
    await harness.deliver();
    expect((await received(body.id)).files[0]?.content.length).toBe(size);
    expectError(
      await send({ doc: aFile({ filename: 'big.txt', file: base64('a'.repeat(size + 1)) }) }),
      400,
      'ValidationError',
      'doc : File size for big.txt is 10485761 and greater than allowed limit of 10485760.',
    );
  });

  it('201 under the name of a placeholder, which is empty then', async () => {
    const see = await aTemplateWith('See ((doc)) and ((link))');
    const personalisation = { doc: aFile(), link: aFile({ sending_method: 'link' }) };
    const { status, body } = await send(personalisation, { template_id: see });
    expect(status).toBe(201);
    expect(body.content.body).toMatch(/^See {2}and http:\/\/localhost:6011\/d\/[\w-]{22}\/[\w-]{22}\?key=[\w-]{43}$/);
    await harness.deliver();
    const { files, email } = await received(body.id);
    expect(files.map(({ filename }) => filename)).toEqual(['report.txt']);
    expect(email.links).toEqual([body.content.body.slice('See  and '.length)]);
  });

  it('201 the same response for a repeated request, with one message and one file', async () => {
    const before = storedPaths().length;
    const once = () =>
      harness.request({
        method: 'POST',
        url: '/v2/notifications/email',
        headers: { authorization: `Bearer ${key}`, 'idempotency-key': 'with-a-file' },
        payload: { email_address: 'ada@example.org', template_id, personalisation: { doc: aFile() } },
      });
    const [first, second] = [await once(), await once()];
    expect([first.status, second.status, second.body]).toEqual([201, 201, first.body]);
    expect(storedPaths().length).toBe(before + 1);
  });

  it('201 to a simulated address stores nothing', async () => {
    const before = storedPaths().length;
    const { status } = await send(
      { doc: aFile() },
      { email_address: 'simulate-delivered@notifications.service.gov.uk' },
    );
    expect([status, storedPaths().length]).toEqual([201, before]);
  });

  it('201 with a test key: nothing is sent, and the file is deleted', async () => {
    const test = await anApiKey(harness, service, { key_type: 'test' });
    expect((await send({ doc: aFile() }, {}, test)).status).toBe(201);
    await harness.deliver();
    harness.clock.advance({ seconds: 1 });
    await harness.deliver();
    await deleteUnneededAttachments(harness.app);
    expect(storedPaths()).toEqual([]);
  });

  it.each<[string, object, string[]]>([
    ['no filename', { filename: undefined }, ['filename is a required property']],
    ['another method', { sending_method: 'attch' }, ['attch is not one of [attach, link]']],
    ['no method', { sending_method: null }, ['None is not of type string', 'None is not one of [attach, link]']],
    ['a short name', { filename: '1' }, ['1 is too short']],
    ['an empty name', { filename: '' }, [' is too short']],
    ['a long name', { filename: 'a'.repeat(256) }, [`${'a'.repeat(256)} is too long`]],
    ['a number', { file: 1 }, ['1 is not of type string']],
    ['no file', { file: undefined }, ['file is a required property']],
  ])('400 for %s, also in a link with a name', async (_, fields, problems) => {
    const { status, body } = await send({ doc: aFile(fields), again: aFile(fields), name: 'Ada' });
    expect([status, body.errors]).toEqual([
      400,
      problems.map((problem) => ({ error: 'ValidationError', message: `personalisation ${problem}` })),
    ]);
  });

  it('400 with the problems of all fields in their order', async () => {
    const personalisation = { a: aFile({ filename: '1' }), b: aFile({ sending_method: 'x' }) };
    const { body } = await send(personalisation, { reference: 1, scheduled_for: 'soon' });
    expect(body.errors.map(({ message }: { message: string }) => message.slice(0, 40))).toEqual([
      'reference 1 is not of type string',
      'personalisation 1 is too short',
      'personalisation x is not one of [attach,',
      'scheduled_for datetime format is invalid',
    ]);
  });

  it.each([
    ['abc', 'Incorrect padding'],
    ['abcde', 'Invalid base64-encoded string: number of data characters (5) cannot be 1 more than a multiple of 4'],
    ['é', 'string argument should contain only ASCII characters'],
  ])('400 for what is no base64: %s', async (file, reason) => {
    const message = `doc : ${reason} : Error decoding base64 field`;
    expectError(await send({ doc: aFile({ file }) }), 400, 'ValidationError', message);
  });

  it('400 for eleven files', async () => {
    const files = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`d${index}`, aFile()]));
    const message = 'File number exceed allowed limits of 10 with number of 11.';
    expectError(await send(files), 400, 'ValidationError', message);
  });

  it('400 for other types and empty files, and nothing is stored', async () => {
    const before = storedPaths().length;
    const { body } = await send({ doc: aFile({ filename: 'a.zip', file: 'UEsDBAoAAAAAAA==' }) });
    expect(body.errors[0].message).toMatch(
      /^Unsupported file type 'application\/zip'\. Supported types are: .*'\.xls'$/,
    );
    expectError(await send({ doc: aFile({ file: '' }) }), 400, 'BadRequestError', 'Document must not be empty');
    expect(storedPaths().length).toBe(before);
  });

  it('400 for a virus', async () => {
    const message = 'File did not pass the virus scan';
    expectError(await send({ doc: aFile({ file: base64('EICAR') }) }), 400, 'BadRequestError', message);
  });

  it('400 in a text message', async () => {
    const text = await aTemplate(harness, service, { template_type: 'sms', content: 'Hello' });
    const body = {
      phone_number: '07700900123',
      template_id: text,
      personalisation: { doc: { sending_method: 'link' } },
    };
    const response = await harness.v2('POST', '/v2/notifications/sms', key, body);
    expectError(response, 400, 'BadRequestError', 'Can only send a file by email');
  });

  it('400 where attachments are switched off, and 201 for a link', async () => {
    const without = await harness.anotherProcess({ email: { attachments: false } });
    const post = (sending_method: string) =>
      without.v2('POST', '/v2/notifications/email', key, {
        email_address: 'ada@example.org',
        template_id,
        personalisation: { doc: aFile({ sending_method }) },
      });
    expectError(await post('attach'), 400, 'BadRequestError', 'Service is not allowed to send documents');
    expect((await post('link')).status).toBe(201);
  });
});

describe('POST /v2/notifications/email with a link to a file', () => {
  it('201 with a link for a week that asks no address, unless the request says otherwise', async () => {
    const here = await aTemplateWith('Document: ((doc))');
    const link = async (fields: object) => {
      const { body } = await send({ doc: aFile({ sending_method: 'link', ...fields }) }, { template_id: here });
      const { pathname, search } = new URL(body.content.body.slice('Document: '.length));
      return (await harness.request({ method: 'GET', url: `${pathname}${search}` })).text;
    };
    expect(await link({})).toMatch(/Download your file[\s\S]*report\.txt[\s\S]*23 November 2026/);
    expect(await link({ filename: undefined })).toContain('Download your file');
    expect(await link({ confirm_email_before_download: true, retention_period: '2 weeks' })).toMatch(
      /Confirm your email address[\s\S]*30 November 2026/,
    );
  });

  it('201 to a simulated address with an example', async () => {
    const { body } = await send(
      { doc: { file: 'abababab', sending_method: 'link' } },
      {
        template_id: await aTemplateWith('Document: ((doc))'),
        email_address: 'simulate-delivered@notifications.service.gov.uk',
      },
    );
    expect(body.content.body).toBe(`Document: http://localhost:6011/services/${service}/documents/test-document`);
  });
});

describe('attachments', () => {
  it('are deleted when their message was never stored', async () => {
    const limited = await aService(harness, { email_message_limit: 1, name: 'One a day' });
    const as = await anApiKey(harness, limited);
    const template = await aTemplate(harness, limited, { template_type: 'email', subject: 's', content: 'Hello' });
    const results = await Promise.all(
      Array.from({ length: 3 }, () => send({ doc: aFile() }, { template_id: template }, as)),
    );
    expect(results.map(({ status }) => status).sort()).toEqual([201, 429, 429]);
    const paths = [...harness.files.kept.keys()].filter((path) => path.startsWith(`attachments/${limited}/`));
    expect(paths).toHaveLength(1);
    harness.clock.advance({ hours: 2 });
    await deleteFilesWithoutMessage(harness.app);
    expect(harness.files.kept.has(paths[0] ?? '')).toBe(true);
  });

  it('are erased with their recipient, and with their message', async () => {
    const { body } = await send({ doc: aFile() }, { email_address: 'grace@example.org' });
    const [path = ''] = storedPaths().slice(-1);
    await harness.app.pool.query(`update notifications set status = 'permanent-failure' where id = $1`, [body.id]);
    await harness.app.pool.query('delete from delivery_queue where notification_id = $1', [body.id]);
    const erasure = await harness.admin('POST', '/platform-admin/erase-recipient', { recipient: 'grace@example.org' });
    expect([erasure.body.erased.documents, harness.files.kept.has(path)]).toEqual([1, false]);

    const other = await send({ doc: aFile() });
    await harness.app.pool.query('delete from notifications where id = $1', [other.body.id]);
    await deleteUnneededAttachments(harness.app);
    expect(storedPaths()).toEqual([]);
  });

  it('that are missing keep the message waiting', async () => {
    const { body } = await send({ doc: aFile() });
    for (const path of storedPaths()) harness.files.kept.delete(path);
    await harness.deliver();
    const { rows } = await harness.app.pool.query('select status from notifications where id = $1', [body.id]);
    expect(rows).toEqual([{ status: 'created' }]);
  });
});
