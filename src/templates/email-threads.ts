import { t } from '../language/text.ts';
import { Failure, invalid } from '../platform/failure.ts';
import { WorkerFailure } from '../platform/threads/thread.ts';
import { type TaskRunner, WorkerPool } from '../platform/threads/worker-pool.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
import type * as emailTasks from '../rendering/email/email-worker.ts';
import type { Personalisation } from '../rendering/personalisation.ts';
import type { EmailTemplate } from '../rendering/template.ts';
import { diffTexts, type TextChange, type TextPair } from '../rendering/word-diff.ts';

type EmailTasks = TaskRunner<typeof emailTasks>;
export type TasksFor = (length: number) => EmailTasks;

/**
 * Threads that render long emails, so that they never block the event loop. Services take turns, and requests go before background work.
 * Short emails, which are nearly all, render faster than it takes to pass them to a thread.
 */
export interface EmailThreads {
  /** Throws a 429 if too many requests of the service are waiting. */
  forRequest(serviceId: string): EmailTasks;
  inBackground(serviceId: string): EmailTasks;
  close(): Promise<void>;
}

/** Rendering 10,000 characters takes up to 20 ms for lists and 10 ms for links. */
export const maxShortLength = 10_000;
/** An email gets longer than this only if the template repeats a value thousands of times. */
const maxLength = 4 * maxEmailBytes;
/** A longer email counts as several requests in the rate limit. */
const lengthPerRequest = 50_000;

const requestTimeout_ms = 15_000;
const backgroundTimeout_ms = 30_000;
const maxWaitingRequests = 10;

/** Threads start when first used. */
export function createEmailThreads(): EmailThreads {
  const pool = new WorkerPool<typeof emailTasks>({
    module: new URL('../rendering/email/email-worker.ts', import.meta.url),
    timeout_ms: backgroundTimeout_ms,
  });
  return {
    forRequest(owner) {
      const share = { owner, urgent: true, maxWaiting: maxWaitingRequests, timeout_ms: requestTimeout_ms };
      const runner = pool.runnerFor(share);
      return { run: (...task) => runner.run(...task).catch(refuse) };
    },
    inBackground: (owner) => pool.runnerFor({ owner }),
    close: () => pool.close(),
  };
}

function refuse(error: unknown): never {
  if (!(error instanceof WorkerFailure)) throw error;
  switch (error.reason) {
    case 'too-many': {
      const message = t('Too many long emails of this service are being rendered - try again in a few seconds');
      throw new Failure('too-many', 'TooManyRequestsError', message, { headers: { 'retry-after': '5' }, cause: error });
    }
    case 'timeout':
    case 'memory':
      throw invalid('There is no preview of this email: rendering it takes too long');
    default:
      throw error;
  }
}

/** Values can make a subject as long as a body. */
export function renderSubject(
  threads: EmailThreads,
  serviceId: string,
  compiled: EmailTemplate,
  personalisation: Personalisation,
): string | Promise<string> {
  if (compiled.subjectLength(personalisation) <= maxShortLength) return compiled.subject(personalisation);
  return threads.forRequest(serviceId).run('renderSubject', { ...compiled.source, content: '' }, personalisation);
}

/** Texts of this length, together, take up to 10 ms to compare. */
const maxShortComparison = 1_000;

/** Compares the texts of one page. */
export async function compareTexts(
  threads: EmailThreads,
  serviceId: string,
  pairs: readonly TextPair[],
): Promise<TextChange[][]> {
  const length = pairs.reduce((sum, { before, after }) => sum + before.length + after.length, 0);
  if (length <= maxShortComparison) return diffTexts(pairs);
  return threads.forRequest(serviceId).run('diffTexts', pairs);
}

/** Returns how many requests an email of this length counts as in the rate limit. */
export function requestsFor(length: number): number {
  return Math.max(1, Math.ceil(length / lengthPerRequest));
}

/** Returns the length of the rendered email. Throws if it is too long to render, because that would take gigabytes. */
export function checkLength(compiled: EmailTemplate, personalisation: Personalisation): number {
  const length = compiled.length(personalisation);
  if (length > maxLength) throw emailTooLong(length);
  return length;
}

export function emailTooLong(bytes: number): Failure {
  return invalid(
    `Your message is too long. Emails cannot be longer than ${maxEmailBytes} bytes. Your message is ${bytes} bytes.`,
  );
}
