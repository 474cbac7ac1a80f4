const lostConnection = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'ECONNABORTED',
  'EHOSTUNREACH',
  'EHOSTDOWN',
  'ENETUNREACH',
  'ENETDOWN',
  'ENOENT',
  'EPIPE',
  'ETIMEDOUT',
  'ENOTFOUND',
  'EAI_AGAIN',
]);

/** The driver gives these errors no code. A test provokes each. */
export const lostConnectionMessages = [
  'Connection terminated',
  'timeout exceeded when trying to connect',
  'timeout expired',
  'Client has encountered a connection error',
  'Client was closed and is not queryable',
  'Client network socket disconnected before secure TLS connection',
  'Cannot use a pool after',
];

/** The message of the driver. */
export const queryTimeout = 'Query read timeout';

export function isQueryTimeout(error: unknown): boolean {
  return error instanceof Error && error.message === queryTimeout;
}

/** Whether a write reached a standby, or a primary that became one. */
export function isReadOnlyServer(error: unknown): boolean {
  return error instanceof Error && (error as { code?: unknown }).code === '25006';
}

/** Whether the server cannot be used: it does not respond, it is starting or shutting down, or it is read-only. */
export function isServerGone(error: unknown): boolean {
  // Node throws this for a host name with several addresses.
  if (error instanceof AggregateError) return error.errors.some(isServerGone);
  if (!(error instanceof Error)) return false;
  if (isReadOnlyServer(error) || isQueryTimeout(error)) return true;
  const { code, syscall } = error as { code?: unknown; syscall?: unknown };
  if (typeof code === 'string') {
    // 08: connection failures; 57P01-57P05: shutting down, crashed, starting up, an idle session was ended.
    if (/^(08...|57P0[1-5])$/.test(code)) return true;
    if (lostConnection.has(code) && (syscall === 'connect' || syscall === 'read' || syscall === 'write')) return true;
    if (code === 'EAI_AGAIN' || code === 'ENOTFOUND') return syscall === 'getaddrinfo';
  }
  return lostConnectionMessages.some((message) => error.message.startsWith(message));
}
