import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import PostalMime from 'postal-mime';
import { describe, expect, it } from 'vitest';
import { mimeOf } from './mime.ts';
import type { EmailMessage } from './provider.ts';

const now = new Date('2026-11-15T12:00:00Z');

function aMessage(fields: Partial<EmailMessage> = {}): EmailMessage {
  return {
    reference: '0193a1f0-0000-7000-8000-000000000001',
    from: { name: 'Permits', address: 'permits@notifications.example' },
    to: 'ada@example.org',
    reply_to: 'reply@example.org',
    subject: 'About engines',
    text: 'Hello Ada\n',
    html: '<p style="color: #0B0C0C;">Hello Ada</p>\n',
    unsubscribe_url: 'https://example.org/stop',
    ...fields,
  };
}

const bodies = {
  'plain text': 'Hello\n',
  'equals signs': `${'a=b '.repeat(60)}\n`,
  'a line of every length': `${Array.from({ length: 160 }, (_, length) => 'x'.repeat(length)).join('\n')}\n`,
  'characters of two bytes at the end of lines': `${'é'.repeat(3)}${'x'.repeat(900)}é${'y'.repeat(63)}é\n`,
  'characters of four bytes': `${'Hello there, how are you? '.repeat(9)}👋 ${'x'.repeat(64)}👋\n`,
  'mostly other scripts': `${'你好，世界。'.repeat(90)}\n`,
  'spaces and tabs before line breaks': 'a \nb\t\n \n\t\nc  d \n',
  'dots and From at the start of lines': '.\n..\nFrom here\n--=_\n',
  'more than one piece': `${'<td style="padding: 0">£5 – “now”</td>'.repeat(20_000)}\n`,
  'more than one piece of another script': `${'你好，世界。\n'.repeat(20_000)}`,
};

describe('an email as MIME', () => {
  it.each(Object.entries(bodies))('is read as it was written: %s', async (_, body) => {
    const source = await mimeOf(aMessage({ text: body, html: body }), now);
    const { text, html } = await PostalMime.parse(source);
    // The parser adds the line break before a boundary.
    expect(text?.trimEnd()).toBe(body.trimEnd());
    expect(html?.trimEnd()).toBe(body.trimEnd());
    const lines = source.toString().split('\r\n');
    expect(lines.filter((line) => line.length > 76 || /[^\t\x20-\x7e]|[\t ]$/.test(line))).toEqual([]);
  });

  it('has a line break for each kind of line break, and other carriage returns encoded', async () => {
    const source = await mimeOf(aMessage({ text: 'a\r\nb\nc\rd\r' }), now);
    expect(source.toString()).toContain('\r\n\r\na\r\nb\r\nc=0Dd=0D\r\n--=_');
  });

  it('carries files of every size in lines that mail servers take', async () => {
    const sizes = [1, 57, 58, 57 * 1_024, 57 * 1_024 + 1, 300_000];
    const attachments = sizes.map((size) => ({
      filename: `${size} octets “é”.pdf`,
      mime_type: 'application/pdf',
      content: Buffer.from(Array.from({ length: size }, (_, at) => at % 251)),
    }));
    const source = await mimeOf(aMessage({ attachments }), now);
    const email = await PostalMime.parse(source);
    expect([email.text?.trim(), email.html?.trim()]).toEqual(['Hello Ada', aMessage().html.trim()]);
    expect(email.attachments.map(({ filename, mimeType }) => [filename, mimeType])).toEqual(
      attachments.map(({ filename, mime_type }) => [filename, mime_type]),
    );
    for (const [index, { content }] of email.attachments.entries()) {
      expect(attachments[index]?.content.equals(Buffer.from(content as ArrayBuffer))).toBe(true);
    }
    const lines = source.toString().split('\r\n');
    expect(lines.filter((line) => line.length > 76 || /[^\t\x20-\x7e]/.test(line))).toEqual([]);
  });

  it('splits no character at the end of a line', async () => {
    for (let offset = 0; offset < 80; offset++) {
      const source = await mimeOf(aMessage({ text: `${'x'.repeat(offset)}👋${'y'.repeat(100)}\n` }), now);
      expect(source.toString()).toContain('=F0=9F=91=8B');
    }
  });

  it.each([
    ['ordinary', {}],
    ['neither a reply-to address nor an unsubscribe URL', { reply_to: null, unsubscribe_url: null }],
    ['a long subject', { subject: 'Your appointment has been moved to another day, please read this '.repeat(3) }],
    ['a subject outside ASCII', { subject: '£5 – “now” 你好 👋'.repeat(5) }],
    ['a subject with a line break', { subject: 'a\r\nBcc: eve@example.org' }],
    ['a name that needs quotes', { from: { name: 'A "B" \\ C, D', address: 'a@notifications.example' } }],
    ['a name outside ASCII', { from: { name: 'Trwyddedau Tŷ Ŵyn', address: 'a@notifications.example' } }],
    ['an address in another script', { to: 'ada@jõgeva.example' }],
    ['a local part outside ASCII', { to: 'jõgeva@example.org' }],
    ['a long unsubscribe URL', { unsubscribe_url: `https://example.org/${'x'.repeat(200)}` }],
  ])('has the headers that nodemailer composes: %s', async (_, fields) => {
    const { reference, from, to, reply_to, subject, text, html, unsubscribe_url } = aMessage(fields);
    const composed = await new MailComposer({
      text,
      html,
      messageId: `<${reference}@notifications.example>`,
      date: now,
      from,
      to,
      subject,
      ...(reply_to ? { replyTo: reply_to } : {}),
      headers: unsubscribe_url
        ? { 'List-Unsubscribe': `<${unsubscribe_url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' }
        : {},
    })
      .compile()
      .build();
    const headers = (source: Buffer) => source.toString().split('\r\nContent-Type:')[0];
    expect(headers(await mimeOf(aMessage(fields), now))).toBe(headers(composed));
  });
});
