import type { Status } from '../../../notifications/notification.ts';
import type { Channel } from '../../../protocol/channels.ts';

interface Advice {
  problem: string;
  help: string;
}

const ofAll: Partial<Record<Status, Advice>> = {
  failed: { problem: 'It was not delivered.', help: 'Send it again.' },
  'technical-failure': {
    problem: 'No provider took it.',
    help: 'The timeline says what happened. Send it again when the provider works.',
  },
};

const ofChannel: Record<Channel, Partial<Record<Status, Advice>>> = {
  sms: {
    'temporary-failure': {
      problem: 'The phone could not be reached for too long.',
      help: 'It was switched off, or had no network. The number is right, so it is worth sending again later.',
    },
    'permanent-failure': {
      problem: 'The number does not exist.',
      help: 'Ask the person for the right one, and correct it in your data.',
    },
  },
  email: {
    'temporary-failure': {
      problem: 'The inbox took nothing for too long.',
      help: 'It may be full, or its server away. The address is right, so it is worth sending again later.',
    },
    'permanent-failure': {
      problem: 'The address does not exist.',
      help: 'Ask the person for the right one, and correct it in your data.',
    },
  },
  letter: {
    'technical-failure': { problem: 'It was not printed.', help: 'Nothing is charged. Send it again.' },
    'validation-failed': {
      problem: 'The file cannot be printed.',
      help: 'The page shows what is outside of the printable area. Correct the file, and send it again.',
    },
    'virus-scan-failed': { problem: 'The file has a virus.', help: 'It was not kept.' },
    'permanent-failure': { problem: 'It cannot be delivered.', help: 'The printer refused it.' },
  },
};

const suppressed: Advice = {
  problem: 'It was not sent: its recipient is on the suppression list.',
  help: 'The address bounced before, or the person complained or unsubscribed. The list is in the settings of email.',
};

/** What a failed status means for the person who looks at it. `provider` is null if none got the message. */
export function whatToDo(channel: Channel, status: Status, provider: string | null): Advice | undefined {
  if (channel === 'email' && status === 'permanent-failure' && provider === null) return suppressed;
  return ofChannel[channel][status] ?? ofAll[status];
}
