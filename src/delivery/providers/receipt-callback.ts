import { type Static, Type } from 'typebox';
import { minute_ms } from '../../platform/clock.ts';
import { adminErrors } from '../../protocol/error-bodies.ts';
import { OneOf } from '../../protocol/fields.ts';
import type { ReceiptDeps } from './descriptor.ts';
import { isReceiptToken } from './receipt-address.ts';

/** Schemas and checks that receipt webhooks share. */

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

/** Whether a gateway that does not sign its receipts sent this one to the URL of its message, if that is required. */
export function isProven(
  { config, secrets }: Pick<ReceiptDeps, 'config' | 'secrets'>,
  gateway: string,
  reference: unknown,
  token: string | undefined,
): boolean {
  return !config.sms.receiptTokens || isReceiptToken(secrets, gateway, reference, token);
}

const clockDifference_ms = 5 * minute_ms;

/** Whether a signature was made at most this long ago, and not in the future. An older one may be a replay. */
export function isRecent(signedAt_ms: number, now: Date, maxAge_ms: number): boolean {
  const age_ms = now.getTime() - signedAt_ms;
  return age_ms >= -clockDifference_ms && age_ms <= maxAge_ms;
}

/** Zero is a value; undefined, null and the empty string are not. */
export function missingFields(
  body: Record<string, unknown>,
  names: string[],
  provider: string,
): Static<typeof Missing> | undefined {
  const missing = names.filter((name) => [undefined, null, ''].includes(body[name] as undefined));
  if (missing.length === 0) return undefined;
  return { result: 'error', message: missing.map((name) => `${provider} callback failed: ${name} missing`) };
}
