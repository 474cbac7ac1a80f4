import { Failure, type FailureDetail } from '../../platform/failure.ts';

/** Names of the rules, and what the public API calls them. The languages of a letter follow from its texts. */
const publicNames = new Map([
  ['template_type', ['type']],
  ['content', ['body']],
  ['letter_welsh_content', ['letter_welsh_body']],
  ['letter_languages', []],
]);
const senderNames = /^(letter_contact_id|email_reply_to_id|sms_sender_id)\b/;

/** The same error, about the fields that the caller sent. */
export function withPublicNames(error: unknown): unknown {
  if (!(error instanceof Failure)) return error;
  const { kind, code, detail, problems, headers, cause } = error;
  return new Failure(kind, code, translated(detail), { problems, headers, cause });
}

function translated(detail: FailureDetail): FailureDetail {
  if (typeof detail === 'string') return detail.replace(senderNames, 'sender_id');
  return Object.fromEntries(
    Object.entries(detail).flatMap(([name, texts]) =>
      (publicNames.get(name) ?? [name]).map((publicName) => [publicName, texts]),
    ),
  );
}
