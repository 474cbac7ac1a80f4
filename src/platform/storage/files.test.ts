import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { localFiles } from './files.ts';

const folder = mkdtempSync(join(tmpdir(), 'pennypost-files-'));
afterAll(() => rmSync(folder, { recursive: true }));

describe('files in a folder', () => {
  const files = localFiles(folder);
  const content = Buffer.from('a letter');
  const unfinished = join(folder, '.unfinished');

  it('stores, returns and deletes a file', async () => {
    await files.put('letters/one.pdf', content);
    expect(await files.get('letters/one.pdf')).toEqual(content);
    await files.remove('letters/one.pdf');
    expect(await files.get('letters/one.pdf')).toBeUndefined();
  });

  it('leaves no temporary file if a write fails', async () => {
    await files.put('taken/inside.pdf', content);
    await expect(files.put('taken', content)).rejects.toThrow();
    expect(readdirSync(unfinished)).toEqual([]);
    expect(await files.get('taken/inside.pdf')).toEqual(content);
  });

  it('deletes what a process was writing when it crashed, and not what is being written now', async () => {
    const old = join(unfinished, 'old.part');
    for (const path of [old, join(unfinished, 'new.part')]) writeFileSync(path, 'half a let');
    utimesSync(old, new Date('2026-11-16T10:00:00Z'), new Date('2026-11-16T10:00:00Z'));
    await files.removeUnfinished(new Date('2026-11-16T11:00:00Z'));
    expect(readdirSync(unfinished)).toEqual(['new.part']);
    rmSync(unfinished, { recursive: true });
    await files.removeUnfinished(new Date('2026-11-16T11:00:00Z'));
    await files.put('letters/two.pdf', content);
    expect(await files.get('letters/two.pdf')).toEqual(content);
  });

  it('rejects paths outside the folder', async () => {
    await expect(files.put('../../outside', content)).rejects.toThrow('leaves its folder');
  });
});
