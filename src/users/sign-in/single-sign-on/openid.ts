import type { Configuration } from 'openid-client';
import { hour_ms } from '../../../platform/clock.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SingleSignOnSettings } from './settings.ts';

// The only file that imports openid-client.

/** The values that the issuer's response must match. The browser keeps them in an encrypted cookie. */
export interface ExpectedAnswer {
  state: string;
  nonce: string;
  code_verifier: string;
}

/** `unavailable`: no response in time. `denied`: the issuer refused the sign-in. `invalid`: the response is wrong. */
type ProblemKind = 'unavailable' | 'denied' | 'invalid';

export class IssuerProblem extends Error {
  readonly kind: ProblemKind;

  constructor(kind: ProblemKind, reason: string, cause?: unknown) {
    super(reason, { cause });
    this.kind = kind;
  }
}

type Claims = ReadonlyMap<string, unknown>;
type Settings = SingleSignOnSettings & { issuer: string; clientId: string; clientSecret: string };

/** Imported on first use, so never without single sign-on. */
const library = () => import('openid-client');

const timeout_s = 5;
const clockTolerance_s = 30;
const metadataIsKept_ms = hour_ms;

/**
 * Signs in with the authorization code flow. Reads the issuer's metadata at the first sign-in instead of at start-up, so that everything
 * else works while the issuer is down.
 */
class OpenIdIssuer {
  private readonly settings: Settings;
  private readonly redirectUri: string;
  private readonly clock: Platform['clock'];
  private known: { read_ms: number; configuration: Promise<Configuration> } | undefined;

  constructor(settings: Settings, redirectUri: string, clock: Platform['clock']) {
    this.settings = settings;
    this.redirectUri = redirectUri;
    this.clock = clock;
  }

  /** Throws if the issuer does not respond, or its metadata names another issuer. */
  async check(): Promise<void> {
    await this.configuration();
  }

  /** Returns the URL to redirect the browser to, and the values that its return must match. */
  async begin(): Promise<{ url: string; expected: ExpectedAnswer }> {
    const configuration = await this.configuration();
    const openid = await library();
    const code_verifier = openid.randomPKCECodeVerifier();
    const expected = { state: openid.randomState(), nonce: openid.randomNonce(), code_verifier };
    const url = openid.buildAuthorizationUrl(configuration, {
      redirect_uri: this.redirectUri,
      scope: this.settings.scopes,
      state: expected.state,
      nonce: expected.nonce,
      code_challenge: await openid.calculatePKCECodeChallenge(code_verifier),
      code_challenge_method: 'S256',
    });
    return { url: url.href, expected };
  }

  /**
   * Returns the claims about the person. Checks state, PKCE, nonce, issuer, audience, times and signature. `search` is the query string of
   * the redirect back. `needed` are claims to fetch from the userinfo endpoint if the ID token lacks them.
   */
  async finish(search: string, expected: ExpectedAnswer, needed: readonly string[]): Promise<Claims> {
    const configuration = await this.configuration();
    const openid = await library();
    try {
      const tokens = await openid.authorizationCodeGrant(configuration, new URL(`${this.redirectUri}${search}`), {
        expectedState: expected.state,
        expectedNonce: expected.nonce,
        pkceCodeVerifier: expected.code_verifier,
        idTokenExpected: true,
      });
      const claims = new Map<string, unknown>(Object.entries(tokens.claims() ?? {}));
      const isComplete = needed.every((name) => claims.get(name) !== undefined);
      if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) return claims;
      const more = await openid.fetchUserInfo(configuration, tokens.access_token, String(claims.get('sub')));
      return new Map([...Object.entries(more), ...claims]);
    } catch (error) {
      if (error instanceof openid.AuthorizationResponseError) throw new IssuerProblem('denied', error.error, error);
      throw problemOf(error);
    }
  }

  /** Concurrent callers share one request. A failed one is not cached, so the next sign-in tries again. */
  private async configuration(): Promise<Configuration> {
    const now_ms = this.clock.now().getTime();
    if (this.known && now_ms - this.known.read_ms < metadataIsKept_ms) return this.known.configuration;
    const reading = { read_ms: now_ms, configuration: this.readTwice() };
    this.known = reading;
    reading.configuration.catch(() => {
      if (this.known === reading) this.known = undefined;
    });
    return reading.configuration;
  }

  private async readTwice(): Promise<Configuration> {
    try {
      return await this.read();
    } catch (error) {
      if (problemOf(error).kind !== 'unavailable') throw problemOf(error);
    }
    return this.read().catch((error: unknown) => {
      throw problemOf(error);
    });
  }

  private async read(): Promise<Configuration> {
    const openid = await library();
    const { issuer, clientId, clientSecret } = this.settings;
    const [basic, post] = [openid.ClientSecretBasic(clientSecret), openid.ClientSecretPost(clientSecret)];
    return openid.discovery(
      new URL(issuer),
      clientId,
      { client_secret: clientSecret, [openid.clockTolerance]: clockTolerance_s },
      // The default in OpenID Connect Discovery is client_secret_basic.
      (server, ...request) => {
        const supported = server.token_endpoint_auth_methods_supported ?? ['client_secret_basic'];
        return (supported.includes('client_secret_basic') ? basic : post)(server, ...request);
      },
      {
        timeout: timeout_s,
        execute: [
          openid.enableNonRepudiationChecks,
          ...(issuer.startsWith('http://') ? [openid.allowInsecureRequests] : []),
        ],
      },
    );
  }
}

/** Returns undefined if single sign-on is not configured. */
export function createOpenIdIssuer(
  { config, clock }: Pick<Platform, 'clock'> & { config: { singleSignOn: SingleSignOnSettings } },
  redirectUri: string,
): OpenIdIssuer | undefined {
  const { issuer, clientId, clientSecret } = config.singleSignOn;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return new OpenIdIssuer({ ...config.singleSignOn, issuer, clientId, clientSecret }, redirectUri, clock);
}

/** The reason is logged. It contains no claims, so no personal data. */
function problemOf(error: unknown): IssuerProblem {
  if (error instanceof IssuerProblem) return error;
  const { message, code, error: name } = error as { message?: string; code?: string; error?: string };
  const reason = [message, code, name].filter((text) => typeof text === 'string').join(' ');
  const status = (error as { status?: number; cause?: { status?: number } }).cause?.status;
  const isDown = code === 'OAUTH_TIMEOUT' || error instanceof TypeError || (status !== undefined && status >= 500);
  return new IssuerProblem(isDown ? 'unavailable' : 'invalid', reason, error);
}
