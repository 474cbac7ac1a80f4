import type { JobDeps } from '../job-deps.ts';
import type { SheetThreads } from '../uploads/sheet-threads.ts';
import type { UploadSlots } from '../uploads/upload-slots.ts';

/** Dependencies of bulk sends. */
export type BulkDeps = JobDeps & { sheetThreads: SheetThreads; uploadSlots: UploadSlots };
