import { generateKeyPairSync } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import Provider from 'oidc-provider';

export const openIdClient = { id: 'pennypost', secret: 'secret-of-the-client' };

/** An OpenID provider that signs everybody in as `person`, or refuses with `error`, without showing a page. */
export interface OpenIdProvider {
  issuer: string;
  person: { sub: string; [claim: string]: unknown };
  error: string | undefined;
  /** Starts to respond again at the same address. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export async function anOpenIdProvider(redirectUris: string[]): Promise<OpenIdProvider> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  const issuer = `http://127.0.0.1:${port}`;
  const made: OpenIdProvider = {
    issuer,
    person: { sub: 'nobody' },
    error: undefined,
    start: () => new Promise((resolve) => server.listen(port, '127.0.0.1', resolve)),
    stop: () => stop(server),
  };
  const provider = createProvider(made, redirectUris);
  const answer = provider.callback();
  server.on('request', (request, response) => {
    if (!request.url?.startsWith('/interaction/')) return void answer(request, response);
    const result = made.error ? { error: made.error } : { login: { accountId: made.person.sub } };
    void provider.interactionFinished(request, response, result);
  });
  return made;
}

function createProvider(made: OpenIdProvider, redirect_uris: string[]): Provider {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const scope = 'openid email profile';
  return new Provider(made.issuer, {
    clients: [{ client_id: openIdClient.id, client_secret: openIdClient.secret, redirect_uris }],
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'RS256' }] },
    cookies: { keys: ['key of the cookies'] },
    claims: { openid: ['sub', 'groups'], email: ['email', 'email_verified'], profile: ['name'] },
    features: { devInteractions: { enabled: false } },
    interactions: { url: (_context, { uid }) => `/interaction/${uid}` },
    findAccount: (_context, accountId) => ({ accountId, claims: () => ({ ...made.person, sub: accountId }) }),
    async loadExistingGrant({ oidc }) {
      const { client, session, provider } = oidc;
      const grant = new provider.Grant({ clientId: client?.clientId ?? '', accountId: session?.accountId ?? '' });
      grant.addOIDCScope(scope);
      await grant.save();
      return grant;
    },
    ttl: { AccessToken: 60, AuthorizationCode: 60, Grant: 60, IdToken: 60, Interaction: 60, Session: 60 },
  });
}

function stop(server: Server): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => void server.close(() => resolve()));
}

/** Follows the provider's redirects as a browser does, until they lead back to the application. Returns that address. */
export async function passOpenIdProvider(url: string, issuer: string): Promise<string> {
  const cookies = new Map<string, string>();
  let at = url;
  for (let steps = 0; steps < 10 && at.startsWith(issuer); steps += 1) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(at, { redirect: 'manual', headers: cookie ? { cookie } : {} });
    for (const line of response.headers.getSetCookie()) {
      const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? [];
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    if (location === null) throw new Error(`${at} answers ${response.status}: ${await response.text()}`);
    at = new URL(location, at).href;
  }
  return at;
}
