import { createHash } from 'node:crypto';
import { earlier, hour_ms, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { conflict, Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { EncryptedValues } from '../../platform/secrets/encrypted-values.ts';
import {
  claimIdempotencyKeys,
  replaceEncryptedResponses,
  selectEncryptedResponses,
  selectIdempotencyKey,
  selectResponses,
} from './idempotency.sql.ts';

/** How long repeated requests get the first response. */
const replayHours = 24;
const maxKeyLength = 255;

export interface IdempotencyClaim {
  key: string;
  request_digest: string;
}

/** The response to an earlier request with the same Idempotency-Key. */
export interface StoredResponse {
  request_digest: string;
  response: unknown;
}

const purpose = 'idempotent-answer';

/** Encrypts a response that contains links to files. It is stored as a string instead of an object. */
export function encryptResponse({ secrets }: Platform, serviceId: string, key: string, response: unknown) {
  return secrets.encrypt(purpose, JSON.stringify(response), contextOf(serviceId, key));
}

function contextOf(serviceId: string, key: string): string {
  return `${serviceId} ${key}`;
}

export const idempotentResponses: EncryptedValues = {
  name: 'idempotent responses',
  purpose,
  select: selectEncryptedResponses,
  replace: replaceEncryptedResponses,
};

export function readIdempotencyKey(header: string | string[] | undefined): string | undefined {
  if (header === undefined) return undefined;
  const key = String(header).trim();
  if (key !== '' && key.length <= maxKeyLength) return key;
  throw new Failure('invalid', 'ValidationError', `Idempotency-Key must be 1 to ${maxKeyLength} characters long`);
}

export async function findStoredResponse(
  app: Platform,
  serviceId: string,
  key: string,
): Promise<StoredResponse | undefined> {
  const row = await selectIdempotencyKey(app.db, serviceId, key, timestamp(replayLimit(app.clock.now())));
  return row && { ...row, response: readResponse(app, serviceId, key, row.response) };
}

function readResponse(app: Platform, serviceId: string, key: string, stored: unknown): unknown {
  if (typeof stored !== 'string') return stored;
  const response = app.secrets.decrypt(purpose, stored, contextOf(serviceId, key));
  if (!response) throw new Error('Cannot decrypt a stored response: does SECRET_KEYS lack a key?');
  return JSON.parse(response.toString());
}

/** Finds stored responses by their keys. */
export async function findStoredResponses(
  app: Platform,
  serviceId: string,
  keys: string[],
): Promise<Map<string, unknown>> {
  if (keys.length === 0) return new Map();
  const rows = await selectResponses(app.db, serviceId, keys, timestamp(replayLimit(app.clock.now())));
  return new Map(rows.map(({ key, response }) => [key, readResponse(app, serviceId, key, response)]));
}

/** How long accepting waits for a row that another transaction has locked. After that, the service gets a 503. */
export const lockTimeout_ms = 3_000;

/** Returns false if another request has the key. Waits for a request that is about to claim it. */
export async function claimIdempotencyKey(
  tx: Tx,
  service_id: string,
  claim: IdempotencyClaim & { response: unknown },
  now: Date,
): Promise<boolean> {
  const row = { service_id, ...claim, created_at: timestamp(now) };
  const freeBefore = timestamp(replayLimit(now));
  return (await claimIdempotencyKeys(tx, { rows: [row], freeBefore, lockTimeout_ms })).length > 0;
}

export function replayLimit(now: Date): Date {
  return earlier(now, replayHours * hour_ms);
}

/** Does not depend on the order of object keys. */
export function digestOfRequest(channel: string, body: unknown): string {
  return createHash('sha256')
    .update(`${channel} ${JSON.stringify(body, sortKeys)}`)
    .digest('base64url');
}

function sortKeys(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).sort(([left], [right]) => (left < right ? -1 : 1)));
}

/** The response to a send, and whether it was replayed from an earlier request with the same key. */
export interface Sent<ResponseBody> {
  response: ResponseBody;
  replayed: boolean;
}

export function replay<ResponseBody>(stored: StoredResponse, request_digest: string): Sent<ResponseBody> {
  if (stored.request_digest !== request_digest) {
    throw new Failure(
      'unprocessable',
      'IdempotencyError',
      'This Idempotency-Key was used before with a different request body',
    );
  }
  return { response: stored.response as ResponseBody, replayed: true };
}

/** Requests of this process in progress, by service and key. */
export class RunningRequests {
  private readonly running = new Map<string, Promise<unknown>>();

  /** Throws a conflict if a request with the same key is in progress. */
  alone<T>(serviceId: string, key: string, work: () => Promise<T>): Promise<T> {
    const name = `${serviceId} ${key}`;
    if (this.running.has(name)) throw conflict('A request with this Idempotency-Key is still being processed');
    return this.run(name, work);
  }

  /** Shares the result of a running request with the same key. Both must do the same work. */
  shared<T>(serviceId: string, key: string, work: () => Promise<T>): Promise<T> {
    const name = `${serviceId} ${key}`;
    return (this.running.get(name) as Promise<T> | undefined) ?? this.run(name, work);
  }

  private run<T>(name: string, work: () => Promise<T>): Promise<T> {
    const result = work().finally(() => this.running.delete(name));
    this.running.set(name, result);
    return result;
  }
}
