import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const bulkSettings = {
  maxRows: setting.integer('BULK_MAX_ROWS', 'Maximum rows of a file of recipients that is sent.', {
    fallback: 100_000,
    min: 1,
    max: 1_000_000,
  }),
  maxBytes: setting.integer(
    'BULK_MAX_BYTES',
    'Maximum bytes of a file of recipients (csv, tsv, NDJSON); workbooks can have up to 10 MB. A client can keep the server waiting for REQUEST_TIMEOUT_S; the time that checking takes does not count.',
    { fallback: 104_857_600, min: 1_024, max: 1_073_741_824 },
  ),
  laneFromRows: setting.integer(
    'BULK_LANE_FROM_ROWS',
    'Files with at least this many rows are sent after all other messages, whatever the priority of their template.',
    { fallback: 200, min: 1, max: 1_000_000 },
  ),
};

export type BulkSettings = Values<typeof bulkSettings>;
