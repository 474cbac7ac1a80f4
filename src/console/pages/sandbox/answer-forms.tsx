import type { Answer } from '../../../delivery/sandbox/answers.ts';
import type { InboxMessage } from '../../../delivery/sandbox/inbox.ts';
import type { FormState } from '../../page.ts';
import { Field } from '../../parts/field.tsx';

const ofEmail = { 'temporary-failure': 'Mailbox full', 'permanent-failure': 'Bounce' };
const ofText = { 'temporary-failure': 'Phone switched off', 'permanent-failure': 'Number unknown' };

const labels: Record<Answer, string> = {
  delivered: 'Delivered',
  pending: 'Still trying',
  'temporary-failure': 'Temporary failure',
  'permanent-failure': 'Permanent failure',
  'technical-failure': 'Technical failure',
  reply: 'Reply',
  complaint: 'Complain',
  unsubscribe: 'Unsubscribe',
  print: 'Print now',
  posted: 'Posted',
  rejected: 'Cannot be printed',
  returned: 'Returned',
};

const headings = { email: 'Answer as the recipient', sms: 'Answer as the recipient', letter: 'Answer as the printer' };

/** What was done, in words: shown once on the next page. */
export const notices: Record<Answer, string> = {
  delivered: 'The receipt was recorded.',
  pending: 'The receipt was recorded.',
  'temporary-failure': 'The receipt was recorded.',
  'permanent-failure': 'The receipt was recorded.',
  'technical-failure': 'The receipt was recorded.',
  reply: 'The service has received the reply.',
  complaint: 'The complaint was recorded.',
  unsubscribe: 'The service has received the request to unsubscribe.',
  print: 'The letter is on its way to the printer.',
  posted: 'The letter was posted.',
  rejected: 'The letter cannot be printed.',
  returned: 'The letter was returned.',
};

interface AnswersProps {
  message: InboxMessage;
  possible: Answer[];
  action: string;
  formState: FormState;
  /** Whether the sandbox waits for receipts instead of making them. */
  isHeld: boolean;
}

/** Buttons for what a provider, a recipient or a printer can do with the message now. */
export function Answers({ message, possible, action, formState, isHeld }: AnswersProps) {
  const { notification_type: channel } = message;
  const words: Partial<Record<Answer, string>> = channel === 'email' ? ofEmail : channel === 'sms' ? ofText : {};
  const buttons = possible.filter((answer) => answer !== 'reply');
  return (
    <>
      <form class="card-foot small" method="post" action={action} aria-label={headings[channel]}>
        <b>{headings[channel]}</b>
        {buttons.map((answer) => (
          <button key={answer} class="button button--small" type="submit" name="answer" value={answer}>
            {words[answer] ?? labels[answer]}
          </button>
        ))}
        <span class="muted">{explain(message, possible, isHeld)}</span>
      </form>
      {possible.includes('reply') && (
        <form class="card-foot reply" method="post" action={action} aria-label="Reply" noValidate>
          <input type="hidden" name="answer" value="reply" />
          <Field
            formState={formState}
            name="text"
            label="Reply as the recipient"
            beside={
              <button class="button" type="submit">
                Reply
              </button>
            }
          />
        </form>
      )}
    </>
  );
}

/** Why there are fewer answers than expected. */
function explain({ notification_type, status }: InboxMessage, possible: Answer[], isHeld: boolean): string {
  if (notification_type === 'letter') return possible.length > 0 ? '' : 'Nothing to answer now.';
  if (possible.includes('delivered')) return '';
  const final = status === 'created' ? 'It is not sent yet.' : 'It has its receipt.';
  return isHeld ? final : `${final} To send receipts by hand, start with SANDBOX_RECEIPTS=hold.`;
}
