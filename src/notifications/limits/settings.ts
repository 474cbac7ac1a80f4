import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';

export const readLimitSettings = {
  readRateLimit: setting.integer(
    'READ_RATE_LIMIT',
    'Maximum reads of the public API (GET, previews) per minute, per service and key type.',
    { fallback: 0, fallbackText: 'the service’s send limit, at least 3000', min: 0, max: 1_000_000 },
  ),
};

export type ReadLimitSettings = Values<typeof readLimitSettings>;
