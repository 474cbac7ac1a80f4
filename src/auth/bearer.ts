import { Failure } from '../platform/failure.ts';
import type { Jwt } from '../platform/secrets/jwt.ts';

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
  wholeKey: 'Invalid token: Enter your full API key',
  keyNotFound: 'Invalid token: API key not found',
  keyRevoked: 'Invalid token: API key revoked',
  network: 'Invalid token: API key may not be used from this address',
  clock: 'Error: Your system clock must be accurate to within 30 seconds',
};

type CredentialProblem = keyof typeof credentialTexts;

const unauthenticated = new Set<CredentialProblem>(['missing', 'scheme', 'notAllowed']);

export function refused(problem: CredentialProblem, reason?: string): Failure {
  const text = credentialTexts[problem];
  const kind = unauthenticated.has(problem) ? 'unauthenticated' : 'forbidden';
  const problems = [{ error: 'AuthError', message: text }];
  return new Failure(kind, 'AuthError', { token: [text] }, { problems, reason });
}

/** Returns the token of an `Authorization: Bearer ...` header. */
export function bearerToken(header: string | undefined): string {
  if (!header) throw refused('missing');
  if (header.slice(0, 7).toLowerCase() !== 'bearer ') throw refused('scheme');
  return header.slice(7).trim();
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
