import { getHeapSpaceStatistics, setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sql } from 'kysely';
import { inTransaction } from '../../../dist/platform/db/database.js';
import { openDatabase } from '../../../dist/platform/db/pool.js';
import { createLog } from '../../../dist/platform/log.js';

/**
 * Prints how many megabytes of results are among the old objects after 200 results of 80 kB each, which nothing keeps. In a
 * process of its own, so that nothing else becomes an old object in that time.
 */
const [url] = process.argv.slice(2);
const { db, pool, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
const text = "select repeat('x', 80000) as text";
const ways = {
  'through the pool': () => pool.query(text),
  'one statement': () => sql.raw(text).execute(db),
  'a transaction': () => inTransaction(db, (tx) => sql.raw(text).execute(tx)),
};
setFlagsFromString('--expose-gc');
const collect = runInNewContext('gc');
const collectYoung = () => collect({ type: 'minor' });

function oldBytes() {
  const old = getHeapSpaceStatistics().filter(({ space_name }) => /^(old|large_object)_space$/.test(space_name));
  return old.reduce((sum, { space_used_size }) => sum + space_used_size, 0);
}

const grown = {};
for (const [way, query] of Object.entries(ways)) {
  await query();
  collect();
  const before = oldBytes();
  for (let count = 1; count <= 200; count += 1) {
    await query();
    if (count % 20 === 0) collectYoung();
  }
  collectYoung();
  grown[way] = (oldBytes() - before) / 1_000_000;
}
await close();
process.stdout.write(JSON.stringify(grown));
