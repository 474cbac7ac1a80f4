import { randomUUID } from 'node:crypto';
import type { AddressInfo } from 'node:net';
import Fastify from 'fastify';
import pg from 'pg';

/**
 * The comparison for accepting, in a separate process: a Fastify route that stores one row of two columns in a commit of its
 * own, and neither checks nor counts anything. Its first message to the parent is its port, and it responds to each later
 * message with its processor time.
 */
export interface BareRouteOrder {
  databaseUrl: string;
}

export interface BareRouteReport {
  cpu_ms: number;
}

/** The default of DATABASE_POOL_SIZE, so that both have the same number. */
const connections = 20;

process.once('message', ({ databaseUrl }: BareRouteOrder) => void serve(databaseUrl));

async function serve(connectionString: string): Promise<void> {
  const pool = new pg.Pool({ connectionString, max: connections });
  await pool.query('create table if not exists bare_requests (id uuid primary key, payload text)');
  const http = Fastify();
  http.post('/v2/notifications/:channel', async (request, reply) => {
    const id = randomUUID();
    const values = [id, JSON.stringify(request.body)];
    await pool.query({ name: 'insert', text: 'insert into bare_requests values ($1, $2)', values });
    return reply.code(201).send({ id });
  });
  await http.listen({ port: 0, host: '127.0.0.1' });
  process.send?.({ port: (http.server.address() as AddressInfo).port });
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send?.({ cpu_ms: (user + system) / 1_000 });
  });
}
