import { createHash, createHmac } from 'node:crypto';

export interface AmazonAccount {
  region: string;
  service: string;
  access_key_id: string;
  secret_access_key: string;
}

/** The headers of a POST with Amazon's signature version 4 over its address, headers and body. */
export function signedHeaders(
  account: AmazonAccount,
  { url, headers, body }: { url: string; headers: Record<string, string>; body: string },
  now: Date,
): Record<string, string> {
  const { host, pathname } = new URL(url);
  const moment = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = moment.slice(0, 8);
  const all: Record<string, string> = { ...headers, host, 'x-amz-date': moment };
  const names = Object.keys(all).sort();
  const signedNames = names.join(';');
  const canonical = [
    'POST',
    pathname,
    '',
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    signedNames,
    sha256(body),
  ].join('\n');
  const scope = `${day}/${account.region}/${account.service}/aws4_request`;
  const text = ['AWS4-HMAC-SHA256', moment, scope, sha256(canonical)].join('\n');
  const key = [account.region, account.service, 'aws4_request'].reduce(
    (previous: string | Buffer, part) => hmac(previous, part),
    hmac(`AWS4${account.secret_access_key}`, day),
  );
  const signature = createHmac('sha256', key).update(text).digest('hex');
  const { host: _host, ...sent } = all;
  return {
    ...sent,
    authorization: `AWS4-HMAC-SHA256 Credential=${account.access_key_id}/${scope}, SignedHeaders=${signedNames}, Signature=${signature}`,
  };
}

function sha256(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
