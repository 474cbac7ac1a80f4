import type { Db } from '../platform/db/database.ts';
import { OperatorError } from '../platform/operator-error.ts';
import { countServicesByStore, selectStores, setOpen } from './message-stores.sql.ts';
import { mainStore } from './service-stores.ts';

export { selectServicesOf } from './message-stores.sql.ts';

/** The stores that were added, with the number of their services. */
export async function listStores(main: Db) {
  const [stores, services] = await Promise.all([selectStores(main), countServicesByStore(main)]);
  return stores.map((store) => ({ ...store, services: services.get(store.number) ?? 0 }));
}

export function unknownStore(number: number): OperatorError {
  return new OperatorError(`There is no store ${number}. \`pennypost stores list\` names them.`);
}

/** New services go to open stores only. At least one stays open. */
export async function openOrCloseStore(main: Db, number: number, is_open: boolean): Promise<void> {
  const stores = await selectStores(main);
  if (!stores.some((store) => store.number === number)) {
    throw unknownStore(number);
  }
  if (!is_open && stores.every((store) => store.number === number || !store.is_open)) {
    throw new OperatorError(`Store ${number} is the only one that is open: new services need one. Open another first.`);
  }
  await setOpen(main, number, is_open);
}

/** A store without its URL would make its services unreachable, and one that was not added has no configuration. */
export async function refuseUnknownStores(main: Db, configured: readonly number[]): Promise<void> {
  const added = (await selectStores(main)).map(({ number }) => number).filter((number) => number !== mainStore);
  const missing = added.filter((number) => !configured.includes(number));
  if (missing.length > 0) {
    throw new OperatorError(`MESSAGE_STORES lacks store ${missing.join(' and ')}, which has messages. Add its URL.`);
  }
  const unknown = configured.filter((number) => !added.includes(number));
  if (unknown.length > 0) {
    throw new OperatorError(
      `Store ${unknown.join(' and ')} was not added. Run \`pennypost stores add ${unknown[0]}\` first.`,
    );
  }
}
