import type { Signature } from '../../sending-domains/sender-domains.ts';
import type { Reports } from './reports.ts';

export interface TextMessage {
  /** The id of the notification, in all attempts and receipts. */
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
  /** RFC 2369 and RFC 8058: mail clients show a button that posts to it. */
  unsubscribe_url: string | null;
  /** Additional headers of an email that arrived over SMTP. ASCII only, each at most 870 characters, the limit of Amazon SES. */
  headers?: Readonly<Record<string, string>> | undefined;
  /** Set if the domain has its own key. Otherwise the key of the settings signs, if there is one. */
  signature?: Signature | undefined;
  /** The domain for bounces, if it is not the installation's. */
  return_path_domain?: string | undefined;
  /** The sending domain, if it is not the installation's. */
  sending_domain_id?: string | undefined;
  /** Who owns the sending domain; the installation by default. */
  domain_kind?: 'installation' | 'organisation' | 'service';
  /** Omitted if there are none. */
  attachments?: readonly EmailAttachment[];
}

export interface EmailAttachment {
  /** Without line breaks and slashes. */
  filename: string;
  mime_type: string;
  content: Buffer;
}

/** The outcome of a call. A rejection is a value; only unexpected errors throw. */
export type Outcome =
  | {
      kind: 'accepted';
      /** The reference in the provider's receipts, if it is not ours. */
      provider_reference?: string;
      /** Set if the provider sent several parts with a receipt each: all their references, `provider_reference` first. */
      part_references?: string[];
      /** The provider sends no receipts, so acceptance is final. */
      final?: 'delivered';
      /** The provider reports failures only: without a report the message counts as delivered after this time. */
      delivered_after_ms?: number;
    }
  | {
      kind: 'refused';
      reason: string;
      status: 'technical-failure' | 'permanent-failure' | 'temporary-failure';
      opted_out?: true;
    }
  | {
      kind: 'retry';
      reason: string;
      after_ms?: number;
      /** The connection failed after the request was written: the provider may have the message. */
      perhaps_sent?: boolean;
    };

export interface Provider<Message> {
  readonly name: string;
  send(message: Message): Promise<Outcome>;
  /** Returns which of these messages the provider already has, to resolve interrupted attempts. Omitted if the provider cannot tell. */
  findAccepted?(references: string[]): Promise<Set<string>>;
  /** Throws, with advice, if the provider is unreachable or rejects the credentials. Sends nothing. The sandbox omits it. */
  check?(): Promise<void>;
  /**
   * Receives reports on the connection that sends, instead of by webhook, until `close`. Called once, before the first message is sent, and
   * in worker processes only.
   */
  listen?(reports: Reports): void;
  close?(): Promise<void>;
}
