import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import { getServiceForUpdate } from '../services.ts';
import { insertLetterContact, updateLetterContactRow } from './letter-contacts.sql.ts';
import { clearDefault } from './senders.sql.ts';
import { getSender, listSenders, lockSender } from './senders.ts';

const table = 'service_letter_contacts';

interface LetterContactRequest {
  contact_block: string;
  is_default: boolean;
}

export const listLetterContacts = (db: Db, serviceId: string) => listSenders(db, table, serviceId);
export const getLetterContact = (db: Db, serviceId: string, id: string) => getSender(db, table, serviceId, id);

/** A new default replaces the old one. */
export async function createLetterContact({ db, clock }: Platform, serviceId: string, request: LetterContactRequest) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, serviceId);
    if (request.is_default) await clearDefault(tx, table, serviceId, timestamp(now));
    return insertLetterContact(tx, { ...request, id: newId(now), service_id: serviceId, created_at: timestamp(now) });
  });
}

export async function updateLetterContact(
  { db, clock }: Platform,
  serviceId: string,
  id: string,
  request: LetterContactRequest,
) {
  const now = timestamp(clock.now());
  return inTransaction(db, async (tx) => {
    await lockSender(tx, table, serviceId, id);
    if (request.is_default) await clearDefault(tx, table, serviceId, now);
    return updateLetterContactRow(tx, id, { ...request, updated_at: now });
  });
}

/** Also removes it from the templates that use it. */
export async function archiveLetterContact({ db, clock }: Platform, serviceId: string, id: string) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    await lockSender(tx, table, serviceId, id);
    await detachReplyTo(tx, serviceId, id, now);
    return updateLetterContactRow(tx, id, { archived: true, updated_at: timestamp(now) });
  });
}
