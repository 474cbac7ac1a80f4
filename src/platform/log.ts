import { type Logger, pino } from 'pino';
import { currentSpan } from './tracing/span.ts';

export type Log = Logger;

/**
 * JSON lines, pretty-printed on a terminal. Recipients, personalisation, secrets and tokens are never passed to a log
 * call; the redaction below is a second line of defence for objects that contain them.
 */
export function createLog(level: string, destination?: { write(line: string): void }): Log {
  const options = {
    level,
    base: { application: 'pennypost' },
    timestamp: () => `,"time":"${new Date().toISOString()}"`,
    formatters: { level: (label: string) => ({ level: label }) },
    redact: { paths: sensitive.flatMap((name) => [name, `*.${name}`, `*.*.${name}`]), censor: '[hidden]' },
    serializers: { err: describeError },
    mixin: traceOfLine,
  };
  if (destination) return pino(options, destination);
  if (process.stdout.isTTY) {
    return pino({
      ...options,
      transport: {
        target: 'pino-pretty',
        options: { ignore: 'application,pid,hostname', translateTime: 'SYS:HH:MM:ss' },
      },
      formatters: {},
    });
  }
  return pino(options);
}

/** Adds the trace id to log lines about a recorded request or message. */
function traceOfLine(): object {
  const span = currentSpan();
  return span ? { trace_id: span.traceId } : {};
}

const sensitive = [
  'authorization',
  'password',
  '_password',
  'secret',
  'token',
  'bearer_token',
  'personalisation',
  'phone_number',
  'email_address',
  'mobile_number',
  'to',
  'recipient',
  'code',
  'content',
];

/**
 * The detail of a database error quotes row values, and its parameters are personal data, so this logs only fields that locate the cause.
 * `code` is a SQLSTATE here, so it gets another name than the redacted field.
 */
function describeError(error: unknown): Record<string, unknown> {
  if (!(error instanceof Error)) return { type: typeof error };
  const { code, constraint, table } = error as { code?: unknown; constraint?: unknown; table?: unknown };
  return {
    type: error.name,
    message: code === undefined ? error.message : withoutQuotedValues(error.message),
    error_code: code,
    constraint,
    table,
    stack: error.stack?.split('\n').slice(1, 12).join('\n'),
    cause: error.cause instanceof Error ? describeError(error.cause) : undefined,
  };
}

function withoutQuotedValues(message: string): string {
  return message.replaceAll(/"[^"]*"/g, (quoted) => (/^"[a-z0-9_.]*"$/.test(quoted) ? quoted : '"…"'));
}
