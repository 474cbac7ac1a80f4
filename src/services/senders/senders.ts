import type { Insertable, Updateable } from 'kysely';
import { recordImport, requireUnusedId } from '../../auth/imported.ts';
import { forApi, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { type Db, inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { DB } from '../../platform/db/schema.ts';
import { invalid, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { detachReplyTo } from '../../templates/templates.ts';
import {
  type AccountMessageSender,
  accountTemplates,
  mayRequestMessage,
} from '../../users/account-messages/account-messages.ts';
import { getServiceForUpdate } from '../services.ts';
import type { TextSenderSettings } from '../settings.ts';
import {
  archiveSender,
  clearDefault,
  insertSender,
  replyToExists,
  type SenderRow,
  type SenderTable,
  selectSender,
  selectSenders,
  updateSender,
} from './senders.sql.ts';

/** What recipients see as the origin of a message: a text sender, a reply-to address or a letter contact. */
interface SenderContent {
  service_sms_senders: { sms_sender: string };
  service_email_reply_to: { email_address: string };
  service_letter_contacts: { contact_block: string };
}

type SenderRequest<T extends SenderTable> = SenderContent[T] & { is_default: boolean };

/** Nouns in the audit log of the senders that can keep their id from another server. */
const importedNouns = {
  service_sms_senders: 'sms_sender',
  service_email_reply_to: 'email_reply_to',
  service_letter_contacts: undefined,
} as const;

/** Checks that differ between the kinds of senders. */
interface Refusals<T extends SenderTable> {
  /** Called for a new sender that does not become the default. */
  refuseWithoutDefault?: (existing: SenderRow<T>[]) => void;
  refuseUpdate?: (sender: SenderRow<T>, request: SenderRequest<T>) => void;
  refuseArchive?: (sender: SenderRow<T>) => void;
}

const anotherFirst = t('Make another one the default first.');

export const {
  list: listSmsSenders,
  get: getSmsSender,
  create: createSmsSender,
  update: updateSmsSender,
  archive: archiveSmsSender,
} = sendersIn('service_sms_senders', {
  refuseUpdate: (sender, request) => {
    if (sender.inbound_number_id !== null && request.sms_sender !== sender.sms_sender) {
      throw invalid(`You can not change the inbound number for service ${sender.service_id}`);
    }
    if (sender.is_default && !request.is_default) {
      throw invalid(
        forApi('You must have at least one SMS sender as the default.', t('Make another sender the default instead.')),
      );
    }
  },
  refuseArchive: (sender) => {
    if (sender.inbound_number_id !== null) throw invalid('You cannot delete an inbound number');
    if (sender.is_default) throw invalid(forApi('You cannot delete a default sms sender', anotherFirst));
  },
});

const noDefault = () => invalid('You must have at least one reply to email address as the default.');

export const {
  list: listReplyTos,
  get: getReplyTo,
  create: createReplyTo,
  update: updateReplyTo,
  archive: archiveReplyTo,
} = sendersIn('service_email_reply_to', {
  refuseWithoutDefault: (existing) => {
    if (!existing.some(({ is_default }) => is_default)) throw noDefault();
  },
  refuseUpdate: (replyTo, request) => {
    if (replyTo.is_default && !request.is_default) throw noDefault();
  },
  refuseArchive: (replyTo) => {
    if (replyTo.is_default) throw invalid(forApi('You cannot delete a default email reply to address', anotherFirst));
  },
});

export const {
  list: listLetterContacts,
  get: getLetterContact,
  create: createLetterContact,
  update: updateLetterContact,
  archive: archiveLetterContact,
} = sendersIn('service_letter_contacts', {});

/** Every change locks the service, so that there is never more than one default. A new default replaces the old one. */
function sendersIn<T extends SenderTable>(table: T, refusals: Refusals<T>) {
  const get = async (db: Db, serviceId: string, id: string) => {
    const sender = await selectSender(db, table, serviceId, id);
    if (!sender) throw notFound();
    return sender;
  };

  return {
    get,

    /** Lists the default first. */
    list: async (db: Db, serviceId: string) => {
      await refuseUnlessExists(db, 'services', serviceId);
      return selectSenders(db, table, serviceId);
    },

    create: (app: Platform, serviceId: string, request: SenderRequest<T>, importedId?: string) => {
      const now = app.clock.now();
      const created_at = timestamp(now);
      return inTransaction(app.db, async (tx) => {
        await getServiceForUpdate(tx, serviceId);
        if (request.is_default) await clearDefault(tx, table, serviceId, created_at);
        else refusals.refuseWithoutDefault?.(await selectSenders(tx, table, serviceId));
        const noun = importedNouns[table];
        const id = importedId === undefined ? newId(now) : await requireUnusedId(tx, importedId);
        if (importedId !== undefined && noun) await recordImport(tx, { noun, id, service_id: serviceId });
        const row = { ...request, id, service_id: serviceId, created_at };
        return insertSender(tx, table, row as Insertable<DB[T]>);
      });
    },

    update: (app: Platform, serviceId: string, id: string, request: SenderRequest<T>) => {
      const updated_at = timestamp(app.clock.now());
      return inTransaction(app.db, async (tx) => {
        await getServiceForUpdate(tx, serviceId);
        const sender = await get(tx, serviceId, id);
        refusals.refuseUpdate?.(sender, request);
        if (request.is_default) await clearDefault(tx, table, serviceId, updated_at);
        return updateSender(tx, table, id, { ...request, updated_at } as Updateable<DB[T]>);
      });
    },

    /** Archives the sender and removes it from the templates that use it. */
    archive: (app: Platform, serviceId: string, id: string) => {
      const now = app.clock.now();
      return inTransaction(app.db, async (tx) => {
        await getServiceForUpdate(tx, serviceId);
        const sender = await get(tx, serviceId, id);
        refusals.refuseArchive?.(sender);
        await detachReplyTo(tx, serviceId, id, now);
        return archiveSender(tx, table, id, timestamp(now));
      });
    },
  };
}

/** Sends a test message to the address, to check that it is delivered. Returns the message id. */
export async function checkReplyTo(
  app: Platform & { accountMessages: AccountMessageSender },
  serviceId: string,
  emailAddress: string,
  { isLimited } = { isLimited: true },
): Promise<string> {
  const existing = await listReplyTos(app.db, serviceId);
  if (existing.some(({ email_address }) => email_address === emailAddress)) throw replyToExists(emailAddress);
  const message = { template_id: accountTemplates.replyToCheck, to: emailAddress, personalisation: {} };
  return inTransaction(app.db, async (tx) => {
    if (isLimited && !(await mayRequestMessage(app, tx, 'reply-to-check', serviceId))) {
      throw invalid('The service has had 20 addresses checked in the last 24 hours. Try again tomorrow.');
    }
    return (await app.accountMessages.send(tx, message)).id;
  });
}

/** Whether the sender looks like the name of another organisation. */
export function isProtectedSenderId({ sms }: { sms: TextSenderSettings }, sender: string): boolean {
  return sms.protectedSenderIds.some((name) => comparable(name) === comparable(sender));
}

/** Makes `H M R C`, `hmrc` and `H.M.R.C` equal, because they look alike on a phone. */
function comparable(sender: string): string {
  return sender.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '');
}
