import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { anApiKey, aService, aTemplate, aUser } from '../../test/kit/builders/rows.ts';
import { type Answer, adminToken, useHarness } from '../../test/kit/harness.ts';

const harness = useHarness({ now: '2026-11-16T12:00:00Z' });
let service: string;
let key: string;
let template_id: string;

beforeAll(async () => {
  service = await aService(harness, { name: 'Parks & "Gardens"', contact_link: 'help@example.org' });
  key = await anApiKey(harness, service);
  template_id = await aTemplate(harness, service, { template_type: 'email', subject: 's', content: 'Here: ((link))' });
});

beforeEach(() => harness.clock.set('2026-11-16T12:00:00Z'));

const base64 = (text: string) => Buffer.from(text).toString('base64');

function send(link: unknown, change: object = {}, as = key): Promise<Answer> {
  return harness.v2('POST', '/v2/notifications/email', as, {
    email_address: 'Ada@example.org',
    template_id,
    personalisation: { link },
    ...change,
  });
}

/** Sends a file and returns the path of its page. */
async function sentFile(file: object): Promise<{ page: string; file: string; key: string }> {
  const { body } = await send(file);
  const url = new URL(body.content.body.slice('Here: '.length));
  const [, , serviceId = '', documentId = ''] = url.pathname.split('/');
  const id = (short: string) =>
    Buffer.from(short, 'base64url')
      .toString('hex')
      .replace(/(.{8})(.{4})(.{4})(.{4})(.{12})/, '$1-$2-$3-$4-$5');
  const secret = url.searchParams.get('key') ?? '';
  return {
    page: `${url.pathname}${url.search}`,
    file: `/services/${id(serviceId)}/documents/${id(documentId)}`,
    key: secret,
  };
}

function get(url: string, headers: Record<string, string> = {}): Promise<Answer> {
  return harness.request({ method: 'GET', url, headers });
}

function confirm(page: string, address: string): Promise<Answer> {
  const headers = { 'content-type': 'application/x-www-form-urlencoded' };
  return harness.request({
    method: 'POST',
    url: page,
    headers,
    payload: new URLSearchParams({ email_address: address }).toString(),
  });
}

describe('POST /v2/notifications/email with a file', () => {
  it('201 with a link in place of the file, which is stored encrypted', async () => {
    const { status, body } = await send({ file: base64('foo-bar-baz') });
    expect(status).toBe(201);
    expect(body.content.body).toMatch(/^Here: http:\/\/localhost:6011\/d\/[\w-]{22}\/[\w-]{22}\?key=[\w-]{43}$/);
    const [path] = [...harness.files.kept.keys()].slice(-1);
    expect(path).toMatch(new RegExp(`^documents/${service}/`));
    expect(harness.files.kept.get(path ?? '')?.toString('latin1')).not.toContain('foo-bar-baz');
    const rows = await harness.app.db.selectFrom('documents').selectAll().where('service_id', '=', service).execute();
    const secret = body.content.body.slice(-43);
    expect(JSON.stringify(rows)).not.toContain(secret);
    const read = await harness.v2('GET', `/v2/notifications/${body.id}`, key);
    expect(read.body.body).toBe(body.content.body);
  });

  it('201 for the request of the official client, also under an unused placeholder', async () => {
    const file = {
      file: base64('%PDF-1.5 testpdf'),
      filename: null,
      confirm_email_before_download: null,
      retention_period: null,
    };
    expect((await send('text', { personalisation: { link: 'x', documents: file } })).status).toBe(201);
    expect((await send({ ...file, filename: 'report.csv', retention_period: ' 4 WEEKS ' })).status).toBe(201);
  });

  it('201 for an object without `file`, which is a plain value', async () => {
    expect((await send({ filename: 'x' })).body.content.body).toBe('Here: {"filename":"x"}');
  });

  it.each<[Record<string, unknown>, string[]]>([
    [{ file: false }, ['file False is not of type string']],
    [{ file: '', other: 1 }, ['Additional properties are not allowed (other was unexpected)']],
    [
      { file: 5, b: 1, a: 1 },
      ['Additional properties are not allowed (a, b were unexpected)', 'file 5 is not of type string'],
    ],
    [{ file: 'x', is_csv: 'bad' }, ['is_csv Unsupported value for is_csv: bad. Use a boolean true or false value.']],
    [
      { file: 'x', confirm_email_before_download: 'potato' },
      [
        'confirm_email_before_download Unsupported value for confirm_email_before_download: potato. Use a boolean true or false value.',
      ],
    ],
    [
      { file: 'x', retention_period: '9999 weeks' },
      [
        'retention_period Unsupported value for retention_period: 9999 weeks. Supported periods are from 1 to 78 weeks.',
      ],
    ],
    [
      { file: 'x', retention_period: '0 weeks' },
      ['retention_period Unsupported value for retention_period: 0 weeks. Supported periods are from 1 to 78 weeks.'],
    ],
    [
      { file: 'x', retention_period: false },
      ['retention_period Unsupported value for retention_period: False. Supported periods are from 1 to 78 weeks.'],
    ],
    [
      { file: 'x', filename: 'report' },
      ['filename `filename` must end with a file extension. For example, filename.csv'],
    ],
    [{ file: 'x', filename: null, is_csv: null }, ['Do not set a value for `is_csv` if `filename` is set.']],
  ])('400 for %j', async (file, messages) => {
    const response = await send(file);
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual(messages.map((message) => ({ error: 'ValidationError', message })));
  });

  const types =
    "Supported types are: '.csv', '.doc', '.docx', '.jpeg', '.jpg', '.json', '.odt', '.pdf', '.png', '.rtf', '.txt', '.xlsx'";
  it.each<[string, Record<string, unknown>, string]>([
    ['not base64', { file: 'not base64!' }, 'Document is not base64 encoded'],
    ['empty', { file: '' }, 'Document must not be empty'],
    [
      'too large',
      { file: Buffer.alloc(2 * 1024 * 1024 + 1025, 'x').toString('base64') },
      'Uploaded file exceeds file size limit',
    ],
    [
      'infected',
      { file: base64(['X5O!P%@AP[4\\PZX54(P^)7CC)7}$EICAR-STANDARD', 'ANTIVIRUS-TEST-FILE!$H+H*'].join('-')) },
      'File did not pass the virus scan',
    ],
    [
      'a long name',
      { file: 'aGk=', filename: `${'x'.repeat(97)}.csv` },
      '`filename` cannot be longer than 100 characters',
    ],
    ['an extension', { file: 'aGk=', filename: 'x.ZIP' }, `Unsupported file type '.zip'. ${types}`],
    ['content', { file: base64('PK\x03\x04 some archive') }, `Unsupported file type 'application/zip'. ${types}`],
    ['bytes', { file: base64('\x00\x01\x02') }, `Unsupported file type 'application/octet-stream'. ${types}`],
  ])('400 because of %s', async (_what, file, message) => {
    const response = await send(file);
    expect(response.status).toBe(400);
    expect(response.body.errors).toEqual([{ error: 'BadRequestError', message }]);
  });

  it('400 when the service has no contact link; errors of the file come first', async () => {
    const silent = await aService(harness);
    const silentKey = await anApiKey(harness, silent);
    const template = await aTemplate(harness, silent, { template_type: 'email', subject: 's', content: '((link))' });
    const bad = await send({ file: 5 }, { template_id: template }, silentKey);
    expect(bad.body.errors[0].message).toBe('file 5 is not of type string');
    const response = await send({ file: 'aGk=' }, { template_id: template }, silentKey);
    expect(response.body.errors).toEqual([
      {
        error: 'BadRequestError',
        message: `Send files by email has not been set up - add contact details for your service at http://localhost:6011/console/services/${silent}/service-settings/send-files-by-email`,
      },
    ]);
  });

  it('201 with an example link for a simulated recipient; stores nothing', async () => {
    const before = harness.files.kept.size;
    const response = await send({ file: 'aGk=' }, { email_address: 'simulate-delivered@notifications.service.gov.uk' });
    expect(response.body.content.body).toBe(`Here: http://localhost:6011/services/${service}/documents/test-document`);
    expect(harness.files.kept.size).toBe(before);
  });
});

describe('files of a template', () => {
  it('201 with a separate link per recipient; the file is stored once', async () => {
    const template = await aTemplate(harness, service, {
      template_type: 'email',
      subject: 's',
      content: 'Read ((terms.pdf)) or ((Price List.csv))',
    });
    const author = await aUser(harness);
    for (const [filename, link_text] of [
      ['terms.pdf', 'the terms'],
      ['price list.csv', null],
    ]) {
      const added = await harness.admin('POST', `/service/${service}/templates/${template}/template_email_files`, {
        filename,
        link_text,
        created_by_id: author,
        content: base64(`content of ${filename}`),
        validate_users_email: false,
        pending: false,
      });
      expect(added.status).toBe(201);
    }
    const before = harness.files.kept.size;
    const sent = () => send('unused', { template_id: template, personalisation: {} });
    const { status, body } = await sent();
    expect(status).toBe(201);
    const link = 'http://localhost:6011/d/[\\w-]{22}/[\\w-]{22}\\?key=[\\w-]{43}';
    expect(body.content.body).toMatch(new RegExp(`^Read \\[the terms\\]\\(${link}\\) or ${link}$`));
    expect((await sent()).body.content.body).not.toBe(body.content.body);
    expect(harness.files.kept.size).toBe(before);

    const url = new URL(/\((http[^)]*)\)/.exec(body.content.body)?.[1] ?? '');
    const page = await get(url.pathname + url.search);
    expect(page.text).toContain('terms.pdf');
    const file = new URL(/href="([^"]*\/documents\/[^"]*)"/.exec(page.text)?.[1]?.replaceAll('&amp;', '&') ?? '');
    expect((await get(file.pathname + file.search)).text).toBe('content of terms.pdf');
    const other = Buffer.alloc(32).toString('base64url');
    expect((await get(`${file.pathname}?key=${other}`)).status).toBe(403);
  });
});

describe('downloading', () => {
  it('200 with a page, then the file, when confirmation is off', async () => {
    const {
      page,
      file,
      key: secret,
    } = await sentFile({
      file: base64('foo-bar-baz'),
      filename: 'my résumé.txt',
      confirm_email_before_download: false,
      retention_period: '1 week',
    });
    const response = await get(page);
    expect(response.status).toBe(200);
    expect(response.headers['content-security-policy']).toContain("default-src 'none'");
    expect(response.text).toContain('Parks &amp; &quot;Gardens&quot;');
    expect(response.text).toContain('23 November 2026');
    expect(response.text).toContain('my résumé.txt');
    expect(response.text).toContain('mailto:help@example.org');
    const link = /href="([^"]*\/documents\/[^"]*)"/.exec(response.text)?.[1]?.replaceAll('&amp;', '&') ?? '';
    expect(new URL(link).pathname).toBe(`${file}.txt`);
    const downloaded = await get(new URL(link).pathname + new URL(link).search);
    expect(downloaded.status).toBe(200);
    expect(downloaded.text).toBe('foo-bar-baz');
    expect(downloaded.headers['content-type']).toContain('text/plain');
    expect(downloaded.headers['content-disposition']).toBe(
      `attachment; filename="my r_sum_.txt"; filename*=UTF-8''my%20r%C3%A9sum%C3%A9.txt`,
    );
    expect((await get(`${file}/check?key=${secret}`)).body).toEqual({
      document: {
        direct_file_url: `http://localhost:6011${file}.txt?key=${secret}`,
        confirm_email: false,
        size_in_bytes: 11,
        file_extension: 'txt',
        filename: 'my résumé.txt',
        available_until: '2026-11-23',
      },
    });
  });

  it.each([
    ['plans (1).txt', `attachment; filename="plans (1).txt"`],
    ["it's (a) plan.txt", `attachment; filename="it_s (a) plan.txt"; filename*=UTF-8''it%27s%20%28a%29%20plan.txt`],
  ])('is downloaded with the name %s', async (filename, expected) => {
    const { file, key } = await sentFile({ file: base64('x'), filename, confirm_email_before_download: false });
    expect((await get(`${file}?key=${key}`)).headers['content-disposition']).toBe(expected);
  });

  it('asks for the email address first by default', async () => {
    const { page, file, key: secret } = await sentFile({ file: base64('a,b'), is_csv: true });
    expect((await get(page)).text).toContain('Confirm your email address');
    const direct = await get(`${file}.csv?key=${secret}`);
    expect(direct.status).toBe(302);
    expect(direct.headers.location).toBe(`http://localhost:6011${page}`);

    const wrong = await confirm(page, 'foo@bar.com');
    expect(wrong.status).toBe(403);
    expect(wrong.text).toContain('not the email address the file was sent to');
    const right = await confirm(page, ' ADA@example.org');
    expect(right.status).toBe(200);
    const link = new URL(/href="([^"]*\/documents\/[^"]*)"/.exec(right.text)?.[1]?.replaceAll('&amp;', '&') ?? '');
    expect((await get(link.pathname + link.search)).text).toBe('a,b');
    harness.clock.advance({ hours: 1, seconds: 1 });
    expect((await get(link.pathname + link.search)).status).toBe(302);
  });

  it('POST …/authenticate: 200, 403 and 429', async () => {
    const { file, key: secret } = await sentFile({ file: base64('x') });
    const authenticate = (body: object) =>
      harness.request({ method: 'POST', url: `${file}/authenticate`, payload: JSON.stringify(body) });
    expect((await authenticate({ email_address: 'ada@example.org' })).body).toEqual({
      error: 'Missing decryption key',
    });
    const right = await authenticate({ key: secret, email_address: 'Ada@Example.org' });
    expect(right.status).toBe(200);
    const cookie = `a=b; document_access_signed_data=${right.body.signed_data}`;
    expect((await get(`${file}?key=${secret}`, { cookie })).text).toBe('x');
    const wrong = await authenticate({ key: secret, email_address: 'eve@example.org' });
    expect(wrong.status).toBe(403);
    expect(wrong.body).toEqual({ error: 'Authentication failure' });
    for (let tries = 2; tries < 50; tries += 1) await authenticate({ key: secret, email_address: 'eve@example.org' });
    expect((await authenticate({ key: secret, email_address: 'ada@example.org' })).status).toBe(429);
    harness.clock.advance({ minutes: 5, seconds: 1 });
    expect((await authenticate({ key: secret, email_address: 'ada@example.org' })).status).toBe(200);
  });

  it('400, 403, 404 and 410', async () => {
    const { page, file, key: secret } = await sentFile({ file: base64('x'), confirm_email_before_download: false });
    expect((await get(file)).body).toEqual({ error: 'Missing decryption key' });
    const other = Buffer.alloc(32).toString('base64url');
    expect((await get(`${file}?key=${other}`)).status).toBe(403);
    expect((await get(page.replace(secret, other))).status).toBe(404);
    expect((await get(page.split('?')[0] ?? '')).status).toBe(404);
    expect((await get(`/services/${service}/documents/test-document?key=x`)).status).toBe(404);
    expect((await get('/d/x/y?key=z')).status).toBe(404);
    harness.clock.set('2027-05-17T12:00:00Z');
    expect((await get(`${file}?key=${secret}`)).status).toBe(410);
    const gone = await get(page);
    expect(gone.status).toBe(410);
    expect(gone.text).toContain('No longer available');
    // Without the key, an expired link looks like any other wrong link.
    expect((await get(`${file}?key=${other}`)).status).toBe(403);
    for (const url of [page.replace(secret, other), page.split('?')[0] ?? '']) {
      const [response, nothing] = [await get(url), await get('/d/x/y?key=z')];
      expect([response.status, response.text]).toEqual([404, nothing.text]);
    }
  });
});

describe('the pages of a file in other languages', () => {
  const abroad = useHarness({ now: '2026-11-16T12:00:00Z', environment: { LANGUAGES: 'en,en-XA,ar-XB' } });

  it('are in the language of the browser, with the names as they are', async () => {
    const owner = await aService(abroad, { name: 'Parks & "Gardens"', contact_link: 'https://example.org/help' });
    const template = await aTemplate(abroad, owner, { template_type: 'email', subject: 's', content: 'At: ((link))' });
    const link = { file: base64('a,b'), filename: 'plan.csv', confirm_email_before_download: false };
    const { body } = await abroad.v2('POST', '/v2/notifications/email', await anApiKey(abroad, owner), {
      ...{ email_address: 'ada@example.org', template_id: template, personalisation: { link } },
    });
    const { pathname, search } = new URL(body.content.body.slice('At: '.length));
    const read = (url: string, language: string) =>
      abroad.request({ method: 'GET', url, headers: { 'accept-language': language } });
    const page = await read(pathname + search, 'en-XA');
    expect(page.text).toContain('<html lang="en-XA"><head>');
    expect(page.text).toContain('<h1>[Ðöŵñļöåð ýöûŕ fîļé');
    expect(page.text).toContain('<p>[<b>Parks &amp; &quot;Gardens&quot;</b> šéñţ ýöû å fîļé.');
    expect(page.text).toContain('<dd>[3 ƀýţéš ~~~]</dd>');
    expect(page.text).toContain('<a href="https://example.org/help">çöñţåçţ Parks &amp; &quot;Gardens&quot;</a>');
    expect(page.headers.vary).toBe('accept-language');
    const missing = await read(`/d/${'A'.repeat(22)}/${'A'.repeat(22)}?key=x`, 'ar-XB');
    expect([missing.status, /<html lang="ar-XB" dir="rtl">/.test(missing.text)]).toEqual([404, true]);
    expect((await read(pathname + search, 'fr')).text).toContain('<dd>3 bytes</dd>');
  });

  describe('of an email whose template has several', () => {
    let owner: string;
    let created_by: string;
    let template: string;

    beforeAll(async () => {
      const permissions = ['email', 'template_languages'];
      created_by = await aUser(abroad);
      owner = await aService(abroad, { permissions, contact_link: 'help@example.org', created_by_id: created_by });
      const text = { subject: 's', content: 'At: ((link)) ((rules.pdf))' };
      const made = await abroad.admin('POST', `/service/${owner}/template`, {
        ...{ name: 'Plans', template_type: 'email', created_by, ...text },
        languages: {
          default: 'en-XA',
          variants: [
            { language: 'ar-XB', ...text },
            { language: 'nl', ...text },
          ],
        },
      });
      template = made.body.data.id;
      const added = await abroad.admin('POST', `/service/${owner}/templates/${template}/template_email_files`, {
        ...{ filename: 'rules.pdf', link_text: null, created_by_id: created_by, content: base64('%PDF-') },
        ...{ validate_users_email: false, pending: false },
      });
      expect(added.status, JSON.stringify(added.body)).toBe(201);
    });

    const pagesIn = (body: string) =>
      [...body.matchAll(/http\S+/g)].map(([link]) => new URL(link)).map(({ pathname, search }) => pathname + search);

    async function sentIn(language: string | undefined): Promise<string[]> {
      const { status, body } = await abroad.v2('POST', '/v2/notifications/email', await anApiKey(abroad, owner), {
        ...{ email_address: 'ada@example.org', template_id: template, ...(language ? { language } : {}) },
        personalisation: { link: { file: base64('a,b'), filename: 'plan.csv', retention_period: '1 week' } },
      });
      expect(status, JSON.stringify(body)).toBe(201);
      return pagesIn(body.content.body);
    }

    const languageOf = ({ text }: Answer) => /<html lang="([^"]*)"/.exec(text)?.[1];
    const readIn = async (page: string) =>
      languageOf(await abroad.request({ method: 'GET', url: page, headers: { 'accept-language': 'en' } }));

    it.each([
      ['ar-XB', 'ar-XB'],
      [undefined, 'en-XA'],
      // Nobody can choose Dutch here.
      ['nl', 'en'],
    ])('sent in %s: are in %s, and the link says nothing of it', async (language, expected) => {
      const pages = await sentIn(language);
      expect(await Promise.all(pages.map(readIn))).toEqual([expected, expected]);
      for (const page of pages) expect(page).toMatch(/^\/d\/[\w-]{22}\/[\w-]{22}\?key=[\w-]{43}$/);
    });

    it('on every step: wrong address, right address, too many attempts, too late', async () => {
      const [page = ''] = await sentIn('ar-XB');
      const confirmAs = async (email_address: string) => {
        const headers = { 'content-type': 'application/x-www-form-urlencoded' };
        const payload = new URLSearchParams({ email_address }).toString();
        const response = await abroad.request({ method: 'POST', url: page, headers, payload });
        return [response.status, languageOf(response)];
      };
      expect(await confirmAs('eve@example.org')).toEqual([403, 'ar-XB']);
      expect(await confirmAs('ada@example.org')).toEqual([200, 'ar-XB']);
      for (let tries = 2; tries < 50; tries += 1) await confirmAs('eve@example.org');
      expect(await confirmAs('ada@example.org')).toEqual([429, 'ar-XB']);
      const wrongKey = page.replace(/key=.*/, `key=${Buffer.alloc(32).toString('base64url')}`);
      expect(await readIn(wrongKey)).toBe('en');
      abroad.clock.advance({ days: 8 });
      expect(await readIn(page)).toBe('ar-XB');
      abroad.clock.set('2026-11-16T12:00:00Z');
    });

    it('sent as a row of a file: are in the language of the row', async () => {
      const rows = 'email address,link,message language\nada@example.org,x,ar-XB\nbob@example.org,x,\n';
      const search = new URLSearchParams({ template_id: template, filename: 'people.csv' });
      const headers = { authorization: `Bearer ${adminToken(abroad.clock)}`, 'content-type': 'text/csv' };
      const url = `/service/${owner}/upload?${search}`;
      const { id } = (await abroad.request({ method: 'POST', url, headers, payload: rows })).body.data;
      expect((await abroad.admin('POST', `/service/${owner}/job`, { id, created_by })).status).toBe(201);
      await abroad.runTasks();
      const { body } = await abroad.admin('GET', `/service/${owner}/job/${id}/notifications`);
      const pages = body.notifications.flatMap((one: { body: string }) => pagesIn(one.body));
      expect(await Promise.all(pages.map(readIn))).toEqual(['ar-XB', 'en-XA']);
    });
  });
});
