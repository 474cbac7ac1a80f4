import { describe, expect, it } from 'vitest';
import { aLetterBranding } from '../../../test/kit/builders/letters.ts';
import { useHarness } from '../../../test/kit/harness.ts';
import { sampleLogo } from '../../../test/kit/samples/letter-samples.ts';

const harness = useHarness();
const unknown = '4f46df42-f795-4cc4-83bb-65ca312f49cc';

const post = (id: string, body: unknown) => harness.admin('POST', `/letter-branding/${id}/logo`, body);

describe('POST /letter-branding/{id}/logo', () => {
  it('204, and GET returns the logo', async () => {
    const id = await aLetterBranding(harness, 'read');
    expect((await post(id, { svg: sampleLogo.svg })).status).toBe(204);
    const response = await harness.admin('GET', `/letter-branding/${id}/logo`);
    expect(response.status).toBe(200);
    expect(response.headers['content-type']).toContain('image/svg+xml');
    expect(response.text).toBe(sampleLogo.svg);
  });

  it.each([
    ['missing', {}, 'Missing data for required field.'],
    ['not text', { svg: 1 }, 'Not a valid string.'],
    ['not an SVG', { svg: 'a picture' }, 'Not a valid SVG.'],
    [
      'a script',
      { svg: '<svg viewBox="0 0 9 9"><script>alert(1)</script></svg>' },
      'This SVG contains a script. Export it again as plain SVG.',
    ],
    ['too long', { svg: `<svg>${' '.repeat(1_000_000)}</svg>` }, 'Longer than maximum length 1000000.'],
  ])('400 when it is %s', async (name, body, text) => {
    const id = await aLetterBranding(harness, name);
    const response = await post(id, body);
    expect(response.status).toBe(400);
    expect(response.body).toEqual({ result: 'error', message: { svg: [text] } });
    expect((await harness.admin('GET', `/letter-branding/${id}/logo`)).status).toBe(404);
  });

  it('404 when the branding does not exist', async () => {
    expect((await post(unknown, { svg: sampleLogo.svg })).status).toBe(404);
    expect((await harness.admin('GET', `/letter-branding/${unknown}/logo`)).status).toBe(404);
  });
});
