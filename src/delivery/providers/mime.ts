import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import MailComposer from 'nodemailer/lib/mail-composer/index.js';
import type { EmailMessage } from './provider.ts';

/** The message for nodemailer, with our standard headers. */
export function mailOf(message: EmailMessage) {
  const { reference, from, to, reply_to, subject, text, html, unsubscribe_url } = message;
  const domain = from.address.slice(from.address.lastIndexOf('@') + 1);
  return {
    // Stable across attempts, so that mailboxes drop duplicates.
    messageId: `<${reference}@${domain}>`,
    from,
    to,
    subject,
    text: inPieces(text),
    html: inPieces(html),
    ...(reply_to ? { replyTo: reply_to } : {}),
    headers: unsubscribeHeaders(unsubscribe_url),
  };
}

const pieceBytes = 64 * 1024;

/** nodemailer encodes a text at one go, which takes half a second for the HTML of the longest emails. */
function inPieces(text: string): string | Readable {
  return text.length <= pieceBytes ? text : new TextInPieces(Buffer.from(text));
}

/** Can be read again: nodemailer repeats a message if its connection broke. */
class TextInPieces extends Readable {
  private readonly bytes: Buffer;

  constructor(bytes: Buffer) {
    super();
    this.bytes = bytes;
  }

  override pipe<Destination extends NodeJS.WritableStream>(destination: Destination): Destination {
    return Readable.from(piecesOf(this.bytes)).pipe(destination);
  }
}

async function* piecesOf(bytes: Buffer) {
  for (let at = 0; at < bytes.length; at += pieceBytes) {
    yield bytes.subarray(at, at + pieceBytes);
    await setImmediate();
  }
}

export function unsubscribeHeaders(url: string | null): Record<string, string> {
  if (!url) return {};
  return { 'List-Unsubscribe': `<${url}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
}

export function mimeOf(message: EmailMessage): Promise<Buffer> {
  return new MailComposer(mailOf(message)).compile().build();
}

/** A non-ASCII name becomes an encoded word (RFC 2047). */
export function mailbox({ name, address }: EmailMessage['from']): string {
  if (/^[\x20-\x7e]*$/.test(name)) return `"${name.replaceAll(/["\\]/g, '\\$&')}" <${address}>`;
  return `=?UTF-8?B?${Buffer.from(name).toString('base64')}?= <${address}>`;
}
