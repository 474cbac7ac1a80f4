import PostalMime, { decodeWords, type Email } from 'postal-mime';
import type { Platform } from '../../platform/platform.ts';
import type { StorageSettings } from '../../platform/settings.ts';
import { decodeEntities } from '../../rendering/escape.ts';
import { readSource } from './email-sources.ts';
import { selectSource } from './sandbox.sql.ts';

type Deps = Platform & { config: { storage: StorageSettings } };

/** An email as the sandbox received it. */
export interface SentEmail {
  source: Buffer;
  html: string;
  text: string;
  /** In their order, decoded. */
  headers: { name: string; value: string }[];
  from: string;
  reply_to: string;
  /** The addresses in its links, each once. */
  links: string[];
  /** Where mail clients unsubscribe with one click (RFC 8058). */
  unsubscribe_url: string | undefined;
}

/** Undefined when this machine does not have it: another process keeps its own. */
export async function findSentEmail(app: Deps, id: string): Promise<SentEmail | undefined> {
  const source = await findSource(app, id);
  return source && parseEmail(source);
}

export async function findSource(app: Deps, id: string): Promise<Buffer | undefined> {
  const location = await selectSource(app.db, id);
  return location && readSource(app, location);
}

async function parseEmail(source: Buffer): Promise<SentEmail> {
  const email = await PostalMime.parse(source);
  const header = (name: string) => email.headers.find(({ key }) => key === name)?.value ?? '';
  const html = email.html ?? '';
  return {
    source,
    html,
    text: email.text ?? '',
    headers: email.headers.map(({ originalKey, value }) => ({ name: originalKey, value: decodeWords(value) })),
    from: mailbox(email.from),
    reply_to: (email.replyTo ?? []).map(mailbox).join(', '),
    links: linksOf(html),
    unsubscribe_url: /<([^>]*)>/.exec(header('list-unsubscribe'))?.[1],
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
