import { forApi, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { normaliseOwnNumber } from '../../recipients/phone-number.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import { clearDefault, insertSender, selectSenders, updateSender } from '../senders/senders.sql.ts';
import { updateServices } from '../services.sql.ts';
import { getServiceForUpdate } from '../services.ts';
import type { TextSenderSettings } from '../settings.ts';
import {
  insertNumber,
  lockAvailableNumber,
  selectInboundNumbers,
  selectNumber,
  selectNumberOfService,
  updateNumber,
} from './inbound-numbers.sql.ts';

const senders = 'service_sms_senders';

export function listInboundNumbers(db: Db) {
  return selectInboundNumbers(db);
}

/** Returns undefined when the service has none. */
export async function findNumberOfService(db: Db, serviceId: string) {
  await refuseUnlessExists(db, 'services', serviceId);
  return selectNumberOfService(db, serviceId);
}

export async function createInboundNumber(
  { db, clock, country }: Platform,
  request: { number: string; provider: string },
) {
  const now = clock.now();
  const id = newId(now);
  const normalised_number = normaliseOwnNumber(country.phone, request.number);
  await insertNumber(db, { ...request, normalised_number, id, created_at: timestamp(now) });
  return selectNumber(db, id);
}

const noFreeNumber = forApi(
  'There are no available inbound numbers',
  t('No number is free. Ask the people who run this Pennypost to add one.'),
);

/**
 * Assigns an inbound number to the service and makes it a sender, so that recipients can reply. If the service has only one sender, the
 * number replaces it. If the service already has a number, re-enables that.
 */
export async function assignInboundNumber(
  { db, clock }: Platform,
  serviceId: string,
  request: { inbound_number_id?: string; is_default: boolean },
) {
  const now = clock.now();
  const updated_at = timestamp(now);
  return inTransaction(db, async (tx) => {
    await getServiceForUpdate(tx, serviceId);
    const own = await selectNumberOfService(tx, serviceId);
    if (own) {
      await updateNumber(tx, own.id, { active: true, updated_at });
      const sender = (await selectSenders(tx, senders, serviceId)).find(
        ({ inbound_number_id }) => inbound_number_id === own.id,
      );
      if (sender) return sender;
    }
    const number = own ?? (await lockAvailableNumber(tx, request.inbound_number_id));
    if (!number) {
      throw request.inbound_number_id === undefined
        ? invalid(noFreeNumber)
        : invalidField('inbound_number_id', 'No result found');
    }
    await updateNumber(tx, number.id, { service_id: serviceId, updated_at });
    const change = { sms_sender: number.number, inbound_number_id: number.id };
    const [only, ...others] = await selectSenders(tx, senders, serviceId);
    if (only && others.length === 0) return updateSender(tx, senders, only.id, { ...change, updated_at });
    if (request.is_default) await clearDefault(tx, senders, serviceId, updated_at);
    const row = { id: newId(now), service_id: serviceId, is_default: request.is_default, created_at: updated_at };
    return insertSender(tx, senders, { ...row, ...change });
  });
}

/** Keeps the number assigned to the service, but stops receiving on it. */
export async function disableInboundNumber({ db, clock }: Platform, serviceId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const number = await findNumberOfService(tx, serviceId);
    if (!number) throw notFound();
    await updateNumber(tx, number.id, { active: false, updated_at: timestamp(clock.now()) });
  });
}

/**
 * Stops receiving permanently: deletes the service's permission and releases the number. An archived number is not
 * assigned again. The service always keeps a sender.
 */
export async function removeInboundNumber(
  { db, clock, config }: Platform & { config: { sms: TextSenderSettings } },
  serviceId: string,
  archive: boolean,
): Promise<void> {
  const now = clock.now();
  const updated_at = timestamp(now);
  await inTransaction(db, async (tx) => {
    const { permissions } = await getServiceForUpdate(tx, serviceId);
    const remaining = permissions.filter((permission) => permission !== 'inbound_sms');
    if (remaining.length < permissions.length)
      await updateServices(tx, [serviceId], { permissions: remaining }, updated_at);
    const number = await selectNumberOfService(tx, serviceId);
    if (!number) return;
    await updateNumber(tx, number.id, { service_id: null, active: !archive, updated_at });
    const all = await selectSenders(tx, senders, serviceId);
    const lost = all.find(({ inbound_number_id }) => inbound_number_id === number.id);
    if (!lost) return;
    await detachReplyTo(tx, serviceId, lost.id, now);
    const archivedSender = { archived: true, is_default: false, inbound_number_id: null, updated_at };
    await updateSender(tx, senders, lost.id, archivedSender);
    if (!lost.is_default) return;
    const newDefault = all.find(({ id }) => id !== lost.id);
    if (newDefault) await updateSender(tx, senders, newDefault.id, { is_default: true, updated_at });
    else {
      const row = { id: newId(now), service_id: serviceId, is_default: true, created_at: updated_at };
      await insertSender(tx, senders, { ...row, sms_sender: config.sms.defaultSender });
    }
  });
}
