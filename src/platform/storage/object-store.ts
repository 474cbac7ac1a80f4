import { request } from 'undici';
import type { Clock } from '../clock.ts';
import { type AwsAccount, encode, signedHeaders } from './aws-signature.ts';
import type { Files } from './files.ts';

interface ObjectStoreOptions {
  /** For example `https://s3.eu-west-2.amazonaws.com` or `http://minio:9000`. */
  endpoint: string;
  bucket: string;
  /** Put before every path, so that several installations can share a bucket. */
  prefix?: string;
  account: Omit<AwsAccount, 'service'>;
  clock: Clock;
  timeout_ms?: number;
}

const attempts = 3;
const pause_ms = 200;

/** Files in a bucket of anything that speaks S3. The bucket is part of the path, which every such store understands. */
export function objectStore(options: ObjectStoreOptions): Files {
  const { endpoint, bucket, prefix = '', clock, timeout_ms = 30_000 } = options;
  const account: AwsAccount = { ...options.account, service: 's3' };
  const base = endpoint.replace(/\/+$/, '');
  const urlOf = (path: string) => {
    const parts = `${prefix}${path}`.split('/');
    if (parts.some((part) => part === '' || part === '.' || part === '..')) throw new Error('Not a path of a file');
    return `${base}/${encode(bucket)}/${parts.map(encode).join('/')}`;
  };

  async function call(method: 'GET' | 'PUT' | 'DELETE', url: string, body: Uint8Array = new Uint8Array()) {
    const headers = signedHeaders(account, { method, url, headers: {}, body }, clock.now());
    const answer = await request(url, {
      method,
      headers,
      ...(method === 'PUT' ? { body } : {}),
      headersTimeout: timeout_ms,
      bodyTimeout: timeout_ms,
    });
    const content = Buffer.from(await answer.body.arrayBuffer());
    return { status: answer.statusCode, content };
  }

  /** All three can be repeated without harm, so a store that stumbles is asked again. */
  async function ask(method: 'GET' | 'PUT' | 'DELETE', path: string, body?: Uint8Array) {
    const url = urlOf(path);
    for (let attempt = 1; ; attempt += 1) {
      const last = attempt === attempts;
      try {
        const answer = await call(method, url, body);
        if (answer.status < 500 || last) return answer;
      } catch (error) {
        if (last) throw error;
      }
      await new Promise((resolve) => setTimeout(resolve, pause_ms * attempt));
    }
  }

  return {
    async put(path, content) {
      const { status, content: text } = await ask('PUT', path, content);
      if (status !== 200) throw refusal('keep', status, text);
    },
    async get(path) {
      const { status, content } = await ask('GET', path);
      if (status === 404) return undefined;
      if (status !== 200) throw refusal('give', status, content);
      return content;
    },
    async remove(path) {
      const { status, content } = await ask('DELETE', path);
      if (![200, 204, 404].includes(status)) throw refusal('delete', status, content);
    },
  };
}

function refusal(what: string, status: number, content: Buffer): Error {
  const code = /<Code>([A-Za-z]{1,60})<\/Code>/.exec(content.toString('utf8', 0, 2000))?.[1] ?? 'no reason';
  return new Error(`the object store did not ${what} a file: ${status} ${code}`);
}
