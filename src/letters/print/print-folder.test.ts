import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printFolder } from './print-folder.ts';

const config = {
  storage: { dataDir: '/nowhere' },
  letters: { printFolder: undefined, handOff: 'sandbox' },
  providers: { sandbox: { receipts: 'auto', delay_ms: 200 } },
} as const;

describe('the print folder', () => {
  it('simulates the printer only in the sandbox, and not when receipts are held', () => {
    expect(printFolder(config).despatchesItselfAfter_ms).toBe(200);
    expect(
      printFolder({ ...config, providers: { sandbox: { receipts: 'hold', delay_ms: 200 } } }).despatchesItselfAfter_ms,
    ).toBeUndefined();
    expect(
      printFolder({ ...config, letters: { handOff: 'folder', printFolder: undefined } }).despatchesItselfAfter_ms,
    ).toBeUndefined();
  });

  it('is cleaned only in the sandbox', () => {
    expect(printFolder(config).deleteBefore).toBeDefined();
    expect(
      printFolder({ ...config, letters: { handOff: 'folder', printFolder: undefined } }).deleteBefore,
    ).toBeUndefined();
  });

  it('is in the outbox of the data folder by default', async () => {
    const dataDir = await mkdtemp(join(tmpdir(), 'print-'));
    const letter = {
      reference: 'ABCDEFGH12345678',
      notification_id: '018f3a2b-0000-7000-8000-000000000001',
      name: 'NOTIFY.ABCDEFGH12345678.D.2.C.20260701233000.PDF',
      postage: 'second',
      sheets: 1,
      callback_url: 'http://localhost:6011/notifications/letter/status?token=x',
      pdf: Buffer.from('%PDF'),
    } as const;
    await printFolder({ ...config, storage: { dataDir } }).handOver({ day: '2026-07-02', letters: [letter] });
    expect((await readdir(join(dataDir, 'outbox', 'print', '2026-07-02'))).sort()).toEqual([
      'MANIFEST.ABCDEFGH12345678.JSON',
      letter.name,
    ]);
    await rm(dataDir, { recursive: true });
  });
});
