import { type AddressInfo, connect } from 'node:net';
import { describe, expect, it } from 'vitest';
import { adminToken, useHarness } from '../../../test/kit/harness.ts';
import { urlNotFound } from './declared-routes.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const service = 'd6aa2c68-a2d9-4437-ab19-3ae8eb202553';

describe('requests without a route', () => {
  it('404 in the administrative format for an unknown path', async () => {
    const response = await harness.request({ method: 'GET', url: '/nowhere' });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: urlNotFound });
  });

  it('404 in the public format under /v2', async () => {
    const response = await harness.request({ method: 'POST', url: '/v2/nowhere' });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ status_code: 404, errors: [{ error: 'NotFoundError', message: urlNotFound }] });
  });

  it('404 in the statistics format under /platform-stats', async () => {
    const response = await harness.request({ method: 'GET', url: '/platform-stats/nowhere' });
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ message: urlNotFound, status_code: 404 });
  });

  it('405 with Allow for a wrong method', async () => {
    const response = await harness.request({ method: 'DELETE', url: `/service/${service}/api-keys` });
    expect(response.status).toBe(405);
    expect(response.body).toEqual({ result: 'error', message: 'The method is not allowed for the requested URL.' });
    expect(response.headers.allow).toBe('GET, HEAD, OPTIONS');
  });

  it('405 in the public format under /v2', async () => {
    const response = await harness.request({ method: 'DELETE', url: '/v2/templates' });
    expect(response.status).toBe(405);
    expect(response.body.errors[0].error).toBe('MethodNotAllowedError');
  });

  it.each(['QUERY', 'PATCH'])('405 for %s, regardless of its body', async (method) => {
    const response = await harness.request({ method: method as 'PATCH', url: '/v2/templates', payload: '{"a":' });
    expect(response.status).toBe(405);
  });

  it('404 also for a body over 20 MiB, without closing the connection while the client is sending', async () => {
    const payload = Buffer.alloc(20 * 1024 * 1024 + 1, 0x20);
    const response = await harness.request({ method: 'POST', url: '/v2/nowhere', payload });
    expect(response.status).toBe(404);
    expect(response.headers.connection).not.toBe('close');
  });

  it('400, not 500, for a path that cannot be decoded', async () => {
    expect((await harness.request({ method: 'GET', url: '/service/%E0%A4%A' })).status).toBe(400);
  });
});

describe('bodies', () => {
  const url = `/service/${service}/api-key`;

  function post(payload: string | Buffer, contentType?: string) {
    const headers: Record<string, string> = { authorization: `Bearer ${adminToken(harness.clock)}` };
    if (contentType) headers['content-type'] = contentType;
    return harness.request({ method: 'POST', url, headers, payload });
  }

  it('400 for malformed JSON', async () => {
    expect((await post('{"name":')).status).toBe(400);
  });

  it('400 for bytes that are not UTF-8', async () => {
    expect((await post(Buffer.from([0x22, 0xff, 0xfe, 0x22]))).status).toBe(400);
  });

  it.each(['', 'null', '{}'])('400 with every missing field for the body %j', async (body) => {
    const response = await post(body);
    expect(response.status).toBe(400);
    const missing = ['Missing data for required field.'];
    expect(response.body).toEqual({
      result: 'error',
      message: { name: missing, created_by: missing, key_type: missing },
    });
  });

  it.each(['text/plain', 'application/x-www-form-urlencoded', 'nonsense', undefined])(
    'parses JSON regardless of the content type: %s',
    async (contentType) => {
      const response = await post('{"name":5,"created_by":"x","key_type":"gold"}', contentType);
      expect(response.body.message).toEqual({
        name: ['Not a valid string.'],
        created_by: ['Not a valid UUID.'],
        key_type: ['Must be one of: normal, team, test.'],
      });
    },
  );

  it('400 for nulls', async () => {
    const response = await post('{"name":null,"created_by":null,"key_type":null}');
    const nulls = ['Field may not be null.'];
    expect(response.body.message).toEqual({ name: nulls, created_by: nulls, key_type: nulls });
  });

  it('400 for a body that is not an object', async () => {
    expect((await post('[1]')).body.message).toEqual({ _schema: ['Not a valid object.'] });
  });

  it('413 for a body over 20 MiB', async () => {
    const response = await post(Buffer.alloc(20 * 1024 * 1024 + 1, 0x20));
    expect(response.status).toBe(413);
    expect(response.body).toEqual({ result: 'error', message: 'Request body is too large' });
  });

  it('413 reaches a client that sends everything before reading', async () => {
    await harness.http.listen({ port: 0, host: '127.0.0.1' });
    const { port } = harness.http.server.address() as AddressInfo;
    const bytes = 24 * 1024 * 1024;
    const response = await new Promise<string>((resolve, reject) => {
      const socket = connect(port, '127.0.0.1', () => {
        const head = [`POST ${url} HTTP/1.1`, 'host: localhost', `authorization: Bearer ${adminToken(harness.clock)}`];
        socket.pause().write(`${[...head, `content-length: ${bytes}`, '', ''].join('\r\n')}`);
        socket.write(Buffer.alloc(bytes, 0x20), (error) => (error ? reject(error) : socket.resume()));
      });
      socket.once('error', reject).once('data', (data) => {
        resolve(data.toString());
        socket.destroy();
      });
    });
    expect(response).toMatch(/^HTTP\/1.1 413 /);
  });

  it('400, not 500, for text that the database cannot store', async () => {
    const response = await post(
      '{"name":"nul \\u0000","created_by":"6af522d0-2915-4e52-83a3-3690455a5fe6","key_type":"test"}',
    );
    expect(response.status).toBe(400);
  });
});

describe('every response', () => {
  it.each(['/nowhere', '/metrics', '/docs/'])('has the security and tracing headers: %s', async (url) => {
    const { headers } = await harness.request({ method: 'GET', url });
    expect(headers).toMatchObject({
      'x-content-type-options': 'nosniff',
      'x-frame-options': 'SAMEORIGIN',
      'cache-control': 'no-store, no-cache, private, must-revalidate',
      'strict-transport-security': 'max-age=31536000',
    });
    expect(headers['x-b3-traceid']).toMatch(/^[0-9a-f]{32}$/);
  });

  it('echoes a valid trace id and nothing else', async () => {
    const traced = await harness.request({
      method: 'GET',
      url: '/status',
      headers: { 'x-b3-traceid': 'abcdef0123456789' },
    });
    expect(traced.headers['x-b3-traceid']).toBe('abcdef0123456789');
    const odd = await harness.request({ method: 'GET', url: '/status', headers: { 'x-b3-traceid': 'x; evil' } });
    expect(odd.headers['x-b3-traceid']).toMatch(/^[0-9a-f]{32}$/);
  });
});

describe('other origins', () => {
  const cors = {
    'access-control-allow-origin': '*',
    'access-control-allow-headers': 'Content-Type,Authorization',
    'access-control-allow-methods': 'GET,PUT,POST,DELETE,PATCH',
  };

  function corsHeadersOf({ headers }: { headers: object }): object {
    return Object.fromEntries(Object.entries(headers).filter(([name]) => name.startsWith('access-control-')));
  }

  it.each([
    ['admin', 401, 'GET', `/service/${service}`],
    ['admin, an id that is none', 404, 'GET', '/service/not-an-id/api-keys'],
    ['platform-stats', 401, 'GET', '/platform-stats'],
    ['functional-tests', 401, 'PUT', '/__testing/functional/users'],
    ['v2', 401, 'GET', '/v2/templates'],
    ['callbacks', 403, 'POST', '/notifications/email/ses'],
    ['printer', 403, 'POST', '/notifications/letter/status'],
    ['open', 200, 'GET', '/status'],
    ['open', 200, 'GET', '/openapi.json'],
    ['no route', 404, 'GET', '/nowhere'],
    ['no route under /v2', 404, 'GET', '/v2/nowhere'],
    ['a wrong method', 405, 'DELETE', '/v2/templates'],
  ] as const)('may read API responses: %s, %d %s %s', async (_surface, status, method, url) => {
    const response = await harness.request({ method, url });
    expect(response.status).toBe(status);
    expect(corsHeadersOf(response)).toEqual(cors);
  });

  it.each(['/metrics', '/docs', '/docs/', '/docs/json', '/unsubscribe/x/y', '/services/x/documents/y'])(
    'may not read %s',
    async (url) => {
      for (const method of ['GET', 'POST', 'OPTIONS', 'DELETE'] as const) {
        const response = await harness.request({ method, url, headers: { origin: 'https://site.example' } });
        expect(corsHeadersOf(response), method).toEqual({});
      }
    },
  );

  it('204 to a preflight, without credentials', async () => {
    const response = await harness.request({ method: 'OPTIONS', url: `/service/${service}` });
    expect(response.status).toBe(204);
    expect(corsHeadersOf(response)).toEqual(cors);
  });
});

describe('paths', () => {
  it.each(['/status/', '//status', '//status//'])('ignores extra slashes: %s', async (url) => {
    expect((await harness.request({ method: 'GET', url })).status).toBe(200);
  });

  it('404 when an id in the path is malformed', async () => {
    const response = await harness.admin('GET', '/service/not-an-id/api-keys');
    expect(response.status).toBe(404);
    expect(response.body).toEqual({ result: 'error', message: urlNotFound });
  });
});
