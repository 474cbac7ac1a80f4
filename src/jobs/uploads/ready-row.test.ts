import { describe, expect, it } from 'vitest';
import { type ReadyRow, readReadyRows, writeReadyRow } from './ready-row.ts';

const plain: ReadyRow = {
  recipient: 'a@example.com',
  normalised_recipient: 'a@example.com',
  international: false,
  rate_multiplier: 1,
  postage: null,
  personalisation: {},
  client_reference: null,
  abroad: false,
};

const written = (rows: (ReadyRow | null)[]) => `[${rows.map(writeReadyRow).join(',')}]`;

describe('stored rows', () => {
  it('are read as they were written', () => {
    const rows = [
      plain,
      null,
      {
        ...plain,
        recipient: '+1 202 555 0104',
        normalised_recipient: '12025550104',
        international: true,
        abroad: true,
      },
      { ...plain, rate_multiplier: 3, client_reference: '', personalisation: JSON.parse('{"__proto__":["a","b"]}') },
      { ...plain, recipient: 'A\nB\nSW1A 1AA', normalised_recipient: null, postage: 'first' as const },
    ];
    expect([...readReadyRows(written(rows))]).toEqual(rows);
  });

  it('have no defaults', () => {
    expect(written([plain, null])).toBe('[{"recipient":"a@example.com"},null]');
  });
});
