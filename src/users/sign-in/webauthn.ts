import { isIP } from 'node:net';
import type { AuthenticationResponseJSON, RegistrationResponseJSON } from '@simplewebauthn/server';
import type { Urls } from '../../platform/settings.ts';

// The only file that imports @simplewebauthn/server.

/** The host that security keys are registered for: browsers offer a key to no other host. */
export interface KeySite {
  rp_id: string;
  origin: string;
}

/** The stored data of a key that verification needs. */
interface VerifiableKey {
  credential_id: string;
  public_key: Buffer;
  sign_count: number;
  transports: string[];
}

/** Returns undefined where browsers refuse security keys: without https (except on localhost), and for IP addresses. */
export function keySiteOf({ urls }: { urls: Urls }): KeySite | undefined {
  const { protocol, hostname, origin } = new URL(urls.api);
  const isSecure = protocol === 'https:' || /(^|\.)localhost$/.test(hostname);
  const isName = isIP(hostname.replaceAll(/[[\]]/g, '')) === 0;
  return isSecure && isName ? { rp_id: hostname, origin } : undefined;
}

/** Imported on first use, because loading takes half a second. */
const library = () => import('@simplewebauthn/server');

export async function registrationOptions(
  site: KeySite,
  user: { id: string; name: string; email_address: string },
  known: readonly Pick<VerifiableKey, 'credential_id' | 'transports'>[],
) {
  const { generateRegistrationOptions } = await library();
  return generateRegistrationOptions({
    rpName: 'Pennypost',
    rpID: site.rp_id,
    userID: new Uint8Array(Buffer.from(user.id)),
    userName: user.email_address,
    userDisplayName: user.name,
    attestationType: 'none',
    excludeCredentials: known.map(described),
    // The key is a second step, so it need not store the account.
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'preferred' },
  });
}

export async function signInOptions(
  site: KeySite,
  known: readonly Pick<VerifiableKey, 'credential_id' | 'transports'>[],
) {
  const { generateAuthenticationOptions } = await library();
  return generateAuthenticationOptions({
    rpID: site.rp_id,
    allowCredentials: known.map(described),
    userVerification: 'preferred',
  });
}

function described({ credential_id, transports }: Pick<VerifiableKey, 'credential_id' | 'transports'>) {
  return { id: credential_id, transports };
}

/** `refused` is the reason for the log. */
type Checked<T> = { refused: string; value?: never } | { refused?: never; value: T };

export function checkRegistration(
  site: KeySite,
  challenge: string,
  response: string,
): Promise<Checked<VerifiableKey & { credential_data: string }>> {
  return checked(async () => {
    const { verifyRegistrationResponse } = await library();
    const { verified, registrationInfo } = await verifyRegistrationResponse({
      response: JSON.parse(response) as RegistrationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      requireUserVerification: false,
    });
    if (!verified) return { refused: 'The attestation is not valid' };
    const { credential, aaguid } = registrationInfo;
    const public_key = Buffer.from(credential.publicKey);
    const { id: credential_id, counter: sign_count, transports = [] } = credential;
    const credential_data = attestedData(aaguid, credential_id, public_key);
    return { value: { credential_id, public_key, sign_count, transports: transports.map(String), credential_data } };
  });
}

/** Returns the new signature counter. Rejects a counter that does not grow, which means that another device has a copy of the key. */
export function checkSignIn(
  site: KeySite,
  challenge: string,
  response: string,
  key: VerifiableKey,
): Promise<Checked<{ sign_count: number }>> {
  return checked(async () => {
    const { verifyAuthenticationResponse } = await library();
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response: JSON.parse(response) as AuthenticationResponseJSON,
      expectedChallenge: challenge,
      expectedOrigin: site.origin,
      expectedRPID: site.rp_id,
      credential: { id: key.credential_id, publicKey: new Uint8Array(key.public_key), counter: key.sign_count },
      requireUserVerification: false,
    });
    return verified ? { value: { sign_count: authenticationInfo.newCounter } } : { refused: 'Wrong signature' };
  });
}

/** The library throws for any invalid response, and anybody can send one. */
async function checked<T>(check: () => Promise<Checked<T>>): Promise<Checked<T>> {
  try {
    return await check();
  } catch (error) {
    return { refused: error instanceof Error ? error.message : String(error) };
  }
}

/** Returns the credential id in a response. */
export function credentialIdIn(response: string): string | undefined {
  try {
    const { id } = JSON.parse(response) as { id?: unknown };
    return typeof id === 'string' ? id : undefined;
  } catch {
    return undefined;
  }
}

/** The credential data as other front ends store it: a CBOR byte string with AAGUID, credential id and public key. */
function attestedData(aaguid: string, credentialId: string, publicKey: Buffer): string {
  const id = Buffer.from(credentialId, 'base64url');
  const length = Buffer.alloc(2);
  length.writeUInt16BE(id.length);
  const data = Buffer.concat([Buffer.from(aaguid.replaceAll('-', ''), 'hex'), length, id, publicKey]);
  const head = Buffer.from([0x59, 0, 0]);
  head.writeUInt16BE(data.length, 1);
  return Buffer.concat([head, data]).toString('base64');
}
