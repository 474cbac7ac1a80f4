import { createHash } from 'node:crypto';
import { earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import { conflict, Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import { replaceEncryptedResponses, selectEncryptedResponses, selectIdempotencyKey } from './idempotency.sql.ts';

/** How long a repeated request gets the answer of the first. */
const replayHours = 24;
const longestKey = 255;

export interface IdempotencyClaim {
  key: string;
  request_digest: string;
}

/** A request under an Idempotency-Key that was answered before. */
export interface StoredResponse {
  request_digest: string;
  response: unknown;
}

type Needs = Pick<Platform, 'db' | 'clock' | 'secrets'>;

const purpose = 'idempotent-answer';

/** For an answer that holds links to files: it is kept as text instead of an object. */
export function encryptResponse(
  { secrets }: Pick<Platform, 'secrets'>,
  serviceId: string,
  key: string,
  answer: unknown,
) {
  return secrets.encrypt(purpose, JSON.stringify(answer), placeOf(serviceId, key));
}

function placeOf(serviceId: string, key: string): string {
  return `${serviceId} ${key}`;
}

export const idempotentResponses: EncryptedValues = {
  name: 'answers to repeated requests',
  purpose,
  select: selectEncryptedResponses,
  replace: replaceEncryptedResponses,
};

/** The key of a request's header; undefined when it has none. */
export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header).trim();
  if (key !== '' && key.length <= longestKey) return key;
  throw new Failure('invalid', 'ValidationError', `Idempotency-Key must be 1 to ${longestKey} characters long`);
}

export async function findStoredResponse(
  app: Needs,
  serviceId: string,
  key: string,
): Promise<StoredResponse | undefined> {
  const known = await selectIdempotencyKey(app.db, serviceId, key, timestamp(replayLimit(app.clock.now())));
  if (typeof known?.response !== 'string') return known;
  const answer = app.secrets.decrypt(purpose, known.response, placeOf(serviceId, key));
  if (!answer) throw new Error('An answer cannot be decrypted: does SECRET_KEYS lack a key?');
  return { ...known, response: JSON.parse(answer.toString()) };
}

export function replayLimit(now: Date): Date {
  return earlier(now, replayHours * hour_ms);
}

/** The same for bodies that say the same: keys of objects may stand in any order. */
export function digestOfRequest(channel: string, body: unknown): string {
  return createHash('sha256')
    .update(`${channel} ${JSON.stringify(body, inKeyOrder)}`)
    .digest('base64url');
}

function inKeyOrder(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

export function refuseDifferentBody(known: StoredResponse, request_digest: string): void {
  if (known.request_digest === request_digest) return;
  throw new Failure(
    'unprocessable',
    'IdempotencyError',
    'This Idempotency-Key was used before with a different request body',
  );
}

/** Requests of this process that are not answered yet, by service and key. */
export class RunningRequests {
  private readonly running = new Set<string>();

  /** Runs the work unless a request under the same key is at it. */
  async alone<T>(serviceId: string, key: string, work: () => Promise<T>): Promise<T> {
    const name = `${serviceId} ${key}`;
    if (this.running.has(name)) throw conflict('A request with this Idempotency-Key is still being processed');
    this.running.add(name);
    try {
      return await work();
    } finally {
      this.running.delete(name);
    }
  }
}
