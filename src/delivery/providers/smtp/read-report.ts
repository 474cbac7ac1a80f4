import PostalMime, { type Email } from 'postal-mime';
import { isAutoReply, isFromMailServer, type PlainMail, readBounceText } from './bounce-text.ts';
import { type DeliveryStatus, readDeliveryStatus } from './delivery-status.ts';
import { complaintTypeIn } from './feedback-report.ts';
import type { ReturnPaths } from './return-path.ts';

/** Only the beginning of a message is read: what a server says comes before the message that it returns. */
export const maxReport_bytes = 256 * 1024;

/** `auto-reply`: nothing about the delivery; `other`: no report at all; `unsigned`: a report about no message of ours. */
export type ReportKind = DeliveryStatus | 'complaint' | 'auto-reply' | 'other' | 'unsigned';

export type Report =
  | { kind: DeliveryStatus; id: string }
  | { kind: 'complaint'; id: string; complaint_type: string; complaint_date: string | null }
  | { kind: 'auto-reply' | 'other' | 'unsigned' };

/** Where mail servers write the address that a message came to. */
const recipientHeaders = [
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-delivered-to',
  'to',
  'cc',
];

/** What an email says about which message of ours. `recipients` are those of its envelope, if known. */
export async function readReport(source: Buffer, paths: ReturnPaths, recipients: string[] = []): Promise<Report> {
  const text = source.toString('latin1');
  const email = await parse(source);
  const meaning = meaningOf(email, text);
  if (meaning === 'auto-reply' || meaning === 'other') return { kind: meaning };
  const id = paths.findId(recipients.join(' ')) ?? paths.findId(recipientsIn(email)) ?? paths.findId(text);
  if (id === undefined) return { kind: 'unsigned' };
  if (typeof meaning === 'string') return { kind: meaning, id };
  return { kind: 'complaint', id, complaint_type: meaning.complaint_type, complaint_date: dateOf(email) };
}

/** Of a message that cannot be parsed, such as one with too many parts, the headers are read, or nothing. */
async function parse(source: Buffer): Promise<Email> {
  const end = source.indexOf('\r\n\r\n');
  for (const part of end < 0 ? [source] : [source, source.subarray(0, end)]) {
    try {
      return await PostalMime.parse(part, { attachmentEncoding: 'utf8' });
    } catch {
      // The limits of the parser are its only errors.
    }
  }
  return { headers: [], headerLines: [], attachments: [] };
}

function meaningOf(email: Email, source: string): DeliveryStatus | 'auto-reply' | 'other' | { complaint_type: string } {
  const feedback = partOf(email, 'message/feedback-report');
  if (feedback !== undefined) return { complaint_type: complaintTypeIn(feedback) };
  // Outlook.com returns the message as an attachment, without a report.
  if (/^X-HmXmrOriginalRecipient:/im.test(source)) return { complaint_type: 'abuse' };
  if (partOf(email, 'message/disposition-notification') !== undefined) return 'other';
  const status = partOf(email, 'message/delivery-status') ?? partOf(email, 'message/global-delivery-status');
  if (status !== undefined) return readDeliveryStatus(status) ?? 'other';
  // The parts of a broken report are found in its text.
  if (/^(Final|Original)-Recipient:/im.test(source) && /^Action:/im.test(source))
    return readDeliveryStatus(source) ?? 'other';
  const mail = plainMail(email);
  if (isFromMailServer(mail)) return readBounceText(mail);
  return isAutoReply(mail) ? 'auto-reply' : 'other';
}

function partOf({ attachments }: Email, mimeType: string): string | undefined {
  const content = attachments.find((part) => part.mimeType === mimeType)?.content;
  return typeof content === 'string' ? content : undefined;
}

function plainMail(email: Email): PlainMail {
  return {
    header: (name) => email.headers.find(({ key }) => key === name)?.value ?? '',
    subject: email.subject ?? '',
    from: email.from?.address ?? '',
    text: email.text ?? email.html ?? '',
  };
}

function recipientsIn({ headers }: Email): string {
  const found = headers.filter(({ key }) => recipientHeaders.includes(key));
  const order = ({ key }: { key: string }) => recipientHeaders.indexOf(key);
  return found
    .toSorted((one, other) => order(one) - order(other))
    .map(({ value }) => value)
    .join(' ');
}

function dateOf({ date }: Email): string | null {
  const at = new Date(date ?? '');
  const text = Number.isNaN(at.getTime()) ? '' : at.toISOString();
  // Years beyond 9999 are no dates for PostgreSQL.
  return /^\d{4}-/.test(text) ? text : null;
}
