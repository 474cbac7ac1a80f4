import { request } from 'undici';
import type { Clock } from '../clock.ts';
import { type Failure, unavailable } from '../failure.ts';
import { type AwsCredentialSource, NoAwsCredentials } from './aws-credentials.ts';
import { signedHeaders } from './aws-signature.ts';
import type { Files } from './files.ts';

interface ObjectStoreOptions {
  /** For example `https://s3.eu-west-2.amazonaws.com` or `http://minio:9000`. */
  endpoint: string;
  bucket: string;
  /** Prefix of every object key, so that several installations can share a bucket. */
  prefix?: string;
  region: string;
  credentials: AwsCredentialSource;
  clock: Clock;
  timeout_ms?: number;
}

const attempts = 3;
const pause_ms = 200;

/** Stores files in a bucket of any S3-compatible store. Uses path-style URLs, which every such store supports. */
export function objectStore(options: ObjectStoreOptions): Files {
  const { endpoint, bucket, prefix = '', region, credentials, clock, timeout_ms = 30_000 } = options;
  const base = endpoint.replace(/\/+$/, '');
  const urlOf = (path: string) => {
    const parts = `${prefix}${path}`.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error('Not a path of a file');
    return `${base}/${encode(bucket)}/${parts.map(encode).join('/')}`;
  };

  async function call(method: 'GET' | 'PUT' | 'DELETE', url: string, body: Uint8Array = new Uint8Array()) {
    const account = { region, service: 's3', ...(await credentials()) };
    const headers = await signedHeaders(account, { method, url, headers: {}, body }, clock.now());
    const response = await request(url, {
      method,
      headers,
      ...(method === 'PUT' ? { body } : {}),
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    });
    const content = Buffer.from(await response.body.arrayBuffer());
    return { status: response.statusCode, content };
  }

  /** All three operations are idempotent, so server errors are retried. */
  async function callWithRetry(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: Uint8Array) {
    const url = urlOf(path);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt === attempts;
      try {
        const response = await call(method, url, body);
        if (response.status < 500 || last) return response;
      } catch (error) {
        if (error instanceof NoAwsCredentials) throw error;
        if (last) throw notAvailable(error);
      }
      await new Promise((resolve) => setTimeout(resolve, pause_ms * attempt));
    }
  }

  return {
    async put(path, content) {
      const { status, content: text } = await callWithRetry('PUT', path, content);
      if (status !== 200) throw storeError('store', status, text);
    },
    async get(path) {
      const { status, content } = await callWithRetry('GET', path);
      if (status === 404 && codeOf(content) !== noBucket) return undefined;
      if (status !== 200) throw storeError('return', status, content);
      return content;
    },
    async remove(path) {
      const { status, content } = await callWithRetry('DELETE', path);
      const isGone = status === 404 && codeOf(content) !== noBucket;
      if (![200, 204].includes(status) && !isGone) throw storeError('delete', status, content);
    },
    // An interrupted upload stores nothing.
    removeUnfinished: async () => {},
  };
}

/** Stricter than encodeURIComponent, as the signature requires. */
export function encode(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/g,
    (character) => `%${character.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** Means a wrong setting, not a missing file. */
const noBucket = 'NoSuchBucket';

function codeOf(content: Buffer): string | undefined {
  return /<Code>([A-Za-z]{1,60})<\/Code>/.exec(content.toString('utf8', 0, 2000))?.[1];
}

function storeError(what: string, status: number, content: Buffer): Error {
  const error = new Error(`the object store did not ${what} a file: ${status} ${codeOf(content) ?? 'no reason'}`);
  return status < 500 ? error : notAvailable(error);
}

function notAvailable(reason: unknown): Failure {
  return unavailable('Files cannot be stored or read, try again shortly', reason);
}
