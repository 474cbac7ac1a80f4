import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { BulkSettings } from './settings.ts';

/** Dependencies of accepting jobs and turning them into notifications. */
export type JobDeps = SendDeps & { config: { bulk: BulkSettings } };
