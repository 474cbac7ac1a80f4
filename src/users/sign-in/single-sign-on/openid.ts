import type { Configuration } from 'openid-client';
import { hour_ms } from '../../../platform/clock.ts';
import type { Platform } from '../../../platform/platform.ts';
import type { SingleSignOnSettings } from './settings.ts';

// The only file that knows the library.

/** What the answer of the issuer must match; kept in the browser, encrypted. */
export interface ExpectedAnswer {
  state: string;
  nonce: string;
  code_verifier: string;
}

/** `unavailable`: no answer in time. `denied`: the issuer said no. `invalid`: the answer is not what we asked for. */
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

/** Loaded when it is first used, and never without the setting. */
const library = () => import('openid-client');

const timeout_s = 5;
const clockTolerance_s = 30;
const metadataIsKept_ms = hour_ms;

/**
 * Signs in with the authorization code flow. What the issuer publishes about itself is read at the first sign-in, not at
 * the start: without the issuer, everything else works.
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

  /** Throws when the issuer does not answer, or calls itself differently. */
  async check(): Promise<void> {
    await this.configuration();
  }

  /** The address to send the browser to, and what to expect from it when it comes back. */
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
   * What the issuer says about the person. Checks state, PKCE, nonce, issuer, audience, times and signature. `search`: the
   * query of the address that the browser came back to. `needed`: claims to ask for where the ID token has them not.
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

  /** One reading for all who wait; a failed one is forgotten, so that the next sign-in tries again. */
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
      // Basic is what issuers support unless they say otherwise.
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

/** Undefined without the settings. */
export function createOpenIdIssuer(
  { config, clock }: Pick<Platform, 'clock'> & { config: { singleSignOn: SingleSignOnSettings } },
  redirectUri: string,
): OpenIdIssuer | undefined {
  const { issuer, clientId, clientSecret } = config.singleSignOn;
  if (issuer === undefined || clientId === undefined || clientSecret === undefined) return undefined;
  return new OpenIdIssuer({ ...config.singleSignOn, issuer, clientId, clientSecret }, redirectUri, clock);
}

/** The reason is for the log: it has no claims, and so no person. */
function problemOf(error: unknown): IssuerProblem {
  if (error instanceof IssuerProblem) return error;
  const { message, code, error: name } = error as { message?: string; code?: string; error?: string };
  const reason = [message, code, name].filter((text) => typeof text === 'string').join(' ');
  const status = (error as { status?: number; cause?: { status?: number } }).cause?.status;
  const isDown = code === 'OAUTH_TIMEOUT' || error instanceof TypeError || (status !== undefined && status >= 500);
  return new IssuerProblem(isDown ? 'unavailable' : 'invalid', reason, error);
}
