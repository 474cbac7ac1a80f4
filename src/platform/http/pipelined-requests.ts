import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';

/** Requests of one connection that are handled before other connections get their turn. */
const atOnce = 10;

/** Maximum requests of one connection that wait for their turn. */
export const maxWaiting = 100;

/**
 * Node handles all requests that have arrived on a connection before it turns to another: a client that pipelines
 * thousands of requests would block all others for seconds. After the first few, each request waits until other
 * connections had their turn, and a client that sends too many is disconnected.
 */
export function shareTheLoop(http: FastifyInstance): void {
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
    if (connection.handled <= atOnce && connection.waiting === 0) return done();
    // Without `done` a request is not processed further.
    if (socket.destroyed || connection.waiting >= maxWaiting) return void socket.destroy();
    connection.waiting += 1;
    setImmediate(() => {
      connection.waiting -= 1;
      done();
    });
  });
}
