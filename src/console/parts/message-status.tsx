import type { Status as MessageState } from '../../notifications/notification.ts';
import type { Channel } from '../../protocol/channels.ts';
import { Status } from './status.tsx';

type Shown = [kind: Parameters<typeof Status>[0]['kind'], word: string];

const shown: Record<MessageState, Shown> = {
  created: ['accepted', 'Accepted'],
  sending: ['sending', 'Sending'],
  pending: ['sending', 'Pending'],
  sent: ['delivered', 'Sent'],
  delivered: ['delivered', 'Delivered'],
  failed: ['failed', 'Failed'],
  'technical-failure': ['failed', 'Technical failure'],
  'temporary-failure': ['failed', 'Temporary failure'],
  'permanent-failure': ['failed', 'Permanent failure'],
  cancelled: ['cancelled', 'Cancelled'],
  'pending-virus-check': ['accepted', 'Checking for viruses'],
  'validation-failed': ['failed', 'Cannot be printed'],
  'virus-scan-failed': ['failed', 'Contains a virus'],
  'returned-letter': ['failed', 'Returned'],
};

const shownOfLetters: Partial<Record<MessageState, Shown>> = {
  created: ['accepted', 'Waiting to print'],
  sending: ['sending', 'Printing'],
  delivered: ['delivered', 'Posted'],
  'technical-failure': ['failed', 'Not printed'],
};

/** What became of a message, in the words of its channel. */
export function MessageStatus({ status, channel }: { status: MessageState; channel: Channel }) {
  const [kind, word] = (channel === 'letter' ? shownOfLetters[status] : undefined) ?? shown[status];
  return <Status kind={kind}>{word}</Status>;
}
