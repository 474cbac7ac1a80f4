import { createHmac, type KeyObject, sign, timingSafeEqual } from 'node:crypto';

/** JSON Web Tokens (docs/decisions/0005-own-jwt-check.md). */
export interface Jwt {
  header: { alg?: unknown };
  claims: Record<string, unknown>;
  signed: string;
  signature: Buffer;
}

/** Parses a token without verifying it: its claims may determine which secrets to verify the signature with. */
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

/** Whether the signature is HMAC-SHA-256 with the secret. The caller checks that the header says so. */
export function isSignedWith(jwt: Jwt, secret: string): boolean {
  const expected = createHmac('sha256', secret).update(jwt.signed).digest();
  return expected.length === jwt.signature.length && timingSafeEqual(expected, jwt.signature);
}

/** Returns a token signed with RSA and SHA-256. */
export function signedJwt(claims: object, privateKey: KeyObject): string {
  const parts = [{ alg: 'RS256', typ: 'JWT' }, claims].map((part) =>
    Buffer.from(JSON.stringify(part)).toString('base64url'),
  );
  const signed = parts.join('.');
  return `${signed}.${sign('sha256', Buffer.from(signed), privateKey).toString('base64url')}`;
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
