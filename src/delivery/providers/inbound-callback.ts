import { Type } from 'typebox';
import { Failure, forbidden } from '../../platform/failure.ts';
import { sameSecret } from '../../platform/secrets/secrets.ts';

/** Schemas and checks that the webhooks of gateways share. */

export const InboundOk = Type.Object({ status: Type.Literal('ok') });
export const PhoneNumber = Type.Unknown({ description: 'A phone number' });

/** `expected` is `user:password`. Without configured credentials the webhook rejects all requests. */
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
