import type { Config } from '../config.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';

/** Dependencies of accepting jobs and turning them into notifications. */
export type JobDeps = SendDeps & { config: Pick<Config, 'bulk'> };
