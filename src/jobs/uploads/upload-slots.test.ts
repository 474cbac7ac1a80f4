import { describe, expect, it } from 'vitest';
import { UploadSlots } from './upload-slots.ts';

/** Work that ends when the test says so. */
function held() {
  let end = () => {};
  const work = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { work: () => work, end };
}

describe('UploadSlots', () => {
  it('gives a service a few, and the process a limited number', async () => {
    const slots = new UploadSlots();
    const all = Array.from({ length: 24 }, () => held());
    const running = all.map(({ work }, index) => slots.run(`service ${index % 6}`, work));
    await expect(slots.run('service 1', async () => 1)).rejects.toMatchObject({ kind: 'too-many' });
    await expect(slots.run('another', async () => 1)).rejects.toMatchObject({
      kind: 'unavailable',
      headers: { 'retry-after': '5' },
      detail: 'Too many files at once, try again shortly',
    });
    all[1]?.end();
    await running[1];
    expect(await slots.run('service 1', async () => 1)).toBe(1);
    expect(await slots.run('another', async () => 2)).toBe(2);
    for (const { end } of all) end();
    await Promise.all(running);
  });

  it('are free again after a failure', async () => {
    const slots = new UploadSlots();
    for (let times = 0; times < 10; times++) {
      await expect(slots.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    }
    expect(await slots.run('a', async () => 1)).toBe(1);
  });
});
