import PostalMime, { type Email } from 'postal-mime';
import type { ReturnPaths } from './return-path.ts';
import { type Bounce, bounceInText, bounceOf, statusCodesIn } from './status-code.ts';

/** Only the beginning of a message is read: the report precedes the returned message. */
export const maxReport_bytes = 256 * 1024;

/** `auto-reply`: says nothing about delivery; `other`: not a report; `unsigned`: a report about a message that is not ours. */
export type ReportKind = DeliveryStatus | 'complaint' | 'auto-reply' | 'other' | 'unsigned';

export type Report =
  | { kind: DeliveryStatus; id: string; reason?: string }
  | { kind: 'complaint'; id: string; complaint_type: string; complaint_date: string | null }
  | { kind: 'auto-reply' | 'other' | 'unsigned' };

/** Headers in which mail servers record the address that a message was delivered to. */
const recipientHeaders = [
  'delivered-to',
  'x-original-to',
  'envelope-to',
  'x-envelope-to',
  'x-delivered-to',
  'to',
  'cc',
];

/** Reads which of our messages an email is about and what it reports. `recipients` are those of its envelope, if known. */
export async function readReport(source: Buffer, paths: ReturnPaths, recipients: string[] = []): Promise<Report> {
  const text = source.toString('latin1');
  const email = await parse(source);
  const meaning = meaningOf(email, text);
  if (meaning === 'auto-reply' || meaning === 'other') return { kind: meaning };
  const id = paths.findId(recipients.join(' ')) ?? paths.findId(recipientsIn(email)) ?? paths.findId(text);
  if (id === undefined) return { kind: 'unsigned' };
  if ('status' in meaning) return { kind: meaning.status, id, ...(meaning.reason && { reason: meaning.reason }) };
  return { kind: 'complaint', id, complaint_type: meaning.complaint_type, complaint_date: dateOf(email) };
}

/** If a message cannot be parsed, for example because it has too many parts, only its headers are read, or nothing. */
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

function meaningOf(email: Email, source: string): Delivery | 'auto-reply' | 'other' | { complaint_type: string } {
  const feedback = partOf(email, 'message/feedback-report');
  if (feedback !== undefined) return { complaint_type: complaintTypeIn(feedback) };
  // Outlook.com returns the message as an attachment, without a report.
  if (/^X-HmXmrOriginalRecipient:/im.test(source)) return { complaint_type: 'abuse' };
  if (partOf(email, 'message/disposition-notification') !== undefined) return 'other';
  const status = partOf(email, 'message/delivery-status') ?? partOf(email, 'message/global-delivery-status');
  if (status !== undefined) return readDeliveryStatus(status) ?? 'other';
  // A malformed report still has its fields in the text.
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
  // PostgreSQL cannot parse years beyond 9999.
  return /^\d{4}-/.test(text) ? text : null;
}

/** The types that Amazon SES reports. */
const complaintTypes = ['abuse', 'auth-failure', 'fraud', 'not-spam', 'other', 'virus'];

/** Returns the type of complaint in a feedback report (RFC 5965). */
function complaintTypeIn(text: string): string {
  const type = fieldBlocks(text)
    .map((fields) => fields.get('feedback-type')?.toLowerCase())
    .find((value) => value !== undefined);
  return type !== undefined && complaintTypes.includes(type) ? type : 'other';
}

type DeliveryStatus = Bounce | 'delivered' | 'delayed';

interface Delivery {
  status: DeliveryStatus;
  /** The response of the server that refused it. */
  reason?: string;
}

/** Parses blocks of `Name: value` lines, as in RFC 3464 and RFC 5965. Names become lower case; the first occurrence counts. */
function fieldBlocks(text: string): Map<string, string>[] {
  const unfolded = text.replaceAll('\r\n', '\n').replaceAll(/\n[ \t]+(?=\S)/g, ' ');
  return unfolded.split(/\n[ \t]*\n/).map((block) => {
    const fields = new Map<string, string>();
    for (const [, name = '', value = ''] of block.matchAll(/^([\w-]+)[ \t]*:[ \t]*(.*)$/gm)) {
      const key = name.toLowerCase();
      if (!fields.has(key)) fields.set(key, value.trim());
    }
    return fields;
  });
}

/** Returns the worst result that a delivery status notification has for its recipients; undefined if none is final. */
function readDeliveryStatus(text: string): Delivery | undefined {
  const blocks = fieldBlocks(text).map((fields) => ({ status: statusOfRecipient(fields), fields }));
  for (const status of ['hard-bounce', 'soft-bounce', 'delivered', 'delayed'] as const) {
    const found = blocks.find((block) => block.status === status);
    if (found) return { status, ...(status.endsWith('bounce') && { reason: reasonIn(found.fields) }) };
  }
  return undefined;
}

/** Longer reasons are cut: a stranger may have written them. */
const maxReason = 500;

/** Returns the server's response with its code, such as `550 5.1.1 No such user`. */
function reasonIn(fields: Map<string, string>): string {
  const said = (fields.get('diagnostic-code') ?? '').slice(0, maxReason).replace(/^[\w-]+[ \t]*;[ \t]*/, '');
  const [code = ''] = statusCodesIn(fields.get('status') ?? '');
  const isSaid = said.includes(code) || code.endsWith('.0.0');
  return (isSaid ? said : `${code} ${said}`).replaceAll(/\p{C}+/gu, ' ').trim();
}

/** A message has one recipient, but that mailbox may be an alias for several. */
function statusOfRecipient(fields: Map<string, string>): DeliveryStatus | undefined {
  const action = /^[a-z]+/.exec((fields.get('action') ?? '').toLowerCase())?.[0];
  const [code] = statusCodesIn(fields.get('status') ?? '');
  switch (action) {
    case 'failed':
      return failureOf(code, fields.get('diagnostic-code') ?? '');
    case 'delivered':
    case 'delayed':
      return action;
    case undefined:
      return code?.startsWith('5.') ? failureOf(code, fields.get('diagnostic-code') ?? '') : undefined;
    default:
      // `relayed` and `expanded`: the next server sends no reports, so no more will be known.
      return undefined;
  }
}

/** Many servers report 5.0.0 and give the reason only in the text. */
function failureOf(code: string | undefined, diagnostic: string): Bounce {
  const isPlain = code === undefined || code.endsWith('.0.0');
  const said = isPlain ? bounceInText(diagnostic) : undefined;
  return said ?? (code === undefined ? 'soft-bounce' : bounceOf(code));
}

/** The bounce of an older server, with a text for people and not for programs. */
interface PlainMail {
  /** Returns the first value of a header, or an empty text. */
  header(name: string): string;
  subject: string;
  from: string;
  text: string;
}

const daemon = /^(mailer-?daemon|mail-?daemon|mdaemon|postmaster)(@|$)/i;

/** People and vacation responders write from a person's address, not from that of a mail server. */
function isFromMailServer({ header, from }: PlainMail): boolean {
  return header('x-failed-recipients') !== '' || (from === '' ? header('from') !== '' : daemon.test(from));
}

/** Recognises RFC 3834, and the headers of older responders. */
function isAutoReply({ header }: PlainMail): boolean {
  const submitted = header('auto-submitted').toLowerCase();
  const isAutomatic = submitted !== '' && !submitted.startsWith('no');
  const precedence = /^(auto_reply|bulk|junk|list)/i.test(header('precedence'));
  return (
    isAutomatic || precedence || ['x-autoreply', 'x-autorespond', 'x-autoresponse'].some((name) => header(name) !== '')
  );
}

const isWarning = /\bwarning\b|\bdelay(ed)?\b/i;
const warningOnly = /warning message only|do not need to resend|no action is required/i;
/** The server's text is above this line, the returned message below it. */
const copyFollows =
  /^.*(below this line is a copy|this is a copy of (the|your) message|-- ?(original|returned|unsent) message|message (headers )?follows?\b).*$/im;

/** An unclear bounce counts as soft: a wrong address bounces again, and a correct one must not be suppressed. */
function readBounceText({ subject, text }: PlainMail): Delivery {
  if (isWarning.test(subject) || warningOnly.test(text)) return { status: 'delayed' };
  const end = text.search(copyFollows);
  const said = end > 0 ? text.slice(0, end) : text;
  const codes = statusCodesIn(said.slice(0, maxReason)).join(' ');
  return { status: bounceInText(said) ?? 'soft-bounce', ...(codes && { reason: codes }) };
}
