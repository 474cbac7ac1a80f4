import { createHash, createHmac, type Hash, type Hmac } from 'node:crypto';
import type { AwsCredentials } from './aws-credentials.ts';

/** Credentials with the service and region that requests are for. */
interface AwsAccount extends AwsCredentials {
  region: string;
  service: string;
}

interface AwsRequest {
  method: string;
  /** The path must be percent-encoded as sent. */
  url: string;
  headers: Record<string, string>;
  body: string | Uint8Array;
}

/** Returns the headers with an AWS Signature Version 4 over method, URL, headers and body. */
export async function signedHeaders(
  { region, service, access_key_id, secret_access_key, session_token }: AwsAccount,
  { method, url, headers, body }: AwsRequest,
  now: Date,
): Promise<Record<string, string>> {
  loading ??= import('@smithy/signature-v4');
  const { SignatureV4 } = await loading;
  const signer = new SignatureV4({
    region,
    service,
    credentials: {
      accessKeyId: access_key_id,
      secretAccessKey: secret_access_key,
      ...(session_token !== undefined && { sessionToken: session_token }),
    },
    sha256: Sha256,
    // The path is signed as sent. Only S3 reads the digest of the body in a header.
    uriEscapePath: false,
    applyChecksum: service === 's3',
  });
  const { protocol, hostname, host, pathname: path, searchParams } = new URL(url);
  const names = [...new Set(searchParams.keys())];
  const query = Object.fromEntries(names.map((name) => [name, searchParams.getAll(name)]));
  const named = Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]);
  const request = { method, protocol, hostname, path, query, headers: { ...Object.fromEntries(named), host }, body };
  const { host: _host, ...sent } = (await signer.sign(request, { signingDate: now })).headers;
  return sent;
}

/** Loaded with the first request, because it takes 100 ms and most installations sign nothing. */
let loading: Promise<typeof import('@smithy/signature-v4')> | undefined;

class Sha256 {
  private readonly hash: Hash | Hmac;

  constructor(secret?: string | ArrayBuffer | ArrayBufferView) {
    this.hash = secret === undefined ? createHash('sha256') : createHmac('sha256', toBytes(secret));
  }

  update(data: string | ArrayBuffer | ArrayBufferView): void {
    this.hash.update(toBytes(data));
  }

  async digest(): Promise<Uint8Array> {
    return this.hash.digest();
  }
}

function toBytes(data: string | ArrayBuffer | ArrayBufferView): string | NodeJS.ArrayBufferView {
  return data instanceof ArrayBuffer ? new Uint8Array(data) : (data as string | NodeJS.ArrayBufferView);
}
