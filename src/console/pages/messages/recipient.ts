import type { Channel } from '../../../protocol/channels.ts';

interface Addressed {
  notification_type: Channel;
  recipient: string;
}

/** An address in one line: its first and its last. */
export function shortRecipient({ notification_type, recipient }: Addressed): string {
  if (notification_type !== 'letter') return recipient;
  const lines = recipient.split(/\r?\n/).filter((line) => line.trim() !== '');
  return lines.length > 1 ? `${lines[0]}, ${lines.at(-1)}` : (lines[0] ?? 'Not read yet');
}
