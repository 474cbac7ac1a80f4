import { createHash, type KeyObject, verify } from 'node:crypto';

/** Reads the DKIM signature of an email, and verifies it as a receiver does (RFC 6376, relaxed/relaxed). */
export function readSignature(text: string, publicKey: KeyObject): { tags: Record<string, string>; isValid: boolean } {
  const end = text.indexOf('\r\n\r\n');
  const fields = text
    .slice(0, end)
    .split(/\r\n(?![ \t])/)
    .map((line) => {
      const colon = line.indexOf(':');
      const value = line.slice(colon + 1).replaceAll(/\s+/g, ' ');
      return { name: line.slice(0, colon).trim().toLowerCase(), value: value.trim() };
    });
  const signature = fields.find(({ name }) => name === 'dkim-signature')?.value ?? '';
  const tags = Object.fromEntries(
    signature.split(';').map((tag) => {
      const equals = tag.indexOf('=');
      return [tag.slice(0, equals).trim(), tag.slice(equals + 1).replaceAll(' ', '')];
    }),
  );
  const body = text
    .slice(end + 4)
    .replaceAll(/[ \t]+(?=\r\n)/g, '')
    .replaceAll(/[ \t]+/g, ' ')
    .replace(/(\r\n)*$/, '\r\n');
  const signed = (tags.h ?? '').split(':').map((name: string) => {
    const field = fields.findLast((each) => each.name === name);
    return `${name}:${field?.value ?? ''}\r\n`;
  });
  const data = `${signed.join('')}dkim-signature:${signature.replace(/([; ]b=).*$/, '$1')}`;
  const hash = createHash('sha256').update(body, 'latin1').digest('base64');
  const isValid =
    hash === tags.bh && verify('sha256', Buffer.from(data), publicKey, Buffer.from(tags.b ?? '', 'base64'));
  return { tags, isValid };
}
