import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { withoutAwsCredentials } from '../../../test/kit/vendors/aws.ts';
import { minute_ms } from '../clock.ts';
import { awsCredentials } from './aws-credentials.ts';

const region = 'eu-west-2';
const fromAws = () => awsCredentials({ region, access_key_id: undefined, secret_access_key: undefined });
const expected = { access_key_id: 'AKID', secret_access_key: 'secret', session_token: 'token' };

const folder = mkdtempSync(join(tmpdir(), 'aws-credentials-'));
let server: Server;
let address: string;
let asked: string[] = [];
let expires: Date;

/** The endpoints of AWS that hand out temporary credentials: of an instance, of a container, and STS. */
beforeAll(async () => {
  server = createServer(async (request, response) => {
    const { method = '', url = '', headers } = request;
    asked.push(`${method} ${url}`);
    const credentials = { AccessKeyId: 'AKID', SecretAccessKey: 'secret', Token: 'token', Expiration: expires };
    if (url === '/latest/api/token') return void response.end('for this session');
    if (url === '/latest/meta-data/iam/security-credentials/') return void response.end('our-role');
    if (url === '/latest/meta-data/iam/security-credentials/our-role') {
      if (headers['x-aws-ec2-metadata-token'] !== 'for this session') return void response.writeHead(401).end();
      return void response.end(JSON.stringify({ Code: 'Success', ...credentials }));
    }
    if (url === '/of-container') return void response.end(JSON.stringify(credentials));
    const form = new URLSearchParams(await text(request));
    if (form.get('RoleArn') !== 'arn:aws:iam::1:role/r' || form.get('WebIdentityToken') !== 'signed by the cluster') {
      return void response.writeHead(403).end();
    }
    response.end(`<AssumeRoleWithWebIdentityResponse><AssumeRoleWithWebIdentityResult><Credentials>
      <AccessKeyId>AKID</AccessKeyId><SecretAccessKey>secret</SecretAccessKey><SessionToken>token</SessionToken>
      <Expiration>${expires.toISOString()}</Expiration>
      </Credentials></AssumeRoleWithWebIdentityResult></AssumeRoleWithWebIdentityResponse>`);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

beforeEach(() => {
  withoutAwsCredentials(folder);
  asked = [];
  expires = new Date(Date.now() + 60 * minute_ms);
});
afterEach(() => void vi.unstubAllEnvs());

describe('AWS credentials', () => {
  it('are the given access key, whatever the environment has', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'another');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'another secret');
    const given = { access_key_id: 'AKID', secret_access_key: 'secret' };
    expect(await awsCredentials({ region, ...given })()).toEqual(given);
  });

  it('come from the environment', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'AKID');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'secret');
    vi.stubEnv('AWS_SESSION_TOKEN', 'token');
    expect(await fromAws()()).toEqual(expected);
  });

  it('come from a profile', async () => {
    const file = join(folder, 'credentials');
    writeFileSync(
      file,
      '[ours]\naws_access_key_id = AKID\naws_secret_access_key = secret\naws_session_token = token\n',
    );
    vi.stubEnv('AWS_SHARED_CREDENTIALS_FILE', file);
    vi.stubEnv('AWS_PROFILE', 'ours');
    expect(await fromAws()()).toEqual(expected);
  });

  it('come from a web identity', async () => {
    const file = join(folder, 'identity');
    writeFileSync(file, 'signed by the cluster');
    vi.stubEnv('AWS_WEB_IDENTITY_TOKEN_FILE', file);
    vi.stubEnv('AWS_ROLE_ARN', 'arn:aws:iam::1:role/r');
    vi.stubEnv('AWS_ENDPOINT_URL_STS', address);
    expect(await fromAws()()).toEqual(expected);
  });

  it('come from the role of the container', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${address}/of-container`);
    expect(await fromAws()()).toEqual(expected);
  });

  it('come from the role of the instance', async () => {
    vi.stubEnv('AWS_EC2_METADATA_DISABLED', undefined);
    vi.stubEnv('AWS_EC2_METADATA_SERVICE_ENDPOINT', address);
    expect(await fromAws()()).toEqual(expected);
    expect(asked[0]).toBe('PUT /latest/api/token');
  });

  it('are requested once while they are valid, and again before they expire', async () => {
    vi.stubEnv('AWS_CONTAINER_CREDENTIALS_FULL_URI', `${address}/of-container`);
    const credentials = fromAws();
    for (let time = 0; time < 3; time += 1) await credentials();
    expect(asked).toHaveLength(1);

    const another = fromAws();
    expires = new Date(Date.now() + 4 * minute_ms);
    await another();
    expect(asked).toHaveLength(2);
    expires = new Date(Date.now() + 60 * minute_ms);
    expect(await another()).toEqual(expected);
    await expect.poll(() => asked).toHaveLength(3);
  });

  it('are missing: the error says what to do', async () => {
    await expect(fromAws()()).rejects.toThrow(
      'There are no AWS credentials (Could not load credentials from any providers): set an access key, or let this',
    );
  });
});
