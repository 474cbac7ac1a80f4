import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import {
  addressParts,
  isAddressOf,
  normaliseRecipient,
  type RecipientSearch,
  type RecipientToFind,
} from '../recipients/recipient.ts';
import { addressOf, contentOf, type MessageContent, type PlanRecipient } from './message-content.ts';
import { eraseContents, type PlanMessage, selectWithContent } from './plan-messages.sql.ts';
import { isOpen } from './plan-rules.ts';

interface FoundMessage {
  message: PlanMessage;
  content: MessageContent;
}

const batch = 1_000;
const purpose = 'plan-recipient';

/** Stored with a message, so that searches decrypt few others. */
export function tagsOfRecipient(app: Platform, recipient: PlanRecipient): string[] {
  const parts = [...contactsOf(app, recipient), ...addressParts(app.country, postalAddress(recipient))];
  return parts.map((part) => app.secrets.tag(purpose, part));
}

/** Compares the contents of messages, because the tags of some are not known. */
export async function* findPlanMessagesOf(
  app: Platform,
  { who, serviceId }: RecipientSearch,
): AsyncGenerator<FoundMessage> {
  const parts = 'address' in who ? who.address : [who.contact];
  const tags = app.secrets.tagsByKey(purpose, parts);
  let after: string | undefined;
  do {
    const messages = await selectWithContent(app.db, { serviceId, tags, after, limit: batch });
    for (const message of messages) {
      const content = contentOf(app, message);
      if (content && isTo(app, content.recipient, who)) yield { message, content };
    }
    after = messages.length === batch ? messages.at(-1)?.id : undefined;
  } while (after !== undefined);
}

function isTo(app: Platform, recipient: PlanRecipient, who: RecipientToFind): boolean {
  if ('address' in who) return isAddressOf(postalAddress(recipient), who);
  return contactsOf(app, recipient).includes(who.contact);
}

function contactsOf({ country }: Platform, { email_address, phone_number }: PlanRecipient): string[] {
  const contacts = [email_address, phone_number].filter((contact) => contact !== undefined);
  return contacts.map((contact) => normaliseRecipient(country.phone, contact));
}

function postalAddress(recipient: PlanRecipient): string {
  return Object.values(addressOf(recipient)).join('\n');
}

/** Erases the recipient, values and reference of messages that have ended, and leaves the others. */
export async function erasePlanMessages(
  app: Platform & { db: Db },
  search: RecipientSearch,
): Promise<{ erased: string[]; left: number }> {
  const erased: string[] = [];
  let left = 0;
  for await (const { message } of findPlanMessagesOf(app, search)) {
    if (isOpen(message.status)) left += 1;
    else erased.push(message.id);
  }
  if (erased.length > 0) await eraseContents(app.db, erased);
  return { erased, left };
}
