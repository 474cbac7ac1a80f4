import type { Config } from '../config.ts';
import { type LetterJob, letterWork } from '../notifications/letter-work.ts';
import { earlier, hour_ms, later, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Job } from '../platform/queue/worker.ts';
import type { VirusScanner } from '../platform/storage/virus-scan.ts';
import { WorkerFailure } from '../platform/threads/worker-pool.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import { composeLetter } from './compose.ts';
import { createLetterResults, type LetterResults } from './letter-results.ts';
import { cleanLetters, endOldLetters, giveUpLetters } from './letter-retention.ts';
import { selectUnfinishedLetters } from './letters.sql.ts';
import type { PdfThreads } from './pdf-threads.ts';
import { checkPrecompiledLetter } from './precompiled.ts';
import { recordDespatches } from './print/despatch.ts';
import { checkLetters } from './print/late-letters.ts';
import type { PrintProvider } from './print/print-provider.ts';
import { collateLetters, type PrintJob, printJobs, printLetters } from './print/print-run.ts';

type Deps = Platform & {
  config: Pick<Config, 'PRINT_PROVIDER' | 'BASE_URL'>;
  compiledTemplates: CompiledTemplates;
  pdfThreads: PdfThreads;
  virusScanner: VirusScanner;
  printer: PrintProvider;
};

type AtWork = Deps & { letterResults: LetterResults };

interface LetterAttempt extends LetterJob {
  /** How often it was tried before. */
  attempt?: number;
}

const mostAttempts = 16;
const longestDelay_ms = 300_000;
const shortestDelay_ms = 2_000;
// Behind letters that were not tried yet.
const retryPriority = 50;

export function letterJobs(app: Deps): Job[] {
  if (app.virusScanner.mode === 'marker-only') {
    app.log.info({}, 'uploaded files are not scanned for viruses: CLAMAV_ADDRESS is not set');
  }
  const atWork = { ...app, letterResults: createLetterResults(app) };
  const work = (
    name: string,
    description: string,
    run: (app: AtWork, id: string) => Promise<void>,
  ): Job<LetterAttempt> => ({
    name,
    description,
    handle: (payload) => tryLetter(app, name, payload, () => run(atWork, payload.notification_id)),
  });
  const jobs: Job<never>[] = [
    work(letterWork.compose, 'Draws an accepted letter as a PDF and counts its sheets.', composeLetter),
    work(
      letterWork.checkPrecompiled,
      'Scans an uploaded letter for viruses and checks that it can be printed and posted.',
      checkPrecompiledLetter,
    ),
    {
      name: printJobs.collate,
      description: 'Collects the day’s letters for the printer after half past five on working days.',
      handle: () => collateLetters(app),
    },
    {
      name: printJobs.print,
      description: 'Hands one batch of letters to the printer.',
      handle: (job: PrintJob) => printLetters(app, job),
    },
    {
      name: printJobs.despatch,
      description: 'Plays the printer’s part in the sandbox: says that a batch was posted.',
      handle: (job: Pick<PrintJob, 'notification_ids'>) => despatchInSandbox(app, job.notification_ids),
    },
    {
      name: 'resume-letters',
      description: 'Begins again with letters whose work was lost with a process.',
      handle: () => resumeLetters(app),
    },
    {
      name: 'check-letters',
      description: 'Says so when letters are not printed, posted or checked in time, and when they failed.',
      handle: () => checkLetters(app),
    },
    {
      name: 'clean-letters',
      description:
        'Ends letters that nothing was heard of for 90 days, and deletes the files of letters that were deleted.',
      async handle() {
        await endOldLetters(app);
        await cleanLetters(app);
      },
    },
  ];
  return jobs as Job[];
}

/** Tried again with growing patience for about an hour, then given up: a letter never hangs for ever. */
async function tryLetter(app: Deps, name: string, work: LetterAttempt, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // The process is ending: the queue gives the job to another one.
    if (error instanceof WorkerFailure && error.reason === 'closed') throw error;
    const { notification_id, attempt = 0 } = work;
    app.log.error({ err: error, notification_id, job: name, attempt }, 'a letter could not be prepared');
    const now = app.clock.now();
    if (attempt + 1 >= mostAttempts) {
      await inTransaction(app.db, (tx) => giveUpLetters(tx, [notification_id], now));
    } else {
      const delay_ms = Math.min(longestDelay_ms, shortestDelay_ms * 2 ** attempt);
      const again = { notification_id, attempt: attempt + 1 };
      await app.queue.add(app.db, name, again, { run_at: later(now, delay_ms), priority: retryPriority });
    }
  }
}

// Later than the last of the attempts above, so that a letter is never worked on twice.
const lostAfter_ms = hour_ms;
const mostResumed = 1_000;

async function resumeLetters(app: Deps): Promise<void> {
  const before = timestamp(earlier(app.clock.now(), lostAfter_ms));
  const letters = await selectUnfinishedLetters(app.db, before, mostResumed);
  for (const { id, status } of letters) {
    const name = status === 'created' ? letterWork.compose : letterWork.checkPrecompiled;
    await app.queue.add(app.db, name, { notification_id: id }, { job_key: `${name} ${id}` });
  }
  if (letters.length > 0) app.log.warn({ letters: letters.length }, 'letters had been forgotten and are resumed');
}

async function despatchInSandbox(app: Deps, ids: string[]): Promise<void> {
  const now = app.clock.now();
  const despatches = ids.map((notification_id) => ({
    notification_id,
    despatched_at: now,
    cost_threshold: 'unsorted' as const,
  }));
  await inTransaction(app.db, (tx) => recordDespatches(tx, despatches, now));
}
