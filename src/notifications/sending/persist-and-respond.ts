import { type NewAuditEntry, recordAuditEntry } from '../../auth/audit-entry.ts';
import { timestamp } from '../../platform/clock.ts';
import { currentActor } from '../../platform/db/actor.ts';
import type { Tx } from '../../platform/db/database.ts';
import { Failure } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Task } from '../../platform/queue/queue.ts';
import type { NewNotification } from '../notification.ts';
import type { LetterTask } from '../tasks-for-others.ts';
import { deleteUnconfirmedFiles, insertUnconfirmedFiles } from '../unconfirmed-files.sql.ts';
import { type HeldRow, insertHeld } from '../windows/held-messages.sql.ts';
import type { Acceptance } from './accept.ts';
import { encryptResponse, type IdempotencyClaim, replay, type Sent } from './idempotency.ts';
import { recordDocumentCount, updateSecretValues } from './notifications.sql.ts';
import type { SendContext, SendDeps } from './send-context.ts';
import type { SendingService } from './sending-service.ts';

/** Files of a message. They are stored before the message, which must never refer to missing files. */
export interface MessageFiles {
  paths: string[];
  put(): Promise<void>;
  /** Number of files that the message links to. */
  count?: number;
  /** Stores rows that describe the files. */
  record?(tx: Tx): Promise<void>;
}

/** A message that passed every check. */
export interface PreparedMessage<ResponseBody> {
  /** Null for a simulated recipient: then nothing is stored. */
  notification: NewNotification | null;
  response: ResponseBody;
  abroad?: boolean;
  /** The parts of a text, if limits count them. */
  parts?: number | undefined;
  task?: Task<LetterTask>;
  files?: MessageFiles | undefined;
  /** The row that says what it waits for. */
  held?: HeldRow | undefined;
  /** Encrypted values, which the response also contains. */
  secret_values?: string | null;
}

/** Returns the response once the message is durable. */
export async function persistAndRespond<ResponseBody>(
  app: SendDeps,
  { service, idempotency, only_check, step }: SendContext,
  message: PreparedMessage<ResponseBody>,
): Promise<Sent<ResponseBody>> {
  const { response } = message;
  if (only_check) return { response, replayed: false };
  const [stored] = await withFiles(app, [message], async () => [
    await app.sending.acceptor.accept(acceptanceOf(app, service, message, idempotency, step)),
  ]);
  if (!stored || !idempotency) return { response, replayed: false };
  await deleteFiles(app, pathsOf(message));
  return replay(stored, idempotency.request_digest);
}

/** Stores all messages in one transaction, or none, except those whose key is taken. Returns which were stored. */
export async function persistTogether<ResponseBody>(
  app: SendDeps,
  service: SendingService,
  messages: { message: PreparedMessage<ResponseBody>; idempotency: IdempotencyClaim | undefined }[],
): Promise<boolean[]> {
  const prepared = messages.map(({ message }) => message);
  const stored = await withFiles(app, prepared, () =>
    app.sending.acceptor.acceptTogether(
      messages.map(({ message, idempotency }) => acceptanceOf(app, service, message, idempotency)),
    ),
  );
  for (const [index, message] of prepared.entries()) if (!stored[index]) await deleteFiles(app, pathsOf(message));
  return stored;
}

/** Stores the files first. */
async function withFiles<Result>(
  app: SendDeps,
  messages: PreparedMessage<unknown>[],
  store: () => Promise<Result>,
): Promise<Result> {
  const paths = messages.flatMap(pathsOf);
  if (paths.length > 0) await insertUnconfirmedFiles(app.db, paths, timestamp(app.clock.now()));
  try {
    for (const { notification, files } of messages) if (notification) await files?.put();
    return await store();
  } catch (error) {
    // Delete files only if the message was certainly not stored. After an outage, a task decides an hour later.
    if (error instanceof Failure) await deleteFiles(app, paths);
    throw error;
  }
}

function pathsOf({ notification, files }: PreparedMessage<unknown>): string[] {
  return notification ? (files?.paths ?? []) : [];
}

function acceptanceOf<ResponseBody>(
  app: SendDeps,
  service: SendingService,
  message: PreparedMessage<ResponseBody>,
  idempotency: IdempotencyClaim | undefined,
  step?: SendContext['step'],
): Acceptance {
  const { notification, response, abroad, parts, task, files, held, secret_values } = message;
  const paths = pathsOf(message);
  // Undefined for requests with an API key, which name no person.
  const actor = currentActor();
  return {
    service,
    notification,
    abroad: abroad ?? false,
    parts,
    idempotency: idempotency && {
      ...idempotency,
      response: secret_values ? encryptResponse(app, service.id, idempotency.key, response) : response,
    },
    alsoStore:
      task || files?.record || held || step || actor !== undefined
        ? async (tx) => {
            await step?.record(tx);
            await files?.record?.(tx);
            if (!notification) return;
            if (held) await insertHeld(tx, [held]);
            if (actor !== undefined) await recordAuditEntry(tx, entryOf(notification), actor);
            if (paths.length > 0) await deleteUnconfirmedFiles(tx, paths);
            if (secret_values) await updateSecretValues(tx, notification.id, secret_values);
            if (files?.count) await recordDocumentCount(tx, notification.id, files.count);
            if (task) {
              const priority = app.sending.letterPriorities.priorityFor(notification);
              await app.queue.add(tx, task, { notification_id: notification.id }, { priority });
            }
          }
        : undefined,
  };
}

/** Omits the recipient, the values and the reference, which may be personal data. */
function entryOf(notification: NewNotification): NewAuditEntry {
  const { id, service_id, notification_type, template_id, template_version, scheduled_for } = notification;
  const after = { notification_type, template_id, template_version, scheduled_for };
  return { action: 'create', noun: 'notification', thing_id: id, service_id, after };
}

async function deleteFiles({ db, files }: Platform, paths: string[]): Promise<void> {
  if (paths.length === 0) return;
  for (const path of paths) await files.remove(path);
  await deleteUnconfirmedFiles(db, paths);
}

/** The common response of all sends except precompiled letters. */
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
