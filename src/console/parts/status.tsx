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
