import type { Db, Tx } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { notFound } from '../../platform/failure.ts';
import { getServiceForUpdate } from '../services.ts';
import { type SenderTable, selectSender, selectSenders } from './senders.sql.ts';

/** The default first. */
export async function listSenders<T extends SenderTable>(db: Db, table: T, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  return selectSenders(db, table, serviceId);
}

export async function getSender<T extends SenderTable>(db: Db, table: T, serviceId: string, id: string) {
  const sender = await selectSender(db, table, serviceId, id);
  if (!sender) throw notFound();
  return sender;
}

/** Serialises changes to the senders of a service, so that there is never a second default. */
export async function lockSender<T extends SenderTable>(tx: Tx, table: T, serviceId: string, id: string) {
  await getServiceForUpdate(tx, serviceId);
  return getSender(tx, table, serviceId, id);
}
