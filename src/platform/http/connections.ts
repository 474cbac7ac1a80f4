import { readFileSync } from 'node:fs';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Time limit for the headers of a request, which precede authentication. */
export const headersTimeout_ms = 10_000;

/** Interval of the timeout checks: a timeout may fire this much late. */
export const checkEvery_ms = 2_000;

/** File descriptors reserved for the database, outgoing requests, files and logs. */
const keptForOurselves = 1_000;

/**
 * Every connection uses a file descriptor, and so does everything needed to serve it: clients get the rest. Connections
 * beyond the limit are closed at once, which a load balancer handles; without a limit the database could become
 * unreachable.
 */
export function limitConnections(server: Server, openFiles = openFilesLimit()): void {
  if (Number.isFinite(openFiles)) server.maxConnections = Math.max(openFiles - keptForOurselves, openFiles >> 1);
}

/** Node has already raised the soft limit to the hard limit. Only Linux exposes it directly. */
export function openFilesLimit(): number {
  try {
    const soft = /^Max open files\s+(\d+)/m.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    return soft === undefined ? Number.POSITIVE_INFINITY : Number(soft);
  } catch {
    return Number.POSITIVE_INFINITY;
  }
}

/**
 * On close, waits only for pending responses. Node also waits for clients that connected but sent nothing yet, as
 * browsers, pools and health checks do, and for clients that became idle after their response.
 */
export function waitOnlyForResponses(http: Pick<FastifyInstance, 'server' | 'addHook'>): void {
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

/** For input that never became a request: too slow, too long, or not HTTP. Its surface is unknown. */
export function respondToClientError(error: Error & { code?: string }, socket: Socket): void {
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
