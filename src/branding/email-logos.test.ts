import { deflateSync } from 'node:zlib';
import { PNG } from 'pngjs';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../test/kit/harness.ts';
import { aPicture, chunkOf } from '../../test/kit/samples/pictures.ts';
import { newId } from '../platform/id.ts';

const harness = useHarness({ now: '2026-11-15T12:00:00Z' });
const { admin } = harness;

let made = 0;
async function aBrand(): Promise<string> {
  made += 1;
  const brand = { name: `Brand ${made}`, brand_type: 'org', alt_text: 'Town Hall' };
  return (await admin('POST', '/email-branding', brand)).body.data.id;
}

const upload = async (png: Uint8Array | string, id?: string) =>
  admin('POST', `/email-branding/${id ?? (await aBrand())}/logo`, {
    png: typeof png === 'string' ? png : Buffer.from(png).toString('base64'),
  });

const load = (url: string) => harness.http.inject({ url });

describe('POST /email-branding/{id}/logo', () => {
  it('200; anybody can load the logo, with fixed type and lasting caches', async () => {
    const { status, body } = await upload(aPicture(300, 150));
    expect(status).toBe(200);
    expect(body.data.logo).toMatch(/^logos\/[0-9a-f]{32}\.png$/);
    const { statusCode, headers, rawPayload } = await load(`/${body.data.logo}`);
    expect(statusCode).toBe(200);
    expect(headers).toMatchObject({
      'content-type': 'image/png',
      'cache-control': 'public, max-age=31536000, immutable',
      'x-content-type-options': 'nosniff',
      'cross-origin-resource-policy': 'cross-origin',
      'content-security-policy': "default-src 'none'; sandbox",
    });
    const { width, height, data } = PNG.sync.read(rawPayload);
    expect([width, height, [...data.subarray(0, 4)]]).toEqual([300, 150, [10, 80, 160, 255]]);
  });

  it('200; a large one is scaled down, keeps its proportions and is written without metadata', async () => {
    const secret = Buffer.concat([aPicture(1500, 500).subarray(0, -12), chunkOf('tEXt', 'Author\0Ada Lovelace')]);
    const withText = Buffer.concat([secret, chunkOf('IEND', ''), Buffer.from('<script>alert(1)</script>')]);
    const { body } = await upload(withText);
    const { rawPayload } = await load(`/${body.data.logo}`);
    const { width, height, data } = PNG.sync.read(rawPayload);
    expect([width, height, [...data.subarray(0, 4)]]).toEqual([640, 213, [10, 80, 160, 255]]);
    expect(rawPayload.toString('latin1')).not.toMatch(/Ada Lovelace|script/);
  });

  it('200; the same picture has the same address', async () => {
    const picture = aPicture(200, 108);
    expect((await upload(picture)).body.data.logo).toBe((await upload(picture)).body.data.logo);
  });

  const bomb = Buffer.concat([
    aPicture(1, 1).subarray(0, 8),
    chunkOf('IHDR', Buffer.from([0, 0, 0, 200, 0, 0, 0, 200, 8, 6, 0, 0, 1])),
    chunkOf('IDAT', deflateSync(Buffer.alloc(100_000_000))),
    chunkOf('IEND', ''),
  ]);
  it.each([
    ['not base64', 'no base64!', 'Not valid base64.'],
    ['a text', Buffer.from('<svg onload="alert(1)"/>'), 'Choose a PNG file. Other pictures can be exported as PNG.'],
    ['a JPEG', Buffer.from('ffd8ffe000104a46', 'hex'), 'Choose a PNG file. Other pictures can be exported as PNG.'],
    ['cut off', aPicture(200, 120).subarray(0, 60), 'This PNG cannot be read. Export the logo again.'],
    ['an interlaced bomb', bomb, 'This PNG cannot be read. Export the logo again.'],
    ['too low', aPicture(400, 107), 'Choose a picture that is at least 108 pixels high.'],
    ['too wide', aPicture(3001, 108), 'Choose a picture of at most 3,000 by 3,000 pixels.'],
    ['too long', Buffer.alloc(2 * 1024 * 1024 + 1), 'Choose a file of at most 2 MB.'],
  ])('400 when it is %s; the brand keeps its logo', async (_what, png, text) => {
    const id = await aBrand();
    const { status, body } = await upload(png, id);
    expect([status, body.message]).toEqual([400, { png: [text] }]);
    expect((await admin('GET', `/email-branding/${id}`)).body.email_branding.logo).toBeNull();
  });

  it('404 for an unknown brand', async () => {
    expect((await upload(aPicture(200, 108), newId(new Date()))).status).toBe(404);
  });
});

describe('GET /logos/{file}', () => {
  it.each([`${'0'.repeat(32)}.png`, 'x.png', '..%2f..%2fetc%2fpasswd', `${'0'.repeat(32)}.svg`])(
    '404 for %s',
    async (file) => {
      expect((await load(`/logos/${file}`)).statusCode).toBe(404);
    },
  );
});
