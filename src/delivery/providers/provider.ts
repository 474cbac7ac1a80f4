import type { NotificationType, Status } from '../../notifications/notification.ts';

/** A text message as a gateway gets it. */
export interface TextMessage {
  /** The notification’s id: every attempt carries it, and receipts name it. */
  reference: string;
  /** With country code, digits only. */
  to: string;
  sender: string;
  text: string;
  encoding: 'gsm7' | 'ucs2';
  international: boolean;
}

export interface EmailMessage {
  reference: string;
  to: string;
  from: { name: string; address: string };
  reply_to: string | null;
  subject: string;
  text: string;
  html: string;
  /** RFC 2369 and RFC 8058: the mail program shows a button that posts to it. */
  unsubscribe_url: string | null;
}

/** What became of a call. A refusal is a value; only surprises throw. */
export type Outcome =
  | {
      kind: 'accepted';
      /** What the provider’s receipts will call it, where that is not our reference. */
      provider_reference?: string;
      /** The provider sends no receipts: its yes is the last word. */
      final?: 'delivered';
    }
  | { kind: 'refused'; reason: string; status: 'technical-failure' | 'permanent-failure' }
  | {
      kind: 'retry';
      reason: string;
      after_ms?: number;
      /** The request had been written when the connection broke: the provider may have the message. */
      perhaps_sent?: boolean;
    };

export interface Provider<Message> {
  readonly name: string;
  send(message: Message): Promise<Outcome>;
  /** Which of these it has taken already: settles attempts that broke off. Left out where the provider cannot tell. */
  findAccepted?(references: string[]): Promise<Set<string>>;
  /** Throws, with what to do, unless it can be reached and knows us. Sends nothing; left out where nobody is to reach. */
  check?(): Promise<void>;
  close?(): Promise<void>;
}

/** What a provider’s callback says about one message. */
export interface Receipt {
  provider: string;
  notification_type: NotificationType;
  /** Our id, or the provider’s own reference where it uses one. */
  reference: string;
  /** Signed, or sent to the address that the message named: it comes from this provider. */
  proven: boolean;
  /** A provider may leave open what it means until the message’s state is known. */
  statusFor(notification: { status: Status }): ReceiptStatus;
  /** When it happened, as the provider says. */
  at?: Date;
}

export type ReceiptStatus = 'delivered' | 'pending' | 'temporary-failure' | 'permanent-failure' | 'technical-failure';
