import { describe, expect, it } from 'vitest';
import { signedHeaders } from './aws-signature.ts';
import { encode } from './object-store.ts';

/** The examples of the AWS documentation. */
const account = {
  region: 'us-east-1',
  service: 'service',
  access_key_id: 'AKIDEXAMPLE',
  secret_access_key: 'wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY',
};
const now = new Date('2015-08-30T12:36:00Z');

function signatureOf(headers: Record<string, string>): string | undefined {
  return /Signature=([0-9a-f]+)$/.exec(headers.authorization ?? '')?.[1];
}

describe('signature version 4', () => {
  it.each([
    ['GET', '5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31'],
    ['POST', '5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b'],
  ])('%s', async (method, signature) => {
    const request = { method, url: 'https://example.amazonaws.com/', headers: {}, body: '' };
    const headers = await signedHeaders(account, request, now);
    expect(signatureOf(headers)).toBe(signature);
    expect(headers['x-amz-date']).toBe('20150830T123600Z');
    expect(headers).not.toHaveProperty('host');
  });

  it('signs the token of temporary credentials', async () => {
    const request = { method: 'GET', url: 'https://example.amazonaws.com/', headers: {}, body: '' };
    const headers = await signedHeaders({ ...account, session_token: 'for an hour' }, request, now);
    expect(headers['x-amz-security-token']).toBe('for an hour');
    expect(headers.authorization).toContain('SignedHeaders=host;x-amz-date;x-amz-security-token,');
  });

  it('sorts the query', async () => {
    const url = 'https://example.amazonaws.com/?Param2=value2&Param1=value1';
    const headers = await signedHeaders(account, { method: 'GET', url, headers: {}, body: '' }, now);
    expect(signatureOf(headers)).toBe('b97d918cfa904a5beff61c982a1b6f458b799221646efd99d3219ec94cdf2500');
  });

  it('includes the digest of the body for S3', async () => {
    const owner = {
      region: 'us-east-1',
      service: 's3',
      access_key_id: 'AKIAIOSFODNN7EXAMPLE',
      secret_access_key: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
    };
    const request = {
      method: 'GET',
      url: 'https://examplebucket.s3.amazonaws.com/test.txt',
      headers: { Range: 'bytes=0-9' },
      body: '',
    };
    const headers = await signedHeaders(owner, request, new Date('2013-05-24T00:00:00Z'));
    expect(signatureOf(headers)).toBe('f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41');
    expect(headers['x-amz-content-sha256']).toMatch(/^e3b0c442/);
  });

  it('encodes characters that URLs allow but signatures do not', () => {
    expect(encode("it's (a) file!*.pdf")).toBe('it%27s%20%28a%29%20file%21%2A.pdf');
  });
});
