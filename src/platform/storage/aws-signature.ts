import { createHash, createHmac } from 'node:crypto';
import type { AwsCredentials } from './aws-credentials.ts';

/** Credentials, and the service and region that requests are for. */
interface AwsAccount extends AwsCredentials {
  region: string;
  service: string;
}

interface AwsRequest {
  method: string;
  /** With the path percent-encoded as sent. */
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** Returns the headers with an AWS Signature Version 4 over method, URL, headers and body. */
export function signedHeaders(account: AwsAccount, request: AwsRequest, now: Date): Record<string, string> {
  const { host, pathname, searchParams } = new URL(request.url);
  const moment = now.toISOString().replaceAll(/[:-]|\.\d{3}/g, '');
  const day = moment.slice(0, 8);
  const digest = sha256(request.body);
  const named = Object.entries(request.headers).map(([name, value]) => [name.toLowerCase(), value.trim()]);
  const all: Record<string, string> = {
    ...Object.fromEntries(named),
    host,
    'x-amz-date': moment,
    ...(account.service === 's3' ? { 'x-amz-content-sha256': digest } : {}),
    ...(account.session_token === undefined ? {} : { 'x-amz-security-token': account.session_token }),
  };
  const names = Object.keys(all).sort();
  const signedNames = names.join(';');
  const query = [...searchParams].map(([name, value]) => `${encode(name)}=${encode(value)}`).sort();
  const canonical = [
    request.method,
    pathname,
    query.join('&'),
    ...names.map((name) => `${name}:${all[name]}`),
    '',
    signedNames,
    digest,
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

/** Stricter than encodeURIComponent, as the signature requires. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function sha256(content: string | Uint8Array): string {
  return createHash('sha256').update(content).digest('hex');
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
