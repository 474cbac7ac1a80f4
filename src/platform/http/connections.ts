import { readFileSync } from 'node:fs';
import { type Server, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';

/** Time limit for the headers of a request, which precede authentication. */
export const headersTimeout_ms = 10_000;

/** Interval of the timeout checks: a timeout may fire this much late. */
export const checkEvery_ms = 2_000;

/** File descriptors reserved for the database, outgoing requests, files and logs. */
const reservedDescriptors = 1_000;

/**
 * Every connection uses a file descriptor, and serving it takes more of them, so clients only get the rest. Connections beyond the limit
 * are closed at once, which a load balancer handles. Without a limit, the database could become unreachable.
 */
export function limitConnections(server: Server, openFiles = openFilesLimit()): void {
  if (Number.isFinite(openFiles)) server.maxConnections = Math.max(openFiles - reservedDescriptors, openFiles >> 1);
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
 * On close, waits only for pending responses. By default, Node also waits for clients that connected but sent nothing yet, as browsers,
 * pools and health checks do, and for clients that became idle after their response.
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

/** Responds to input that never became a request: too slow, too long, or not HTTP. Its surface is unknown. */
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

/** Number of requests on one connection that are handled before other connections get a turn. */
const maxPerTurn = 10;

/** Maximum number of requests on one connection that wait for their turn. */
export const maxWaiting = 100;

/**
 * Node handles all requests that have arrived on a connection before it turns to another: a client that pipelines
 * thousands of requests would block all others for seconds. After the first few, each request waits until other
 * connections had their turn, and a client that sends too many is disconnected.
 */
export function limitPipelining(http: FastifyInstance): void {
  const connections = new WeakMap<Socket, { turn: number; handled: number; waiting: number }>();
  let turn = 0;
  let isTurnEnding = false;

  function endTurn(): void {
    if (isTurnEnding) return;
    isTurnEnding = true;
    setImmediate(() => {
      isTurnEnding = false;
      turn += 1;
    });
  }

  http.addHook('onRequest', ({ raw: { socket } }, _reply, done) => {
    endTurn();
    const connection = connections.get(socket);
    if (!connection) {
      connections.set(socket, { turn, handled: 1, waiting: 0 });
      return done();
    }
    if (connection.turn !== turn) {
      connection.turn = turn;
      connection.handled = 0;
    }
    connection.handled += 1;
    if (connection.handled <= maxPerTurn && connection.waiting === 0) return done();
    // If `done` is not called, the request is not processed further.
    if (socket.destroyed || connection.waiting >= maxWaiting) return void socket.destroy();
    connection.waiting += 1;
    setImmediate(() => {
      connection.waiting -= 1;
      done();
    });
  });
}

/**
 * Calls `onEnd` once per request: when its response has been written, or when the connection closed before that. It watches sockets, not
 * responses, for two reasons. Node closes only the response that it is sending, not those of requests queued on the same connection. And
 * with a `close` listener on each response, V8 promotes most of what a request allocates to the old generation, which made accepting a
 * message a quarter more expensive. Returns a function that lists the open requests of a connection.
 */
export function onRequestEnd(
  http: FastifyInstance,
  onEnd: (request: FastifyRequest, reply: FastifyReply | undefined) => void,
): (socket: Socket) => Iterable<FastifyRequest> {
  const openRequests = new WeakMap<Socket, Set<FastifyRequest>>();

  function watch(socket: Socket): Set<FastifyRequest> {
    const open = new Set<FastifyRequest>();
    openRequests.set(socket, open);
    socket.once('close', () => {
      for (const request of open) onEnd(request, undefined);
      open.clear();
    });
    return open;
  }

  http.addHook('onRequest', (request, _reply, done) => {
    const { socket } = request.raw;
    (openRequests.get(socket) ?? watch(socket)).add(request);
    done();
  });
  http.addHook('onResponse', (request, reply, done) => {
    if (openRequests.get(request.raw.socket)?.delete(request)) onEnd(request, reply);
    done();
  });
  return (socket) => openRequests.get(socket) ?? [];
}
