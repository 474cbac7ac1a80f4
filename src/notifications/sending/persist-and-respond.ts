import { timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { LetterJob, letterWork } from '../letter-work.ts';
import type { NewNotification } from '../notification.ts';
import { deleteUnconfirmedFiles, insertUnconfirmedFiles } from '../unconfirmed-files.sql.ts';
import { encryptResponse, refuseDifferentBody } from './idempotency.ts';
import { recordDocumentCount } from './notifications.sql.ts';
import { updateSecretValues } from './secret-values.sql.ts';
import type { SendContext, SendDeps } from './send-context.ts';

/** Files that a message needs. They are put in place first: a message in the database must find them. */
interface MessageFiles {
  /** Where they are put. */
  paths: string[];
  put(): Promise<void>;
  /** How many the message links to. */
  count?: number;
  /** Rows that tell of them. */
  record?(tx: Tx): Promise<void>;
}

/** Instead of a new message: the answer that the same request got before. */
export class Replay {
  readonly response: unknown;

  constructor(response: unknown) {
    this.response = response;
  }
}

/** Answers once the message is durable. */
export async function persistAndRespond<Answer>(
  app: SendDeps,
  { service, idempotency }: SendContext,
  message: {
    /** None for a simulated recipient: then nothing is stored. */
    notification: NewNotification | null;
    answer: Answer;
    abroad?: boolean;
    job?: (typeof letterWork)[keyof typeof letterWork];
    files?: MessageFiles;
    /** Values that are kept encrypted; the answer holds them too. */
    secret_values?: string | null;
  },
): Promise<Answer> {
  const { notification, answer, abroad, job, files, secret_values } = message;
  const placed = notification ? (files?.paths ?? []) : [];
  if (placed.length > 0) await insertUnconfirmedFiles(app.db, placed, timestamp(app.clock.now()));
  try {
    if (notification) await files?.put();
    const known = await app.sending.acceptor.accept({
      service,
      notification,
      abroad: abroad ?? false,
      idempotency: idempotency && {
        ...idempotency,
        response: secret_values ? encryptResponse(app, service.id, idempotency.key, answer) : answer,
      },
      alsoStore:
        job || files?.record
          ? async (tx) => {
              await files?.record?.(tx);
              if (!notification) return;
              if (placed.length > 0) await deleteUnconfirmedFiles(tx, placed);
              if (secret_values) await updateSecretValues(tx, notification.id, secret_values);
              if (files?.count) await recordDocumentCount(tx, notification.id, files.count);
              if (job) {
                const priority = app.sending.letterTurns.priorityFor(notification);
                await app.queue.add(tx, job, { notification_id: notification.id } satisfies LetterJob, { priority });
              }
            }
          : undefined,
    });
    if (!known || !idempotency) return answer;
    refuseDifferentBody(known, idempotency.request_digest);
    throw new Replay(known.response);
  } catch (error) {
    // Only what certainly was not stored needs no files. After an outage that is not known: an hour later it is.
    if (error instanceof Failure || error instanceof Replay) await removeFiles(app, placed);
    throw error;
  }
}

async function removeFiles({ db, files }: Pick<SendDeps, 'db' | 'files'>, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const path of paths) await files.remove(path);
  await deleteUnconfirmedFiles(db, paths);
}

/** What every answer but that to a precompiled letter says. */
export function responseFor<Content>({ root }: SendContext, notification: NewNotification, content: Content) {
  const { id, client_reference, scheduled_for, service_id, template_id, template_version } = notification;
  return {
    id,
    reference: client_reference,
    content,
    uri: `${root}/v2/notifications/${id}`,
    template: {
      id: template_id,
      version: template_version,
      uri: `${root}/services/${service_id}/templates/${template_id}`,
    },
    scheduled_for,
  };
}
