import { type Static, Type } from 'typebox';
import { Calendar } from '../../countries/calendar.ts';
import { later, minute_ms } from '../../platform/clock.ts';
import { Failure, forbidden } from '../../platform/failure.ts';
import { isUuid } from '../../platform/id.ts';
import { type SecretBox, sameSecret } from '../../platform/secrets/secrets.ts';
import type { Urls } from '../../platform/settings.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { OneOf } from '../../protocol/fields.ts';
import type { ReceiptDeps } from './descriptor.ts';

/** Schemas, checks and readers that the webhooks of providers share. */

const Success = Type.Object({ result: Type.Literal('success') });
const Missing = Type.Object({
  result: OneOf(['error']),
  message: Type.Unsafe<string[]>({
    description: 'The missing fields, or the problem of a body that is not an object',
    anyOf: [{ type: 'array', items: { type: 'string' } }, adminErrors.errorSchema.properties.message],
  }),
});

export const receiptResponses = { 200: Success, 400: Missing };
export const Anything = Type.Optional(Type.Unknown());
export const ReceiptToken = Type.Object({
  token: Type.Optional(
    Type.String({ description: 'Part of the callback URL of the message; not needed in the sandbox' }),
  ),
});

/** Whether the receipt is authentic. A gateway that does not sign must use the URL of the message, if that is required. */
export function isAuthentic(
  { config, secrets }: Pick<ReceiptDeps, 'config' | 'secrets'>,
  gateway: string,
  reference: unknown,
  token: string | undefined,
): boolean {
  return !config.sms.receiptTokens || isReceiptToken(secrets, gateway, reference, token);
}

const clockDifference_ms = 5 * minute_ms;

/** Whether a signature was made at most this long ago and not in the future. An older one may be a replay. */
export function isRecent(signedAt_ms: number, now: Date, maxAge_ms: number): boolean {
  const age_ms = now.getTime() - signedAt_ms;
  return age_ms >= -clockDifference_ms && age_ms <= maxAge_ms;
}

/** Zero counts as a value; undefined, null and the empty string do not. */
export function missingFields(
  body: Record<string, unknown>,
  names: string[],
  provider: string,
): Static<typeof Missing> | undefined {
  const missing = names.filter((name) => [undefined, null, ''].includes(body[name] as undefined));
  if (missing.length === 0) return undefined;
  return { result: 'error', message: missing.map((name) => `${provider} callback failed: ${name} missing`) };
}

export const InboundOk = Type.Object({ status: Type.Literal('ok') });
export const PhoneNumber = Type.Unknown({ description: 'A phone number' });

/** `expected` is `user:password`. Without it, the webhook rejects all requests. */
export function refuseUnlessGateway(authorization: string | undefined, expected: string | undefined): void {
  const [scheme = '', given = ''] = (authorization ?? '').split(' ');
  if (scheme.toLowerCase() !== 'basic') {
    throw new Failure('unauthenticated', 'AuthError', 'Unauthorized: basic credentials must be provided', {
      headers: { 'www-authenticate': 'Basic realm="webhooks"' },
    });
  }
  const credentials = Buffer.from(given, 'base64').toString();
  if (expected === undefined || !sameSecret(credentials, expected)) throw forbidden('Invalid credentials');
}

/** Returns the receipt URL of one message. Its token is valid for this message only. */
export function receiptAddress(
  { secrets, config }: { secrets: SecretBox; config: { urls: Urls } },
  gateway: string,
  notificationId: string,
): string {
  return `${config.urls.api}/notifications/sms/${gateway}?token=${tokenOf(secrets, gateway, notificationId)}`;
}

/** Whether a receipt came to the URL of its message. */
export function isReceiptToken(secrets: SecretBox, gateway: string, reference: unknown, token = ''): boolean {
  return isUuid(reference) && sameSecret(token, tokenOf(secrets, gateway, reference.toLowerCase()));
}

function tokenOf(secrets: SecretBox, gateway: string, notificationId: string): string {
  return secrets.digest(`receipt-${gateway}`, notificationId);
}

/** Returns a field as text. Objects and arrays become empty, because their `toString` could return anything. */
export function plainText(value: unknown): string {
  return typeof value === 'object' || value === undefined ? '' : String(value);
}

const wallTime = /^(\d{4}-\d{2}-\d{2})[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.\d+)?)?$/;

/** MMG and Firetext send London times, whichever country the messages go to. */
const london = new Calendar('Europe/London');

/** Parses the timestamp of a text gateway; without an offset it is London time. Returns undefined if it is invalid. */
export function londonTime(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const [, day = '', hour = '', minute = '', second = '0'] = wallTime.exec(text.trim()) ?? [];
  if (day === '') return readable(new Date(text));
  const instant = readable(new Date(`${day}T${hour}:${minute}:${second.padStart(2, '0')}Z`));
  return instant && later(london.instant(day, Number(hour), Number(minute)), Number(second) * 1_000);
}

/** Parses like `londonTime`, but without an offset the time is UTC. */
export function utcTime(text: unknown): Date | undefined {
  if (typeof text !== 'string') return undefined;
  const trimmed = text.trim();
  return readable(new Date(wallTime.test(trimmed) ? `${trimmed.replace(' ', 'T')}Z` : trimmed));
}

function readable(date: Date): Date | undefined {
  return Number.isNaN(date.getTime()) ? undefined : date;
}
