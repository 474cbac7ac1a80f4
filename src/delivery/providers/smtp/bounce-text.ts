import { type Bounce, bounceInText } from './status-code.ts';

/** Older servers return a message with a text for people, not for programs. */
export interface PlainMail {
  /** The first value of a header, or an empty text. */
  header(name: string): string;
  subject: string;
  /** The address in `From`. */
  from: string;
  text: string;
}

const daemon = /^(mailer-?daemon|mail-?daemon|mdaemon|postmaster)(@|$)/i;

/** A person and a vacation responder write from the address of a person. */
export function isFromMailServer({ header, from }: PlainMail): boolean {
  return header('x-failed-recipients') !== '' || (from === '' ? header('from') !== '' : daemon.test(from));
}

/** RFC 3834, and what older responders write instead. */
export function isAutoReply({ header }: PlainMail): boolean {
  const submitted = header('auto-submitted').toLowerCase();
  const isAutomatic = submitted !== '' && !submitted.startsWith('no');
  const precedence = /^(auto_reply|bulk|junk|list)/i.test(header('precedence'));
  return (
    isAutomatic || precedence || ['x-autoreply', 'x-autorespond', 'x-autoresponse'].some((name) => header(name) !== '')
  );
}

const isWarning = /\bwarning\b|\bdelay(ed)?\b/i;
const warningOnly = /warning message only|do not need to resend|no action is required/i;
/** Above this line is what the server says; below it is the returned message. */
const copyFollows =
  /^.*(below this line is a copy|this is a copy of (the|your) message|-- ?(original|returned|unsent) message|message (headers )?follows?\b).*$/im;

/** Unclear means soft: a wrong address bounces again, a right one must not count as wrong. */
export function readBounceText({ subject, text }: PlainMail): Bounce | 'delayed' {
  if (isWarning.test(subject) || warningOnly.test(text)) return 'delayed';
  const end = text.search(copyFollows);
  return bounceInText(end > 0 ? text.slice(0, end) : text) ?? 'soft-bounce';
}
