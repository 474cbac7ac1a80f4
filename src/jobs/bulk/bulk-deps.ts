import type { JobDeps } from '../job-deps.ts';
import type { SheetThreads } from '../uploads/sheet-threads.ts';

/** Dependencies of bulk sends. */
export type BulkDeps = JobDeps & { sheetThreads: SheetThreads };
