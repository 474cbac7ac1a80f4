import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { cpuMsOfFamily } from './processes.ts';

/**
 * The comparison for files: COPY of the notifications of a job, in one transaction, into a table with the same columns,
 * constraints and indexes. Reading them first is not measured.
 */
export async function timeCopy(database: pg.Client, postmaster: number, job: string) {
  const rows: Buffer[] = [];
  const reading = database.query(to(`copy (select * from notifications where job_id = '${job}') to stdout`));
  for await (const chunk of reading) rows.push(chunk as Buffer);
  await database.query('drop table if exists copied');
  await database.query('create table copied (like notifications including all)');
  const before = { own: process.cpuUsage(), database: cpuMsOfFamily(postmaster), at: performance.now() };
  await pipeline(Readable.from(rows), database.query(from('copy copied from stdin')));
  const { user, system } = process.cpuUsage(before.own);
  return {
    seconds: (performance.now() - before.at) / 1_000,
    cpu_s: (cpuMsOfFamily(postmaster) - before.database + (user + system) / 1_000) / 1_000,
  };
}
