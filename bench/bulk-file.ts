import { Readable } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import type pg from 'pg';
import type { Sender } from './sender.ts';

/** Files of recipients, with a number, a name, a day, a place and a reference in each row. */
export const bulkTemplate = {
  template_type: 'sms',
  content: 'Dear ((name)), your appointment is on ((day)) in ((place)).',
};

export type FileFormat = 'csv' | 'ndjson';

const maxDuration_s = 600;

const formats = {
  csv: {
    type: 'text/csv',
    head: 'phone number,name,day,place,reference\r\n',
    line: (n: number) => `${number(n)},Person ${n},Monday,Room ${n % 50},order-${n}\r\n`,
  },
  ndjson: {
    type: 'application/x-ndjson',
    head: '',
    line: (n: number) =>
      `${JSON.stringify({
        phone_number: number(n),
        personalisation: { name: `Person ${n}`, day: 'Monday', place: `Room ${n % 50}` },
        reference: `order-${n}`,
      })}\n`,
  },
};

const number = (n: number) => `079${String(10_000_000 + n)}`;

/** Returns the id of the job. */
export async function sendFile(port: number, sender: Sender, rows: number, format: FileFormat): Promise<string> {
  const { type, head, line } = formats[format];
  const body = (function* () {
    yield Buffer.from(head);
    for (let from = 0; from < rows; from += 1_000) {
      const lines = Array.from({ length: Math.min(1_000, rows - from) }, (_, index) => line(from + index));
      yield Buffer.from(lines.join(''));
    }
  })();
  const response = await fetch(
    `http://127.0.0.1:${port}/v2/notifications/bulk?template_id=${sender.template_id}&name=${format}`,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${sender.key}`, 'content-type': type },
      body: Readable.toWeb(Readable.from(body)),
      duplex: 'half',
    } as RequestInit,
  );
  if (response.status !== 201) throw new Error(`the file was refused: ${await response.text()}`);
  const { data } = (await response.json()) as { data: { id: string } };
  return data.id;
}

/** Until every row is a notification. */
export async function untilExpanded(database: pg.Client, job: string, rows: number): Promise<void> {
  const until = performance.now() + maxDuration_s * 1_000;
  while (performance.now() < until) {
    const { rows: found } = await database.query('select status, rows_done from jobs where id = $1', [job]);
    if (found[0].status === 'finished all notifications created') {
      if (found[0].rows_done !== rows) throw new Error(`${found[0].rows_done} of ${rows} rows became notifications`);
      return;
    }
    await sleep(100);
  }
  throw new Error(`the file did not become notifications within ${maxDuration_s} seconds`);
}
