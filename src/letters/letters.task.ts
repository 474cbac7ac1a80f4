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
  /** The number of previous attempts. */
  attempt?: number;
}

const maxAttempts = 16;
const maxDelay_ms = 300_000;
const minDelay_ms = 2_000;
// Lower priority than letters on their first attempt.
const retryPriority = 50;

export function letterJobs(app: Deps): Job[] {
  if (app.virusScanner.mode === 'marker-only') {
    app.log.info(
      { event: 'scanner.disabled' },
      'Uploaded files are not scanned for viruses: CLAMAV_ADDRESS is not set',
    );
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
      description: 'Collates the letters of the day for the printer after 17:30 on working days.',
      handle: () => collateLetters(app),
    },
    {
      name: printJobs.print,
      description: 'Hands one batch of letters to the printer.',
      handle: (job: PrintJob) => printLetters(app, job),
    },
    {
      name: printJobs.despatch,
      description: 'Simulates the printer in the sandbox: reports a batch as posted.',
      handle: (job: Pick<PrintJob, 'notification_ids'>) => despatchInSandbox(app, job.notification_ids),
    },
    {
      name: 'resume-letters',
      description: 'Restarts letters whose job was lost in a crash.',
      handle: () => resumeLetters(app),
    },
    {
      name: 'check-letters',
      description: 'Logs an error when letters are not printed, posted or scanned in time, and when they fail.',
      handle: () => checkLetters(app),
    },
    {
      name: 'clean-letters',
      description: 'Ends letters without a final status after 90 days, and deletes the files of deleted letters.',
      async handle() {
        await endOldLetters(app);
        await cleanLetters(app);
      },
    },
  ];
  return jobs as Job[];
}

/** Retries with exponential backoff for about an hour, then gives up, so that no letter stays unfinished. */
async function tryLetter(app: Deps, name: string, work: LetterAttempt, run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    // The process is shutting down: the queue gives the job to another process.
    if (error instanceof WorkerFailure && error.reason === 'closed') throw error;
    const { notification_id, attempt = 0 } = work;
    app.log.error(
      { event: 'letter.prepare_failed', err: error, notification_id, job: name, attempt },
      'A letter could not be prepared',
    );
    const now = app.clock.now();
    if (attempt + 1 >= maxAttempts) {
      await inTransaction(app.db, (tx) => giveUpLetters(tx, [notification_id], now));
    } else {
      const delay_ms = Math.min(maxDelay_ms, minDelay_ms * 2 ** attempt);
      const again = { notification_id, attempt: attempt + 1 };
      await app.queue.add(app.db, name, again, { run_at: later(now, delay_ms), priority: retryPriority });
    }
  }
}

// Later than the last retry above, so that two jobs never process the same letter.
const lostAfter_ms = hour_ms;
const maxResumed = 1_000;

async function resumeLetters(app: Deps): Promise<void> {
  const before = timestamp(earlier(app.clock.now(), lostAfter_ms));
  const letters = await selectUnfinishedLetters(app.db, before, maxResumed);
  for (const { id, status } of letters) {
    const name = status === 'created' ? letterWork.compose : letterWork.checkPrecompiled;
    await app.queue.add(app.db, name, { notification_id: id }, { job_key: `${name} ${id}` });
  }
  if (letters.length > 0) {
    app.log.warn({ event: 'letters.resumed', letters: letters.length }, 'Letters without a job were resumed');
  }
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
