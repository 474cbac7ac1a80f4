import { openOrCloseStore, selectServicesOf } from '../../stores/known-stores.ts';
import { findEmptiestStore, mainStore } from '../../stores/service-stores.ts';
import { platformServiceId } from '../../users/account-messages/account-messages.ts';
import { storeNumbered } from './move-context.ts';
import { type Mover, moveService } from './move-service.ts';
import { selectMoves } from './service-moves.sql.ts';

/** Moves every service out of a store. Can be repeated: an interrupted move continues to the store that it had begun. */
export async function drainStore(mover: Mover, number: number): Promise<void> {
  const { db: main } = storeNumbered(mover.stores, mainStore);
  await openOrCloseStore(main, number, false);
  for (const { service_id, from_store, to_store } of await selectMoves(main)) {
    if (from_store === number) await moveService(mover, service_id, to_store);
  }
  const services = (await selectServicesOf(main, number)).filter((id) => id !== platformServiceId);
  for (const [index, service] of services.entries()) {
    const to = await findEmptiestStore(main);
    mover.say(`Service ${service} (${index + 1} of ${services.length}) to store ${to}:`);
    await moveService(mover, service, to);
  }
  mover.say(`Store ${number} has no services any more.`);
}
