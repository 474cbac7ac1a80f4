import { readFileSync } from 'node:fs';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** A client that has not even said what it wants by then never will. Nobody is let in before. */
export const headersTimeout_ms = 10_000;

/** How often connections are looked at: a time-out may come this much late. */
export const checkEvery_ms = 2_000;

/** Open files that are not clients: the database, providers, callbacks, letters, logs. */
const keptForOurselves = 1_000;

/**
 * Every connection is an open file, and so is everything the process needs to answer them: clients get what is left. One
 * too many is closed at once, which a balancer understands; without a bound the database could not be reached any more.
 */
export function limitConnections(server: Server, openFiles = openFilesLimit()): void {
  if (Number.isFinite(openFiles)) server.maxConnections = Math.max(openFiles - keptForOurselves, openFiles >> 1);
}

/** Node has raised it as far as it may. Only Linux tells without a detour. */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * A server that closes should wait for answers only. Node also waits for who has connected and not said anything yet, as
 * browsers, pools and health checks do, and for who is idle again after an answer that was under way.
 */
export function waitForAnswersOnly(http: Pick<FastifyInstance, 'server' | 'addHook'>): void {
  const silent = new Set<Socket>();
  http.server.on('connection', (socket) => {
    silent.add(socket);
    socket.once('close', () => silent.delete(socket));
  });
  http.server.on('request', ({ socket }) => silent.delete(socket));
  http.addHook('preClose', async () => {
    if (!http.server.listening) return;
    for (const socket of silent) socket.destroy();
    const sweep = setInterval(() => http.server.closeIdleConnections(), 50);
    http.server.once('close', () => clearInterval(sweep));
  });
}

const clientErrors: Record<string, number> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 };

/** For what never became a request: too slow, too long, or not HTTP. Nobody knows which surface was meant. */
export function answerClientError(error: Error & { code?: string }, socket: Socket): void {
  if (error.code !== 'ECONNRESET' && socket.writable) {
    const status = clientErrors[error.code ?? ''] ?? 400;
    const body = JSON.stringify({ result: 'error', message: STATUS_CODES[status] });
    socket.write(
      `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\nContent-Type: application/json\r\n` +
        `Content-Length: ${body.length}\r\nConnection: close\r\n\r\n${body}`,
    );
  }
  socket.destroy();
}
