import { createHmac } from 'node:crypto';
import { systemClock } from '../../platform/clock.ts';

/** A token of the Notify protocol, valid for 30 seconds. */
export function signedToken(issuer: string, secret: string): string {
  const part = (value: object) => Buffer.from(JSON.stringify(value)).toString('base64url');
  const claims = { iss: issuer, iat: Math.floor(systemClock.now().getTime() / 1000) };
  const signed = `${part({ typ: 'JWT', alg: 'HS256' })}.${part(claims)}`;
  return `${signed}.${createHmac('sha256', secret).update(signed).digest('base64url')}`;
}
