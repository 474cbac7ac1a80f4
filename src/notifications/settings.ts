import * as setting from '../platform/setting.ts';
import type { Values } from '../platform/setting-groups.ts';

export const guardSettings = {
  mode: setting.oneOf(
    'GUARD',
    '`on`: a service whose emails bounce or are reported as spam too often can no longer send to many; `warn`: its team is only told; `off`: nobody looks.',
    ['on', 'warn', 'off'],
    { fallback: 'warn' },
  ),
  bounceWarn: setting.share(
    'GUARD_BOUNCE_WARN',
    'Share of the emails of 24 hours whose hard bounces are a reason for a warning.',
    { fallback: 0.05 },
  ),
  bouncePause: setting.share(
    'GUARD_BOUNCE_PAUSE',
    'Share of the emails of 24 hours whose hard bounces pause sending to many.',
    { fallback: 0.1 },
  ),
  complaintWarn: setting.share(
    'GUARD_COMPLAINT_WARN',
    'Share of the emails of 7 days whose complaints are a reason for a warning.',
    { fallback: 0.001 },
  ),
  complaintPause: setting.share(
    'GUARD_COMPLAINT_PAUSE',
    'Share of the emails of 7 days whose complaints pause sending to many.',
    { fallback: 0.003 },
  ),
  minSent: setting.integer(
    'GUARD_MIN_SENT',
    'Emails that a service must have sent in that time before it is judged by these shares.',
    { fallback: 1_000, min: 1, max: 1_000_000_000 },
  ),
};

export type GuardSettings = Values<typeof guardSettings>;

export const readLimitSettings = {
  readRateLimit: setting.integer(
    'READ_RATE_LIMIT',
    'Maximum reads of the public API (GET, previews) per minute, per service and key type.',
    { fallback: 0, fallbackText: 'the service’s send limit, at least 3000', min: 0, max: 1_000_000 },
  ),
};

export type ReadLimitSettings = Values<typeof readLimitSettings>;

export const windowSettings = {
  spread_ms: setting.seconds(
    'WINDOW_SPREAD_S',
    'Seconds over which messages that waited for a sending time to begin are spread, so that they do not all go out at once.',
    { fallback: 600, min: 0, max: 7_200 },
  ),
};

export type WindowSettings = Values<typeof windowSettings>;
