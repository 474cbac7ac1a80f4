import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import type { PacedOrder, PacedReport } from './paced-load.ts';
import { profilingFlags, quantile, runInProcess, startProduct } from './processes.ts';
import { aSender, type Sender } from './sender.ts';
import { temporaryDatabase } from './temporary-database.ts';

const perSecond = 200;
const slice_s = 6;
const slices = 3;
const lettersQueued = 250 * slice_s * slices;

interface Half {
  latencies_ms: number[];
  accepted: number;
  seconds: number;
  drawn: number;
}

/**
 * Latency of accepting a text message while the same process renders letters as fast as it can, and while it does
 * not. One process for everything, as with `npm start`; the same steady rate of messages in both halves, which
 * alternate because the speed of a virtual machine varies.
 */
export async function measureAccepting(progress: (line: string) => void) {
  const { server, environment, remove } = await temporaryDatabase();
  const database = new pg.Client({ connectionString: server.url });
  try {
    await database.connect();
    progress(`queueing ${lettersQueued} letters`);
    const text = await queueLetters(environment);
    const product = await startProduct('serve', environment, profilingFlags());
    try {
      const order = {
        port: product.port,
        connections: 50,
        per_second: perSecond,
        messages: perSecond * slice_s,
        senders: [text],
      };
      progress('warming up');
      await runInProcess<PacedOrder, PacedReport>('paced-load', { ...order, messages: perSecond * 5 });
      const letters: Half = { latencies_ms: [], accepted: 0, seconds: 0, drawn: 0 };
      const none: Half = { latencies_ms: [], accepted: 0, seconds: 0, drawn: 0 };
      for (let slice = 0; slice < slices; slice += 1) {
        for (const half of [letters, none]) {
          progress(`${perSecond} messages a second ${half === letters ? 'while letters are drawn' : 'and no letters'}`);
          await drawLetters(database, half === letters);
          const before = await countDrawn(database);
          const report = await runInProcess<PacedOrder, PacedReport>('paced-load', order);
          half.latencies_ms.push(...report.latencies_ms);
          half.accepted += report.accepted;
          half.seconds += report.seconds;
          half.drawn += (await countDrawn(database)) - before;
        }
      }
      if ((await countDrawn(database)) === lettersQueued) throw new Error('there were too few letters to draw');
      const p99 = ({ latencies_ms }: Half) =>
        quantile(
          latencies_ms.sort((left, right) => left - right),
          0.99,
        );
      return {
        accept_p99_ms_without_letters: round(p99(none)),
        accept_p99_ms_with_letters: round(p99(letters)),
        accept_p99_ratio: round(p99(letters) / p99(none)),
        letters_per_s_meanwhile: round(letters.drawn / letters.seconds),
        messages_not_accepted: 2 * slices * order.messages - letters.accepted - none.accepted,
      };
    } finally {
      await product.stop();
    }
  } finally {
    await database.end();
    await remove();
  }
}

async function queueLetters(environment: Record<string, string>): Promise<Sender> {
  const api = await startProduct('api', environment);
  try {
    const letter = await aSender(api.port, {
      template_type: 'letter',
      subject: 'Your appointment',
      content: 'Dear ((address_line_1)),\n\nyour appointment is on ((day)).\n\n* bring this letter\n* be on time',
    });
    const waiting = Array.from({ length: lettersQueued }, (_, number) => number);
    await Promise.all(Array.from({ length: 32 }, () => keepSending(api.port, letter, waiting)));
    return await aSender(api.port, { template_type: 'sms', content: 'Dear ((name)), your appointment is on ((day)).' });
  } finally {
    await api.stop();
  }
}

async function keepSending(port: number, { key, template_id }: Sender, waiting: number[]): Promise<void> {
  for (let number = waiting.pop(); number !== undefined; number = waiting.pop()) {
    const personalisation = {
      address_line_1: `Recipient ${number}`,
      address_line_2: `${number} Post Office Lane`,
      postcode: 'LL61 5UJ',
      day: 'Monday',
    };
    const response = await fetch(`http://127.0.0.1:${port}/v2/notifications/letter`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: JSON.stringify({ template_id, personalisation }),
    });
    if (response.status !== 201) throw new Error(`a letter was refused: ${await response.text()}`);
    await response.arrayBuffer();
  }
}

async function drawLetters(database: pg.Client, draw: boolean): Promise<void> {
  const run_at = draw ? 'now()' : `now() + interval '1 hour'`;
  await database.query(`update graphile_worker._private_jobs set run_at = ${run_at} where locked_at is null`);
  // Deletes the rows that this leaves, which no real queue has.
  await database.query('vacuum graphile_worker._private_jobs');
  await database.query(`notify "jobs:insert", '{"count":100}'`);
  await sleep(1_500);
}

async function countDrawn(database: pg.Client): Promise<number> {
  const { rows } = await database.query('select count(*)::int as drawn from letter_files');
  return rows[0].drawn;
}

const round = (value: number): number => Math.round(value * 10) / 10;
