import type { EventEmitter } from 'node:events';
import type { Socket } from 'node:net';
import type pg from 'pg';

/** Fields of the driver that are not part of its API. Only this file uses them, and its test fails when they change. */
interface Internals {
  connection: EventEmitter & { stream: Socket };
  _ending: boolean;
}

function internalsOf(client: pg.Client): Internals {
  return client as unknown as Internals;
}

/** Calls back with each parameter that the server reports. */
export function onParameterStatus(client: pg.Client, read: (name: string, value: string) => void): void {
  internalsOf(client).connection.on('parameterStatus', ({ parameterName, parameterValue }) =>
    read(parameterName, parameterValue),
  );
}

/** Calls back whenever the server has finished a statement. */
export function onReadyForQuery(client: pg.Client, ready: () => void): void {
  internalsOf(client).connection.on('readyForQuery', ready);
}

/** Whether `end` was called. */
export function isEnding(client: pg.Client): boolean {
  return internalsOf(client)._ending;
}

/** Closes the socket without notifying the server. */
export function cut(client: pg.Client): void {
  internalsOf(client).connection.stream.destroy();
}

/** Closes the socket; statements without a response fail with this error. */
export function breakWith(client: pg.Client, error: Error): void {
  internalsOf(client).connection.emit('error', error);
  cut(client);
}
