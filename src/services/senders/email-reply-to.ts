import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import { type AccountMessageSender, accountTemplates } from '../../users/account-messages/account-messages.ts';
import { mayRequestMessage } from '../../users/account-messages/requested-messages.ts';
import { getServiceForUpdate } from '../services.ts';
import { alreadyExists, insertReplyTo, updateReplyToRow } from './email-reply-to.sql.ts';
import { clearDefault, selectSenders } from './senders.sql.ts';
import { getSender, listSenders, lockSender } from './senders.ts';

const table = 'service_email_reply_to';

interface ReplyToRequest {
  email_address: string;
  is_default: boolean;
}

const noDefault = () => invalid('You must have at least one reply to email address as the default.');

export const listReplyTos = (db: Db, serviceId: string) => listSenders(db, table, serviceId);
export const getReplyTo = (db: Db, serviceId: string, id: string) => getSender(db, table, serviceId, id);

/** Sends a test message to the address, to check that it is delivered. Returns the message id. */
export async function checkReplyTo(
  app: Platform & { accountMessages: AccountMessageSender },
  serviceId: string,
  emailAddress: string,
  { isLimited } = { isLimited: true },
): Promise<string> {
  const existing = await listReplyTos(app.db, serviceId);
  if (existing.some(({ email_address }) => email_address === emailAddress)) throw alreadyExists(emailAddress);
  const message = { template_id: accountTemplates.replyToCheck, to: emailAddress, personalisation: {} };
  return inTransaction(app.db, async (tx) => {
    if (isLimited && !(await mayRequestMessage(app, tx, 'reply-to-check', serviceId))) {
      throw invalid('The service has had 20 addresses checked in the last 24 hours. Try again tomorrow.');
    }
    return (await app.accountMessages.send(tx, message)).id;
  });
}

/** The first one must be the default; a new default replaces the old one. */
export async function createReplyTo({ db, clock }: Platform, serviceId: string, request: ReplyToRequest) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, serviceId);
    if (request.is_default) await clearDefault(tx, table, serviceId, timestamp(now));
    else if (!(await hasDefault(tx, serviceId))) throw noDefault();
    return insertReplyTo(tx, { ...request, id: newId(now), service_id: serviceId, created_at: timestamp(now) });
  });
}

export async function updateReplyTo({ db, clock }: Platform, serviceId: string, id: string, request: ReplyToRequest) {
  const now = timestamp(clock.now());
  return inTransaction(db, async (tx) => {
    const replyTo = await lockSender(tx, table, serviceId, id);
    if (replyTo.is_default && !request.is_default) throw noDefault();
    if (request.is_default) await clearDefault(tx, table, serviceId, now);
    return updateReplyToRow(tx, id, { ...request, updated_at: now });
  });
}

export async function archiveReplyTo({ db, clock }: Platform, serviceId: string, id: string) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    const replyTo = await lockSender(tx, table, serviceId, id);
    if (replyTo.is_default) throw invalid('You cannot delete a default email reply to address');
    await detachReplyTo(tx, serviceId, id, now);
    return updateReplyToRow(tx, id, { archived: true, updated_at: timestamp(now) });
  });
}

async function hasDefault(tx: Tx, serviceId: string): Promise<boolean> {
  return (await selectSenders(tx, table, serviceId)).some(({ is_default }) => is_default);
}
