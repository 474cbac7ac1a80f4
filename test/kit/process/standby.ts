import pg from 'pg';

/** What the driver has for COPY, and does not declare. */
type Replicating = pg.Client & { connection: { sendCopyFromChunk(chunk: Buffer): void; stream: { destroy(): void } } };

/** A standby for the server: streams its log, reports that it has everything until now, and then no more. */
export async function aStandby(url: string): Promise<{ close(): Promise<void> }> {
  const client = new pg.Client({ connectionString: url, ...{ replication: 'true' } }) as Replicating;
  client.on('error', () => undefined);
  await client.connect();
  const { rows } = await client.query('IDENTIFY_SYSTEM');
  const position: string = rows[0].xlogpos;
  const streaming = client.query(`START_REPLICATION PHYSICAL ${position}`).catch(() => undefined);
  const [high = '', low = ''] = position.split('/');
  const received = (BigInt(`0x${high}`) << 32n) | BigInt(`0x${low}`);
  // A standby status update: what was written, flushed and applied, the time, and whether to answer.
  const update = Buffer.alloc(34);
  update.write('r');
  for (const at of [1, 9, 17]) update.writeBigUInt64BE(received, at);
  await new Promise((resolve) => setTimeout(resolve, 50));
  client.connection.sendCopyFromChunk(update);
  return {
    async close() {
      client.connection.stream.destroy();
      await streaming;
    },
  };
}
