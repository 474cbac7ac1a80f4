import { describe, expect, it } from 'vitest';
import { jwt } from '../../test/kit/builders/jwt.ts';
import { adminToken, useHarness } from '../../test/kit/harness.ts';
import { credentialTexts } from './bearer.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const url = '/service/00000000-0000-4000-8000-000000000000/api-keys';
const now = Date.parse('2026-11-15T12:00:00Z') / 1000;

async function responseTo(authorization: string | undefined) {
  return harness.request({ method: 'GET', url, headers: authorization === undefined ? {} : { authorization } });
}

function token(change: Parameters<typeof adminToken>[1]): string {
  return `Bearer ${adminToken(harness.clock, change)}`;
}

describe('admin authentication', () => {
  const refusals: [string, () => string | undefined, number, string][] = [
    ['no header', () => undefined, 401, credentialTexts.missing],
    ['an empty header', () => '', 401, credentialTexts.missing],
    ['another scheme', () => 'Basic abc', 401, credentialTexts.scheme],
    ['a token that is not a JWT', () => 'Bearer nonsense', 403, credentialTexts.malformed],
    ['no issuer', () => token({ claims: { iss: undefined } }), 403, credentialTexts.noIssuer],
    ['the issuer of a service', () => token({ claims: { iss: 'x' }, secret: 'y' }), 401, credentialTexts.notAllowed],
    ['another algorithm', () => token({ header: { alg: 'HS512' } }), 403, credentialTexts.algorithm],
    ['no algorithm', () => token({ header: { alg: 'none' } }), 403, credentialTexts.algorithm],
    ['another secret', () => token({ secret: 'guess' }), 403, credentialTexts.keyNotFound],
    ['no issue time', () => token({ claims: { iat: undefined } }), 403, credentialTexts.keyNotFound],
    ['a token issued 31 s ago', () => token({ claims: { iat: now - 31 } }), 403, credentialTexts.clock],
    ['a token issued 31 s in the future', () => token({ claims: { iat: now + 31 } }), 403, credentialTexts.clock],
    ['a non-numeric issue time', () => token({ claims: { iat: 'noon' } }), 403, credentialTexts.clock],
    ['an audience', () => token({ claims: { aud: 'x' } }), 403, credentialTexts.malformed],
    ['an expired token', () => token({ claims: { exp: now - 60 } }), 403, credentialTexts.malformed],
  ];
  it.each(refusals)('rejects %s', async (_what, header, status, text) => {
    const response = await responseTo(header());
    expect(response.status).toBe(status);
    expect(response.body).toEqual({ result: 'error', message: { token: [text] } });
  });

  it.each([0, 30, -30])('accepts a token issued %i s from now', async (seconds) => {
    const response = await responseTo(token({ claims: { iat: now + seconds } }));
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: 'No result found' });
  });

  it('accepts the scheme in any letter case', async () => {
    expect((await responseTo(`bEARER ${adminToken(harness.clock)}`)).status).toBe(404);
  });

  it('rejects a service’s token before checking its signature', async () => {
    const response = await responseTo(
      `Bearer ${jwt({ iss: 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553', iat: now }, 'whatever')}`,
    );
    expect(response.status).toBe(401);
  });
});
