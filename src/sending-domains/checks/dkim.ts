import { createPublicKey, type KeyObject } from 'node:crypto';
import { type Check, type Conclusion, pass, type RecordingResolver, runCheck } from './check.ts';
import type { Resolver } from './resolver.ts';
import { listOf, parseTags } from './tag-list.ts';

export interface DkimKey {
  selector: string;
  /** The expected `p` of the record. Undefined if a relay signs: then any valid key passes. */
  publicKey?: string;
}

/** Returns the name at which the public key of a domain is published. */
export function dkimName(selector: string, domain: string): string {
  return `${selector}._domainkey.${domain}`;
}

export function checkDkimKey(domain: string, resolver: Resolver, key: DkimKey): Promise<Check> {
  return runCheck('dkim', resolver, (dns) => checkKey(dns, domain, key));
}

export async function checkKey(dns: RecordingResolver, domain: string, key: DkimKey): Promise<Conclusion> {
  const records = await dns.records('TXT', dkimName(key.selector, domain));
  return { selector: key.selector, ...evaluateRecords(records, key) };
}

function evaluateRecords(records: string[], key: DkimKey): Conclusion {
  // Verifiers ignore other TXT records at this name.
  const [record, ...others] = records.filter((text) => /^\s*"?\s*v\s*=\s*DKIM1|(^|;)\s*"?\s*p\s*=/i.test(text));
  if (record === undefined) return fail('record-missing');
  if (others.length > 0) return fail('several-records');
  if (/^\s*"/.test(record)) return fail('quoted');
  const tags = parseTags(record);
  if (!tags) return fail('syntax');
  const version = tags.get('v');
  if (version !== undefined && (version !== 'DKIM1' || tags.keys().next().value !== 'v')) return fail('wrong-version');
  const published = tags.get('p')?.replaceAll(/\s/g, '');
  if (published === undefined) return fail('key-missing');
  if (published === '') return fail('revoked');
  return evaluateTags(tags, published, key);
}

function evaluateTags(tags: Map<string, string>, published: string, key: DkimKey): Conclusion {
  const type = tags.get('k') ?? 'rsa';
  const expected = key.publicKey;
  if (type !== (expected === undefined ? type : typeOf(expected)) || !['rsa', 'ed25519'].includes(type)) {
    return fail('wrong-key-type');
  }
  const hashes = tags.get('h');
  if (hashes !== undefined && !listOf(hashes).includes('sha256')) return fail('hash-not-allowed');
  const uses = tags.get('s');
  if (uses !== undefined && !listOf(uses).some((use) => use === '*' || use === 'email')) return fail('not-for-email');
  if (expected !== undefined && published !== expected) {
    return fail(expected.startsWith(published) ? 'key-cut' : 'key-differs');
  }
  const bits = type === 'rsa' ? rsaBits(published) : ed25519Bits(published);
  if (bits === undefined) return fail('key-invalid');
  if (listOf(tags.get('t') ?? '').includes('y')) return { verdict: 'warn', reason: 'testing' };
  return type === 'rsa' && bits < 2048 ? { verdict: 'warn', reason: 'short-key' } : pass;
}

function fail(reason: string): Conclusion {
  return { verdict: 'fail', reason };
}

/** An Ed25519 key is published as its 32 bytes (RFC 8463), an RSA key with its algorithm. */
function typeOf(publicKey: string): 'rsa' | 'ed25519' {
  return Buffer.from(publicKey, 'base64').length === 32 ? 'ed25519' : 'rsa';
}

function ed25519Bits(published: string): number | undefined {
  return Buffer.from(published, 'base64').length === 32 ? 256 : undefined;
}

/** Returns undefined if verifiers cannot read the key, for example because it is truncated. */
function rsaBits(published: string): number | undefined {
  let key: KeyObject;
  try {
    key = createPublicKey({ key: Buffer.from(published, 'base64'), format: 'der', type: 'spki' });
  } catch {
    return undefined;
  }
  return key.asymmetricKeyDetails?.modulusLength;
}
