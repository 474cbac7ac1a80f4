import { checkPrecompiledLetter, composeLetter, type LetterTask } from '../notifications/tasks-for-others.ts';
import { earlier, hour_ms, later, timestamp } from '../platform/clock.ts';
import { inTransaction } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import type { Task } from '../platform/queue/queue.ts';
import type { VirusScanner } from '../platform/storage/virus-scan.ts';
import { WorkerFailure } from '../platform/threads/thread.ts';
import type { CompiledTemplates } from '../templates/compiled-templates.ts';
import { type LetterResults, renderLetter } from './compose-letter.ts';
import { cleanLetters, endOldLetters, failLetters } from './letter-retention.ts';
import { selectUnfinishedLetters } from './letters.sql.ts';
import type { PdfThreads } from './pdf-threads.ts';
import { checkPrecompiled } from './precompiled.ts';
import type { PrintProvider } from './print/print-provider.ts';
import type { PrintSettings } from './settings.ts';

type Deps = Platform & {
  config: { letters: PrintSettings };
  compiledTemplates: CompiledTemplates;
  pdfThreads: PdfThreads;
  virusScanner: VirusScanner;
  letterResults: LetterResults;
};

const maxAttempts = 16;
const maxDelay_ms = 300_000;
const minDelay_ms = 2_000;
// Lower priority than letters on their first attempt.
const retryPriority = 50;

export function tryToCompose(app: Deps, letter: LetterTask): Promise<void> {
  return tryLetter(app, composeLetter, letter, () => renderLetter(app, letter.notification_id));
}

export function tryToCheckPrecompiled(app: Deps, letter: LetterTask): Promise<void> {
  return tryLetter(app, checkPrecompiledLetter, letter, () => checkPrecompiled(app, letter.notification_id));
}

/** Retries with exponential backoff for about an hour and then fails the letter, so that none stays unfinished. */
async function tryLetter(
  app: Deps,
  task: Task<LetterTask>,
  { notification_id, attempt = 0 }: LetterTask,
  run: () => Promise<void>,
): Promise<void> {
  try {
    await run();
  } catch (error) {
    // The process is shutting down, so another process runs the task.
    if (error instanceof WorkerFailure && error.reason === 'closed') throw error;
    app.log.error(
      { event: 'letter.prepare_failed', err: error, notification_id, task: task.name, attempt },
      'A letter could not be prepared',
    );
    const now = app.clock.now();
    if (attempt + 1 >= maxAttempts) {
      await inTransaction(app.db, (tx) => failLetters(app.country, tx, [notification_id], now));
    } else {
      const runAt = later(now, Math.min(maxDelay_ms, minDelay_ms * 2 ** attempt));
      const again = { notification_id, attempt: attempt + 1 };
      await app.queue.add(app.db, task, again, { runAt, priority: retryPriority });
    }
  }
}

// Longer than all retries above, so that two tasks never process the same letter.
const lostAfter_ms = hour_ms;
const maxResumed = 1_000;

export async function resumeLetters(app: Platform): Promise<void> {
  const before = timestamp(earlier(app.clock.now(), lostAfter_ms));
  const letters = await selectUnfinishedLetters(app.db, before, maxResumed);
  for (const { id, status } of letters) {
    const task = status === 'created' ? composeLetter : checkPrecompiledLetter;
    await app.queue.add(app.db, task, { notification_id: id }, { key: `${task.name} ${id}` });
  }
  if (letters.length > 0) {
    app.log.warn({ event: 'letters.resumed', letters: letters.length }, 'Letters without a task were resumed');
  }
}

export async function endAndCleanLetters(app: Platform & { printer: PrintProvider }): Promise<void> {
  await endOldLetters(app);
  await cleanLetters(app);
}
