import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { plainMarkdown } from './html-text.ts';
import { readMail } from './mail-worker.ts';

const read = (...lines: string[]) => readMail(Buffer.from(lines.join('\r\n'), 'latin1'), true);
const bodyOf = async (...lines: string[]) => {
  const mail = await read('Subject: x', ...lines);
  return typeof mail === 'string' ? mail : mail.body;
};

describe('the content of a part', () => {
  const base64 = (text: string) => Buffer.from(text).toString('base64');

  it.each<[string, string, string[]]>([
    ['base64 in lines', 'base64', (base64('Grüße '.repeat(40)).match(/.{1,76}/g) ?? []) as string[]],
    ['base64 that is padded in every line', 'BASE64', [base64('a'), base64('bc'), '', base64('def')]],
    ['base64 with other characters between', 'base64', ['YW Jj!', '-- \t', 'ZGVm', '=']],
    ['base64 that is cut off', 'base64', ['YWJjZ']],
    ['no base64', 'base64', ['', '====', '']],
    ['plain lines', '8bit', ['one', '', ' two', '', '']],
    ['plain lines that look like a boundary', '7bit', ['--', '--bb', '--c', 'x']],
    ['an unknown encoding', 'x-uuencode', ['begin 644 x', 'end']],
    ['nothing', '7bit', []],
  ])('is that of the library: %s', async (_, encoding, lines) => {
    const part = (type: string) => [
      '--b',
      `Content-Type: ${type}`,
      `Content-Transfer-Encoding: ${encoding}`,
      '',
      ...lines,
    ];
    const head = ['Subject: x', 'Content-Type: multipart/mixed; boundary=b', '', 'Preamble'];
    const source = [...head, ...part('text/plain; charset=utf-8'), ...part('application/pdf'), '--b--', 'Epilogue'];
    const mail = await read(...source);
    const expected = await PostalMime.parse(Buffer.from(source.join('\r\n'), 'latin1'));
    const files = expected.attachments.map(({ content }) => Buffer.from(content as ArrayBuffer).toString('base64'));
    expect(mail).toMatchObject({ files: files.map((content) => ({ content })) });
    expect(typeof mail === 'string' ? mail : mail.body).toBe(plainMarkdown(expected.text ?? ''));
  });

  it('is left out where attachments do not become links, and its parts still count', async () => {
    const file = ['--b', 'Content-Type: application/pdf; name=a.pdf', '', 'x', '--', 'y'];
    const head = ['Subject: x', 'Content-Type: multipart/mixed; boundary=b', '', '--b', '', 'Text'];
    const source = Buffer.from([...head, ...file, ...file, '--b--'].join('\r\n'));
    expect(await readMail(source, false)).toMatchObject({
      body: 'Text',
      files: [
        { name: 'a.pdf', content: '' },
        { name: 'a.pdf', content: '' },
      ],
    });
  });
});

describe('a text that does not name its encoding', () => {
  it('is UTF-8 if it can be, else that of Windows', async () => {
    expect(await bodyOf('', 'na\xc3\xafve')).toBe('naïve');
    expect(await bodyOf('', 'na\xefve')).toBe('naïve');
    expect(
      await bodyOf('Content-Transfer-Encoding: base64', '', Buffer.from('na\xefve', 'latin1').toString('base64')),
    ).toBe('naïve');
    expect(await bodyOf('Content-Type: text/plain; charset=utf-8', '', 'na\xefve')).toBe('na\ufffdve');
  });

  it('is the same if it names ASCII, which cannot be right', async () => {
    for (const charset of ['us-ascii', '"US-ASCII"', 'ascii']) {
      const header = `Content-Type: text/plain; charset=${charset}`;
      expect(await bodyOf(header, '', 'na\xc3\xafve')).toBe('naïve');
      expect(await bodyOf(header, '', 'na\xefve')).toBe('naïve');
    }
  });

  it('has headers of the same kind', async () => {
    expect(await read('Subject: na\xc3\xafve', '', 'x')).toHaveProperty('subject', 'naïve');
    expect(await read('Subject: na\xefve', '', 'x')).toHaveProperty('subject', 'naïve');
  });
});

it('letters of Windows are read, in any encoding and place', async () => {
  const header = 'Content-Type: text/plain; charset=windows-1252';
  expect(await bodyOf(header, '', 'It\x92s 5 \x80')).toBe('It’s 5 €');
  expect(await bodyOf('', 'It\x92s 5 \x80')).toBe('It’s 5 €');
  expect(await bodyOf('Content-Type: text/plain; charset=x-unknown', '', 'It\x92s 5 \x80')).toBe('It’s 5 €');
  expect(await bodyOf(header, 'Content-Transfer-Encoding: quoted-printable', '', 'It=92s 5 =80')).toBe('It’s 5 €');
  expect(await bodyOf('Content-Type: text/html; charset=iso-8859-1', '', '<p>It\x92s 5 &#128;')).toBe('It’s 5 €');
  expect(await read('Subject: =?windows-1252?Q?It=92s?= \x80', '', 'x')).toHaveProperty('subject', 'It’s €');
});

describe('limits', () => {
  const multipart = (parts: number) => {
    const part = ['--b', 'Content-Type: text/plain', '', 'x'];
    return read('Content-Type: multipart/mixed; boundary="b"', '', ...Array(parts).fill(part).flat(), '--b--');
  };
  const nested = (depth: number) => {
    const layers = Array.from({ length: depth }, (_, level) => [
      `Content-Type: multipart/mixed; boundary="b${level}"`,
      '',
      `--b${level}`,
    ]);
    return read(...layers.flat(), '', 'x');
  };

  it('are 100 parts, 10 levels and 25 servers on the way', async () => {
    expect(await multipart(100)).toHaveProperty('body');
    expect(await multipart(101)).toBe('parts');
    expect(await nested(10)).toHaveProperty('body', 'x');
    expect(await nested(11)).toBe('broken');
    const received = (count: number) => read(...Array(count).fill('received : from a by b'), '', 'x');
    expect(await received(25)).toHaveProperty('body', 'x');
    expect(await received(26)).toBe('loop');
  });

  it('are 256 KiB of headers, in one line or in many', async () => {
    expect(await bodyOf(`X-Long: ${'x'.repeat(250_000)}`, '', 'x')).toBe('x');
    expect(await bodyOf(`X-Long: ${'x'.repeat(1_000_000)}`, '', 'x')).toBe('broken');
    expect(await bodyOf(`X-Long: ${'x\r\n '.repeat(250_000)}x`, '', 'x')).toBe('broken');
  });

  it('are not spent on lists of addresses: only From is used, up to 1,000 characters', async () => {
    const from = async (value: string) => (await read(`From: ${value}`, '', 'x')) as { from?: string };
    expect(await from('"Alarm, Ltd" <alarm@example.org>')).toHaveProperty('from', 'alarm@example.org');
    expect(await from(`${'x'.repeat(1_000)} <alarm@example.org>`)).toHaveProperty('from', undefined);
    const time = async (name: string) => {
      const begun = performance.now();
      await read(`${name}: ${'a:'.repeat(15_000)}`, '', 'x');
      return performance.now() - begun;
    };
    const other = await time('X-Other');
    for (const name of ['From', 'To', 'Cc', 'Reply-To']) expect(await time(name), name).toBeLessThan(50 + 5 * other);
  });

  it('count lines of a text that are empty', async () => {
    expect(await bodyOf('', '\r\n'.repeat(3_100_000))).toBe('text');
  });

  it('are not reached by a text about emails', async () => {
    const log = Array.from({ length: 200 }, (_, part) => `Content-Type: multipart/mixed; boundary=part${part}`);
    expect(await bodyOf('', ...log)).toContain('boundary=part199');
  });
});

it('bytes that no text can have are left out: NUL, as it is or encoded', async () => {
  const mail = await read(
    ...['Subject: =?utf-8?Q?a=00b?=', 'X-Pennypost-Reference: a\0b', 'X-Pennypost-Template: =?utf-8?Q?c=00d?='],
    ...['From: a\0b@example.org', 'Message-ID: <a\0b@example.org>', '', 'The d\0oor'],
  );
  expect(mail).toMatchObject({ subject: 'ab', reference: 'ab', template_name: 'cd', body: 'The door' });
  expect(JSON.stringify(mail)).not.toContain('\\u0000');
});
