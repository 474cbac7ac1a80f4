import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { invalid } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import { getServiceForUpdate } from '../services.ts';
import { clearDefault } from './senders.sql.ts';
import { getSender, listSenders, lockSender } from './senders.ts';
import { insertSmsSender, updateSmsSenderRow } from './sms-senders.sql.ts';

const table = 'service_sms_senders';

interface SmsSenderRequest {
  sms_sender: string;
  is_default: boolean;
}

export const listSmsSenders = (db: Db, serviceId: string) => listSenders(db, table, serviceId);
export const getSmsSender = (db: Db, serviceId: string, id: string) => getSender(db, table, serviceId, id);

/** A new default replaces the old one. */
export async function createSmsSender({ db, clock }: Platform, serviceId: string, request: SmsSenderRequest) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, serviceId);
    if (request.is_default) await clearDefault(tx, table, serviceId, timestamp(now));
    return insertSmsSender(tx, { ...request, id: newId(now), service_id: serviceId, created_at: timestamp(now) });
  });
}

export async function updateSmsSender(
  { db, clock }: Platform,
  serviceId: string,
  id: string,
  request: SmsSenderRequest,
) {
  const now = timestamp(clock.now());
  return inTransaction(db, async (tx) => {
    const sender = await lockSender(tx, table, serviceId, id);
    if (sender.inbound_number_id !== null && request.sms_sender !== sender.sms_sender) {
      throw invalid(`You can not change the inbound number for service ${serviceId}`);
    }
    if (sender.is_default && !request.is_default) {
      throw invalid('You must have at least one SMS sender as the default.');
    }
    if (request.is_default) await clearDefault(tx, table, serviceId, now);
    return updateSmsSenderRow(tx, id, { ...request, updated_at: now });
  });
}

export async function archiveSmsSender({ db, clock }: Platform, serviceId: string, id: string) {
  const now = clock.now();
  return inTransaction(db, async (tx) => {
    const sender = await lockSender(tx, table, serviceId, id);
    if (sender.inbound_number_id !== null) throw invalid('You cannot delete an inbound number');
    if (sender.is_default) throw invalid('You cannot delete a default sms sender');
    await detachReplyTo(tx, serviceId, id, now);
    return updateSmsSenderRow(tx, id, { archived: true, updated_at: timestamp(now) });
  });
}
