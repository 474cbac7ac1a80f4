import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localFiles } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('files in a folder', () => {
  const files = localFiles(folder);
  const content = Buffer.from('a letter');

  it('stores, returns and deletes a file', async () => {
    await files.put('letters/one.pdf', content);
    expect(await files.get('letters/one.pdf')).toEqual(content);
    await files.remove('letters/one.pdf');
    expect(await files.get('letters/one.pdf')).toBeUndefined();
  });

  it('leaves no temporary file if a write fails', async () => {
    await files.put('taken/inside.pdf', content);
    await expect(files.put('taken', content)).rejects.toThrow();
    expect(readdirSync(folder).filter((name) => name.endsWith('.part'))).toEqual([]);
    expect(await files.get('taken/inside.pdf')).toEqual(content);
  });

  it('rejects paths outside the folder', async () => {
    await expect(files.put('../../outside', content)).rejects.toThrow('leaves its folder');
  });
});
