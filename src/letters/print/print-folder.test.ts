import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { printFolder } from './print-folder.ts';

const config = {
  DATA_DIR: '/nowhere',
  PRINT_FOLDER: undefined,
  PRINT_HAND_OFF: 'sandbox',
  SANDBOX_RECEIPTS: 'auto',
  SANDBOX_DELAY_MS: 200,
} as const;

describe('the print folder', () => {
  it('simulates the printer only in the sandbox, and not when receipts are held', () => {
    expect(printFolder(config).despatchesItselfAfter_ms).toBe(200);
    expect(printFolder({ ...config, SANDBOX_RECEIPTS: 'hold' }).despatchesItselfAfter_ms).toBeUndefined();
    expect(printFolder({ ...config, PRINT_HAND_OFF: 'folder' }).despatchesItselfAfter_ms).toBeUndefined();
  });

  it('is cleaned only in the sandbox', () => {
    expect(printFolder(config).deleteBefore).toBeDefined();
    expect(printFolder({ ...config, PRINT_HAND_OFF: 'folder' }).deleteBefore).toBeUndefined();
  });

  it('is in the outbox of the data folder by default', async () => {
    const DATA_DIR = await mkdtemp(join(tmpdir(), 'print-'));
    const letter = {
      reference: 'ABCDEFGH12345678',
      notification_id: '018f3a2b-0000-7000-8000-000000000001',
      name: 'NOTIFY.ABCDEFGH12345678.D.2.C.20260701233000.PDF',
      postage: 'second',
      sheets: 1,
      callback_url: 'http://localhost:6011/notifications/letter/status?token=x',
      pdf: Buffer.from('%PDF'),
    } as const;
    await printFolder({ ...config, DATA_DIR }).handOver({ day: '2026-07-02', letters: [letter] });
    expect((await readdir(join(DATA_DIR, 'outbox', 'print', '2026-07-02'))).sort()).toEqual([
      'MANIFEST.ABCDEFGH12345678.JSON',
      letter.name,
    ]);
    await rm(DATA_DIR, { recursive: true });
  });
});
