import { createHmac, timingSafeEqual } from 'node:crypto';
import { Failure } from '../platform/failure.ts';

/** Error messages of rejected credentials. Each surface formats the body; `token` is the field of the admin surface. */
export const credentialTexts = {
  missing: 'Unauthorized: authentication token must be provided',
  scheme: 'Unauthorized: authentication bearer scheme must be used',
  notAllowed: 'Unauthorized: not allowed to perform this action',
  malformed:
    'Invalid token: make sure your API token matches the example at https://docs.notifications.service.gov.uk/rest-api.html#authorisation-header',
  noIssuer: 'Invalid token: iss field not provided',
  issuerNotAnId: 'Invalid token: service id is not the right data type',
  serviceNotFound: 'Invalid token: service not found',
  noKeys: 'Invalid token: service has no API keys',
  archived: 'Invalid token: service is archived',
  algorithm: 'Invalid token: algorithm used is not HS256',
  keyNotFound: 'Invalid token: API key not found',
  keyRevoked: 'Invalid token: API key revoked',
  network: 'Invalid token: API key may not be used from this address',
  clock: 'Error: Your system clock must be accurate to within 30 seconds',
};

type CredentialProblem = keyof typeof credentialTexts;

const unauthenticated = new Set<CredentialProblem>(['missing', 'scheme', 'notAllowed']);

export function refused(problem: CredentialProblem): Failure {
  const text = credentialTexts[problem];
  const kind = unauthenticated.has(problem) ? 'unauthenticated' : 'forbidden';
  return new Failure(kind, 'AuthError', { token: [text] }, { problems: [{ error: 'AuthError', message: text }] });
}

/** Returns the token of an `Authorization: Bearer ...` header. */
export function bearerToken(header: string | undefined): string {
  if (!header) throw refused('missing');
  if (header.slice(0, 7).toLowerCase() !== 'bearer ') throw refused('scheme');
  return header.slice(7).trim();
}

export interface Jwt {
  header: { alg?: unknown };
  claims: { iss?: unknown; iat?: unknown; exp?: unknown; nbf?: unknown; aud?: unknown };
  signed: string;
  signature: Buffer;
}

/** Parses a token without verifying it: the issuer determines which secrets to verify the signature with. */
export function readJwt(token: string): Jwt | undefined {
  const parts = token.split('.');
  if (parts.length !== 3 || parts.some((part) => !/^[\w-]*$/.test(part))) return undefined;
  const header = jsonObject(parts[0]);
  const claims = jsonObject(parts[1]);
  if (!header || !claims) return undefined;
  return { header, claims, signed: `${parts[0]}.${parts[1]}`, signature: Buffer.from(parts[2] ?? '', 'base64url') };
}

/** Whether a token starts like a JWT, even if it is truncated or malformed after the header. */
export function looksLikeJwt(token: string): boolean {
  return jsonObject(token.split('.', 1)[0])?.alg !== undefined;
}

export function isSignedWith(jwt: Jwt, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(jwt.signed).digest();
  return expected.length === jwt.signature.length && timingSafeEqual(expected, jwt.signature);
}

const leewaySeconds = 30;

/** Checks the claims of a token with a valid signature; returns undefined when they are valid. */
export function claimsProblem(claims: Jwt['claims'], now: Date): CredentialProblem | undefined {
  const seconds = now.getTime() / 1000;
  if (claims.iat === undefined || claims.iat === null) return 'keyNotFound';
  // `iat` is in whole seconds, so compare whole seconds: a difference of exactly 30 is accepted.
  if (typeof claims.iat !== 'number' || Math.abs(Math.floor(seconds) - claims.iat) > leewaySeconds) return 'clock';
  if (claims.aud !== undefined) return 'malformed';
  if (claims.exp !== undefined && (typeof claims.exp !== 'number' || claims.exp <= seconds - leewaySeconds))
    return 'malformed';
  if (claims.nbf !== undefined && (typeof claims.nbf !== 'number' || claims.nbf > seconds + leewaySeconds))
    return 'malformed';
  return undefined;
}

function jsonObject(part: string | undefined): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(part ?? '', 'base64url').toString('utf8'));
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}
