import { inject } from 'vitest';
import { systemClock } from '../../src/platform/clock.ts';
import { openDatabase } from '../../src/platform/db/database.ts';
import { createLog } from '../../src/platform/log.ts';
import { addStore } from '../../src/stores/add-store.ts';
import { cloneStore, type TestDatabase } from './database.ts';

export interface TestStore extends TestDatabase {
  number: number;
}

/** As many message stores beside the main database as the run asks for: see `test:stores`. */
export async function cloneStores(mainUrl: string, count = inject('stores')): Promise<TestStore[]> {
  const log = createLog('silent');
  const main = openDatabase({ url: mainUrl, poolSize: 1, log });
  const stores: TestStore[] = [];
  try {
    for (let number = 1; number <= count; number += 1) {
      const database = await cloneStore();
      const store = openDatabase({ url: database.url, poolSize: 1, log });
      await addStore(main.db, store.db, number, systemClock).finally(() => store.close());
      stores.push({ number, ...database });
    }
  } finally {
    await main.close();
  }
  return stores;
}
