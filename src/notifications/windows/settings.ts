import * as setting from '../../platform/setting.ts';
import type { Values } from '../../platform/setting-groups.ts';

export const windowSettings = {
  spread_ms: setting.seconds(
    'WINDOW_SPREAD_S',
    'Seconds over which messages that waited for a sending time to begin are spread, so that they do not all go out at once.',
    { fallback: 600, min: 0, max: 7_200 },
  ),
};

export type WindowSettings = Values<typeof windowSettings>;
