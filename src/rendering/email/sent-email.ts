import PostalMime, { decodeWords, type Email } from 'postal-mime';
import { decodeEntities } from '../escape.ts';

/** An email as it was received. */
export interface SentEmail {
  html: string;
  text: string;
  /** In their original order, decoded. */
  headers: { name: string; value: string }[];
  from: string;
  reply_to: string;
  /** The distinct URLs in its links. */
  links: string[];
  /** The URL for one-click unsubscribing by mail clients (RFC 8058). */
  unsubscribe_url: string | undefined;
  attachments: { filename: string; mime_type: string; size_in_bytes: number }[];
}

/** Parsing takes 60 ms for each megabyte. */
export async function parseEmail(source: Uint8Array): Promise<SentEmail> {
  const email = await PostalMime.parse(source);
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? '';
  const html = email.html ?? '';
  return {
    html,
    text: email.text ?? '',
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
    from: mailbox(email.from),
    reply_to: (email.replyTo ?? []).map(mailbox).join(', '),
    links: linksOf(html),
    unsubscribe_url: /<([^>]*)>/.exec(header('list-unsubscribe'))?.[1],
    attachments: email.attachments.map(({ filename, mimeType, content }) => ({
      filename: filename ?? '',
      mime_type: mimeType,
      size_in_bytes: Buffer.from(content as ArrayBuffer).length,
    })),
  };
}

function mailbox(address: Email['from']): string {
  if (!address) return '';
  return address.name ? `${address.name} <${address.address ?? ''}>` : (address.address ?? '');
}

function linksOf(html: string): string[] {
  const found = [...html.matchAll(/<a\s[^>]*?href\s*=\s*(?:"([^"]*)"|'([^']*)')/gi)];
  return [...new Set(found.map(([, double, single]) => decodeEntities(double ?? single ?? '').trim()))];
}
