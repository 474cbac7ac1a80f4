import type { Db } from '../platform/db/database.ts';
import type { Platform } from '../platform/platform.ts';
import { isAddressOf, normaliseRecipient, type RecipientToFind } from '../recipients/recipient.ts';
import { addressOf, contentOf, type MessageContent, type PlanRecipient } from './message-content.ts';
import { eraseContents, type PlanMessage, selectWithContent } from './plan-messages.sql.ts';
import { isOpen } from './plan-rules.ts';

interface Sought {
  who: RecipientToFind;
  serviceId: string | undefined;
}

interface FoundMessage {
  message: PlanMessage;
  content: MessageContent;
}

const batch = 1_000;

/** Reads every message whose contents were not erased, because contacts are stored encrypted. */
export async function* findPlanMessagesOf(app: Platform, { who, serviceId }: Sought): AsyncGenerator<FoundMessage> {
  let after: string | undefined;
  do {
    const messages = await selectWithContent(app.db, serviceId, after, batch);
    for (const message of messages) {
      const content = contentOf(app, message);
      if (content && isTo(app, content.recipient, who)) yield { message, content };
    }
    after = messages.length === batch ? messages.at(-1)?.id : undefined;
  } while (after !== undefined);
}

function isTo({ country }: Platform, recipient: PlanRecipient, who: RecipientToFind): boolean {
  if ('address' in who) return isAddressOf(Object.values(addressOf(recipient)).join('\n'), who);
  const contacts = [recipient.email_address, recipient.phone_number];
  return contacts.some((one) => one !== undefined && normaliseRecipient(country.phone, one) === who.contact);
}

/** Erases the recipient, values and reference of messages that have ended, and leaves the others. */
export async function erasePlanMessages(
  app: Platform & { db: Db },
  sought: Sought,
): Promise<{ erased: string[]; left: number }> {
  const erased: string[] = [];
  let left = 0;
  for await (const { message } of findPlanMessagesOf(app, sought)) {
    if (isOpen(message.status)) left += 1;
    else erased.push(message.id);
  }
  if (erased.length > 0) await eraseContents(app.db, erased);
  return { erased, left };
}
