import type { PrintSettings } from '../../letters/settings.ts';
import { day_ms, earlier } from '../../platform/clock.ts';
import { notFound } from '../../platform/failure.ts';
import { firstIdAt } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Channel } from '../../protocol/channels.ts';
import { smsAlphabet } from '../../rendering/sms/gsm.ts';
import { platformServiceId } from '../../users/platform-user.ts';
import { type InboxFilter, type StoredInboxMessage, selectInboxMessages } from './sandbox.sql.ts';
import { readBody, retentionDays } from './sandbox.ts';

type Deps = Platform & { config: { letters: PrintSettings } };

/** A message with its sent text and encoding. A letter has no text. */
export type InboxMessage = Omit<StoredInboxMessage, 'body'> & { text: string; encoding: 'gsm7' | 'ucs2' };

/** The person whose permissions determine which messages are shown. */
interface Reader {
  platform_admin: boolean;
  /** Permissions by service id. */
  permissions: Record<string, unknown>;
}

interface InboxQuery {
  channel?: Channel | undefined;
  /** Searched in recipient, sender, subject, text and id. */
  find?: string | undefined;
  /** Returns only messages older than this id. */
  before?: string | undefined;
  /** Returns only messages newer than this id: the reader has cleared the others. */
  clearedUntil?: string | undefined;
}

const inboxPageSize = 40;
/** Max messages searched, newest first: texts are encrypted, so each must be decrypted. */
export const maxSearched = 1_000;

/** Returns one page, newest first. */
export async function listInbox(app: Deps, reader: Reader, query: InboxQuery) {
  const own = filterFor(app, reader);
  const since = query.clearedUntil !== undefined && query.clearedUntil > own.since ? query.clearedUntil : own.since;
  const filter = { ...own, since, channel: query.channel, before: query.before };
  const stored = await selectInboxMessages(app.db, filter, query.find ? maxSearched : inboxPageSize + 1);
  const messages = stored.map((message) => readable(app, message));
  const { find } = query;
  const found = find ? messages.filter((message) => isFound(message, find)) : messages;
  return { messages: found.slice(0, inboxPageSize), hasOlder: found.length > inboxPageSize };
}

/** Throws not found also for readers who may not see the message. */
export async function getInboxMessage(app: Deps, reader: Reader, id: string): Promise<InboxMessage> {
  const [stored] = await selectInboxMessages(app.db, { ...filterFor(app, reader), id }, 1);
  if (!stored) throw notFound();
  return readable(app, stored);
}

function filterFor({ config, clock }: Deps, { platform_admin, permissions }: Reader): InboxFilter {
  return {
    // Sign-in codes and account links are for platform administrators only.
    services: platform_admin ? 'all' : Object.keys(permissions).filter((id) => id !== platformServiceId),
    withLetters: config.letters.handOff === 'sandbox',
    since: firstIdAt(earlier(clock.now(), retentionDays * day_ms)),
  };
}

function readable(app: Deps, { body, ...message }: StoredInboxMessage): InboxMessage {
  const text = body === null ? '' : readBody(app, { reference: message.id, body });
  // Checked on the text as sent, whatever its alphabet.
  const { needsUcs2 } = smsAlphabet('keep-letters');
  return { ...message, text, encoding: needsUcs2(text) ? 'ucs2' : 'gsm7' };
}

function isFound({ recipient, sender, subject, text, id }: InboxMessage, find: string): boolean {
  const wanted = find.toLowerCase();
  if ([recipient, sender, subject ?? '', text, id].some((value) => value.toLowerCase().includes(wanted))) return true;
  // People write phone numbers as 07700 900123; they are stored with the country code.
  const digits = /^[\d\s()+-]+$/.test(find) ? find.replaceAll(/\D/g, '').replace(/^0+/, '') : '';
  return digits !== '' && recipient.includes(digits);
}
