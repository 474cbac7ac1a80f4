import { randomUUID } from 'node:crypto';
import { setImmediate as callProvider } from 'node:timers/promises';
import pg from 'pg';

/**
 * The comparison for delivering, in a separate process: clients that each store a message and its place in a queue, lease one
 * with `for update skip locked`, call a function that does nothing, record the result, and record the receipt. Four commits
 * for each message, as a service would do it that counts, checks and combines nothing.
 */
export interface BareLoopOrder {
  databaseUrl: string;
  clients: number;
  seconds: number;
}

export interface BareLoopReport {
  delivered: number;
  seconds: number;
  /** Processor time of this process. */
  cpu_ms: number;
}

export const bareLoopTables = `
  create table if not exists bare_messages (id uuid primary key, status text not null, body text not null);
  create table if not exists bare_queue (message_id uuid primary key, due_at timestamptz not null, leased_at timestamptz);
  create index if not exists bare_queue_due_idx on bare_queue (due_at) where leased_at is null`;

process.once('message', (order: BareLoopOrder) => {
  void run(order).then((report) => process.send?.(report, () => process.disconnect()));
});

async function run({ databaseUrl, clients, seconds }: BareLoopOrder): Promise<BareLoopReport> {
  const pool = new pg.Pool({ connectionString: databaseUrl, max: clients });
  await Promise.all(Array.from({ length: clients }, () => deliverOne(pool)));
  const before = process.cpuUsage();
  const started = performance.now();
  let delivered = 0;
  await Promise.all(
    Array.from({ length: clients }, async () => {
      while (performance.now() - started < seconds * 1_000) {
        await deliverOne(pool);
        delivered += 1;
      }
    }),
  );
  const took_s = (performance.now() - started) / 1_000;
  const { user, system } = process.cpuUsage(before);
  await pool.end();
  return { delivered, seconds: took_s, cpu_ms: (user + system) / 1_000 };
}

async function deliverOne(pool: pg.Pool): Promise<void> {
  const body = 'Dear Person 1, your appointment is on Monday.';
  await pool.query({ name: 'accept', text: accept, values: [randomUUID(), body] });
  const message = await leaseOne(pool);
  await callProvider(message.body);
  await pool.query({ name: 'record', text: record, values: [message.id] });
  await pool.query({ name: 'receipt', text: receipt, values: [message.id] });
}

/** Again when another client has taken the one that was visible. */
async function leaseOne(pool: pg.Pool): Promise<{ id: string; body: string }> {
  for (;;) {
    const { rows } = await pool.query<{ id: string; body: string }>({ name: 'lease', text: lease, values: [] });
    if (rows[0]) return rows[0];
  }
}

const accept = `
  with message as (insert into bare_messages values ($1::uuid, 'created', $2) returning id)
  insert into bare_queue (message_id, due_at) select id, now() from message`;

const lease = `
  with leased as (
    update bare_queue set leased_at = now() where message_id = (
      select message_id from bare_queue where leased_at is null order by due_at limit 1 for update skip locked)
    returning message_id
  )
  select id, body from bare_messages join leased on id = message_id`;

const record = `
  with sent as (delete from bare_queue where message_id = $1 returning message_id)
  update bare_messages set status = 'sending' from sent where id = message_id`;

const receipt = `update bare_messages set status = 'delivered' where id = $1`;
