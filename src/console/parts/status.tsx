import type { Status as MessageState } from '../../notifications/notification.ts';
import type { Channel } from '../../protocol/channels.ts';

/** What became of a message: sign, word and colour, always all three. The style sheet draws the sign: lists have many. */
type StatusKind = 'accepted' | 'sending' | 'delivered' | 'failed' | 'cancelled';

export function Status({ kind, children }: { kind: StatusKind; children: string }) {
  return <span class={`status status--${kind}`}>{children}</span>;
}

/** The channel of a message. In lists without colour, which belongs to the status there. */
export function Stamp({ channel, small }: { channel: 'email' | 'text' | 'letter'; small?: boolean }) {
  return (
    <span class={`stamp stamp--${channel}${small ? ' stamp--small' : ''}`}>
      <span class="sr">{channelNames[channel]}</span>
    </span>
  );
}

const channelNames = { email: 'Email', text: 'Text', letter: 'Letter' };

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
