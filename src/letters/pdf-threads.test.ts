import { afterAll, describe, expect, it } from 'vitest';
import { gbGeometry } from '../../test/kit/samples/geometries.ts';
import { createPdfThreads } from './pdf-threads.ts';

const threads = createPdfThreads(1);
afterAll(() => threads.close());

describe('PDF threads', () => {
  it('queue ten requests of a service, reject more with 429, and serve other services in between', async () => {
    const order: string[] = [];
    const run = (service: string) =>
      threads
        .forRequest(service)
        .run('warmUp', gbGeometry)
        .then(() => order.push(service));
    const taken = Array.from({ length: 11 }, () => run('busy'));
    await expect(run('busy')).rejects.toMatchObject({
      kind: 'too-many',
      detail: 'Too many PDF files of this service are being prepared - try again in a few seconds',
      headers: { 'retry-after': '5' },
    });
    const letter = threads.inBackground('busy').run('warmUp', gbGeometry);
    await run('quiet');
    expect(order.filter((service) => service === 'busy').length).toBeLessThanOrEqual(3);
    await Promise.all([...taken, letter]);
  });
});
