import type { FastifyRequest } from 'fastify';
import type { ApiCaller } from '../../auth/api-caller.ts';
import { day_ms, earlier, minute_ms, timestamp } from '../../platform/clock.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { Failure } from '../../platform/failure.ts';
import { firstIdAt, isUuid, newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { publicErrors } from '../../protocol/error-bodies.ts';
import { printedValue } from '../../protocol/schema-problems.ts';
import {
  deleteRefusedRequestsBefore,
  insertRefusedRequests,
  type NewRefusedRequest,
  selectRefusedRequests,
} from './refused-requests.sql.ts';

/** A service that only sends invalid requests fills no more than its own share. */
export const maxPerServiceAndMinute = 20;
export const keptPerService = 500;
const kept_ms = 7 * day_ms;
const writeEvery_ms = 2_000;
const maxWaiting = 2_000;

const maxErrors = 5;
const maxMessage = 500;
const maxNames = 50;
const maxName = 100;

/** Other paths have their own lists of problems, or no body. */
const recordedPaths = new Set([
  '/v2/notifications/sms',
  '/v2/notifications/email',
  '/v2/notifications/letter',
  '/v2/template/:template_id/preview',
]);

/** Records rejected requests of the public API: in memory first, then in batches, after the response. Stores no values. */
export class RefusedRequests {
  private readonly app: Platform;
  private waiting: NewRefusedRequest[] = [];
  private writing: NodeJS.Timeout | undefined;
  private readonly counts = new Map<string, number>();
  private countedSince = Number.NEGATIVE_INFINITY;

  constructor(app: Platform) {
    this.app = app;
  }

  record(request: FastifyRequest, failure: Failure, status_code: number): void {
    const caller = request.apiCaller;
    const path = request.routeOptions.url ?? '';
    if (!caller || status_code >= 500 || !recordedPaths.has(path) || !this.hasRoom(caller.service_id)) return;
    const sent = whatWasSent(request, failure, status_code);
    this.add(caller, { path: path.replaceAll(/:(\w+)/g, '{$1}'), status_code, ...sent });
  }

  /** Records an email sent over SMTP, with the code and text of its rejection. */
  recordEmail(caller: ApiCaller, status_code: number, message: string): void {
    if (!this.hasRoom(caller.service_id)) return;
    const errors = [{ error: 'SMTP', message: storable(message, maxMessage) }];
    const sent = { errors, template_id: null, fields: [], personalisation_fields: [] };
    this.add(caller, { path: 'SMTP', status_code, ...sent });
  }

  private add(
    { service_id, api_key_id }: ApiCaller,
    refused: Omit<NewRefusedRequest, 'id' | 'service_id' | 'api_key_id' | 'created_at'>,
  ): void {
    const now = this.app.clock.now();
    this.waiting.push({ id: newId(now), service_id, api_key_id, ...refused, created_at: timestamp(now) });
    this.writing ??= setTimeout(() => void this.write(), writeEvery_ms).unref();
  }

  async write(): Promise<void> {
    clearTimeout(this.writing);
    this.writing = undefined;
    const rows = this.waiting;
    if (rows.length === 0) return;
    this.waiting = [];
    try {
      await insertRefusedRequests(this.app.db, rows, keptPerService);
    } catch (error) {
      // Requests matter more than this list.
      this.app.log.warn(
        { event: 'refused_requests.unrecorded', err: error, count: rows.length },
        'Refused requests were not recorded',
      );
    }
  }

  private hasRoom(serviceId: string): boolean {
    const now = performance.now();
    if (now - this.countedSince >= minute_ms) {
      this.countedSince = now;
      this.counts.clear();
    }
    const count = this.counts.get(serviceId) ?? 0;
    if (count >= maxPerServiceAndMinute || this.waiting.length >= maxWaiting) return false;
    this.counts.set(serviceId, count + 1);
    return true;
  }
}

function whatWasSent({ body, params }: FastifyRequest, failure: Failure, status: number) {
  const { errors } = publicErrors.errorBody(failure, status);
  const fields = typeof body === 'object' && body !== null ? body : {};
  const { template_id = undefined, personalisation = undefined } = {
    ...(params as { template_id?: unknown }),
    ...(fields as { template_id?: unknown; personalisation?: unknown }),
  };
  return {
    errors: errors.slice(0, maxErrors).map(({ error, message }) => ({
      error,
      message: storable(withoutValues(message, body), maxMessage),
    })),
    template_id: typeof template_id === 'string' && isUuid(template_id) ? template_id : null,
    fields: namesOf(fields),
    personalisation_fields: namesOf(personalisation),
  };
}

function namesOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  return Object.keys(value)
    .slice(0, maxNames)
    .map((name) => storable(name, maxName));
}

/** PostgreSQL can store neither NUL nor lone surrogates, and one such text would lose the whole batch. */
function storable(text: string, maxLength: number): string {
  return text.slice(0, maxLength).replaceAll(/[\0\p{Cs}]/gu, '');
}

const pageSize = 50;

export async function listRefusedRequests(
  app: Platform & { refusedRequests: RefusedRequests },
  serviceId: string,
  page: { older_than?: string },
) {
  await refuseUnlessExists(app.db, 'services', serviceId);
  await app.refusedRequests.write();
  const rows = await selectRefusedRequests(app.db, serviceId, { size: pageSize, ...page });
  return rows.map(({ errors, ...row }) => ({ ...row, errors: errors as NewRefusedRequest['errors'] }));
}

const batch = 2_000;

export async function deleteOldRefusedRequests({ db, clock }: Platform): Promise<void> {
  const before = firstIdAt(earlier(clock.now(), kept_ms));
  while ((await deleteRefusedRequestsBefore(db, before, batch)) === batch);
}

const maxValues = 500;
const maxDepth = 4;

/** Removes everything that the request contained from an error text: some texts repeat a value, which may be personal data. */
export function withoutValues(message: string, body: unknown): string {
  // These names come from the template.
  if (message.startsWith('Missing personalisation: ')) return message;
  return valuesIn(body)
    .map(printedValue)
    .filter((value) => value.trim() !== '')
    .sort((a, b) => b.length - a.length)
    .reduce((text, value) => (text.includes(value) ? replaceWhole(text, value) : text), message);
}

/** Replaces whole words only, because a short value is often part of another word. */
function replaceWhole(text: string, value: string): string {
  const parts = text.split(value);
  return parts.reduce((before, after) => {
    const isPart = value.length < 3 && (/[\p{L}\p{N}]$/u.test(before) || /^[\p{L}\p{N}]/u.test(after));
    return `${before}${isPart ? value : '…'}${after}`;
  });
}

/** Returns the texts, numbers, lists and objects of the body, except the template id. */
function valuesIn(body: unknown, depth = 0): unknown[] {
  if (typeof body !== 'object' || body === null || depth > maxDepth) return [];
  const values: unknown[] = [];
  for (const [name, value] of Object.entries(body)) {
    if (values.length >= maxValues) break;
    if (depth === 0 && name === 'template_id') continue;
    if (value !== null && typeof value !== 'boolean') values.push(value);
    values.push(...valuesIn(value, depth + 1));
  }
  return values.slice(0, maxValues);
}
