import type { Config } from '../../config.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import { clearDefault, selectSenders } from '../senders/senders.sql.ts';
import { insertSmsSender, updateSmsSenderRow } from '../senders/sms-senders.sql.ts';
import { updateServices } from '../services.sql.ts';
import { getServiceForUpdate, refuseUnlessServiceExists } from '../services.ts';
import {
  insertNumber,
  lockAvailableNumber,
  selectNumber,
  selectNumberOfService,
  updateNumber,
} from './inbound-numbers.sql.ts';

type Deps = Pick<Platform, 'db' | 'clock'>;

const senders = 'service_sms_senders';

/** Undefined when the service has none. */
export async function findNumberOfService(db: Db, serviceId: string) {
  await refuseUnlessServiceExists(db, serviceId);
  return selectNumberOfService(db, serviceId);
}

export async function createInboundNumber({ db, clock }: Deps, request: { number: string; provider: string }) {
  const now = clock.now();
  const id = newId(now);
  await insertNumber(db, { ...request, id, created_at: timestamp(now) });
  return selectNumber(db, id);
}

/**
 * Gives the service a number on which it can receive, and makes it a sender so that people can answer. A service that has
 * only its first sender gets the number in its place; one that has a number already receives on it again.
 */
export async function assignInboundNumber(
  { db, clock }: Deps,
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
        ? invalid('There are no available inbound numbers')
        : invalidField('inbound_number_id', 'No result found');
    }
    await updateNumber(tx, number.id, { service_id: serviceId, updated_at });
    const change = { sms_sender: number.number, inbound_number_id: number.id };
    const [only, ...others] = await selectSenders(tx, senders, serviceId);
    if (only && others.length === 0) return updateSmsSenderRow(tx, only.id, { ...change, updated_at });
    if (request.is_default) await clearDefault(tx, senders, serviceId, updated_at);
    const row = { id: newId(now), service_id: serviceId, is_default: request.is_default, created_at: updated_at };
    return insertSmsSender(tx, { ...row, ...change });
  });
}

/** The number stays the service's, but nothing arrives on it any more. */
export async function switchOffInboundNumber({ db, clock }: Deps, serviceId: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    const number = await findNumberOfService(tx, serviceId);
    if (!number) throw notFound();
    await updateNumber(tx, number.id, { active: false, updated_at: timestamp(clock.now()) });
  });
}

/**
 * Ends receiving for good: the service loses the permission, and the number, which then belongs to nobody. Archived, it is
 * given to nobody else either. The service still has a sender afterwards.
 */
export async function removeInboundNumber(
  { db, clock, config }: Deps & { config: Pick<Config, 'FROM_NUMBER'> },
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
    const gone = { archived: true, is_default: false, inbound_number_id: null, updated_at };
    await updateSmsSenderRow(tx, lost.id, gone);
    if (!lost.is_default) return;
    const heir = all.find(({ id }) => id !== lost.id);
    if (heir) await updateSmsSenderRow(tx, heir.id, { is_default: true, updated_at });
    else {
      const row = { id: newId(now), service_id: serviceId, is_default: true, created_at: updated_at };
      await insertSmsSender(tx, { ...row, sms_sender: config.FROM_NUMBER });
    }
  });
}
