import type { Values } from '../notifications/sending/send-rules.ts';
import { unstorable } from '../platform/db/errors.ts';
import { isStorableJson } from '../platform/db/row-writer.ts';
import { invalid } from '../platform/failure.ts';
import type { Platform } from '../platform/platform.ts';
import type { EncryptedValues } from '../platform/secrets/encrypted-values.ts';
import { type PlanMessage, replaceEncryptedContents, selectEncryptedContents } from './plan-messages.sql.ts';

/** The contacts of the recipient, as requested. */
export interface PlanRecipient {
  email_address?: string;
  phone_number?: string;
  address_line_1?: string;
  address_line_2?: string;
  address_line_3?: string;
  address_line_4?: string;
  address_line_5?: string;
  address_line_6?: string;
  address_line_7?: string;
  /** For sending times only. */
  time_zone?: string;
}

/** The recipient and values of a message, stored for the steps that have not started. */
export interface MessageContent {
  recipient: PlanRecipient;
  personalisation: Values;
}

const isAddressLine = /^address_line_[1-7]$/;

export function addressOf(recipient: PlanRecipient): Record<string, string> {
  return Object.fromEntries(Object.entries(recipient).filter(([name]) => isAddressLine.test(name)));
}

const purpose = 'plan-message';

export const planMessageContents: EncryptedValues = {
  name: 'recipients and values of messages with a channel plan',
  purpose,
  select: selectEncryptedContents,
  replace: replaceEncryptedContents,
};

/** Refuses what the notifications of later steps could not store. */
export function encryptContent({ secrets }: Platform, id: string, content: MessageContent): string {
  const json = JSON.stringify(content);
  if (!isStorableJson(json)) throw invalid(unstorable);
  return secrets.encrypt(purpose, json, id);
}

export class UnreadableContent extends Error {
  constructor() {
    super('A message with a channel plan cannot be decrypted: does SECRET_KEYS lack a key?');
  }
}

/** Undefined if it was erased. */
export function contentOf({ secrets }: Platform, message: PlanMessage): MessageContent | undefined {
  const { id, encrypted_content } = message;
  if (encrypted_content === null) return undefined;
  const text = secrets.decrypt(purpose, encrypted_content, id)?.toString();
  if (text === undefined) throw new UnreadableContent();
  return JSON.parse(text) as MessageContent;
}

/** Undefined also if it cannot be decrypted. */
export function readableContentOf(app: Platform, message: PlanMessage): MessageContent | undefined {
  try {
    return contentOf(app, message);
  } catch (error) {
    if (error instanceof UnreadableContent) return undefined;
    throw error;
  }
}
