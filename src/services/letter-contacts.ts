import { timestamp } from '../platform/clock.ts';
import { type Db, inTransaction, type Tx } from '../platform/db/database.ts';
import { notFound } from '../platform/failure.ts';
import { newId } from '../platform/id.ts';
import type { Platform } from '../platform/platform.ts';
import { detachReplyTo } from '../templates/templates.ts';
import {
  clearDefaultLetterContact,
  insertLetterContact,
  selectLetterContact,
  selectLetterContacts,
  updateLetterContactRow,
} from './letter-contacts.sql.ts';
import { lockService } from './services.sql.ts';
import { refuseUnlessServiceExists } from './services.ts';

type Needs = Pick<Platform, 'db' | 'clock'>;

interface LetterContactRequest {
  contact_block: string;
  is_default: boolean;
}

/** The default first; a service may have none. */
export async function listLetterContacts(db: Db, serviceId: string) {
  await refuseUnlessServiceExists(db, serviceId);
  return selectLetterContacts(db, serviceId);
}

export async function getLetterContact(db: Db, serviceId: string, id: string) {
  const contact = await selectLetterContact(db, serviceId, id);
  if (!contact) throw notFound();
  return contact;
}

/** A new default takes the place of the old one. */
export async function addLetterContact({ db, clock }: Needs, serviceId: string, request: LetterContactRequest) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    if (!(await lockService(tx, serviceId))) throw notFound();
    if (request.is_default) await clearDefaultLetterContact(tx, serviceId, timestamp(now));
    return insertLetterContact(tx, { ...request, id: newId(now), service_id: serviceId, created_at: timestamp(now) });
  });
}

export async function updateLetterContact(
  { db, clock }: Needs,
  serviceId: string,
  id: string,
  request: LetterContactRequest,
) {
  const now = timestamp(clock.now());
  return inTransaction(db, async (tx) => {
    await lockContact(tx, serviceId, id);
    if (request.is_default) await clearDefaultLetterContact(tx, serviceId, now);
    return updateLetterContactRow(tx, id, { ...request, updated_at: now });
  });
}

/** Templates that print it print none from then on. */
export async function archiveLetterContact({ db, clock }: Needs, serviceId: string, id: string) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    await lockContact(tx, serviceId, id);
    await detachReplyTo(tx, serviceId, id, now);
    return updateLetterContactRow(tx, id, { archived: true, updated_at: timestamp(now) });
  });
}

async function lockContact(tx: Tx, serviceId: string, id: string): Promise<void> {
  await lockService(tx, serviceId);
  await getLetterContact(tx, serviceId, id);
}
