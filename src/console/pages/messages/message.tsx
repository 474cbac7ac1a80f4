import type { ComponentChildren } from 'preact';
import type { ReceivedMessage } from '../../../delivery/received-message.ts';
import { canCancelLetter } from '../../../notifications/history/activity.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import type { ShownMessage } from '../../../notifications/history/shown-message.ts';
import type { Status } from '../../../notifications/notification.ts';
import { canSendAgain } from '../../../notifications/one-off/send-again.ts';
import { statusesOfGroup } from '../../../notifications/status-groups.ts';
import { Icon } from '../../layout/icon.tsx';
import type { View } from '../../page.ts';
import { Confirm } from '../../parts/confirm.tsx';
import { Live } from '../../parts/live.tsx';
import { MessageStatus } from '../../parts/message-status.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Preformatted } from '../sandbox/preformatted.tsx';
import { AsReceived } from './as-received.tsx';
import { MessageFacts } from './message-facts.tsx';
import { Timeline } from './timeline.tsx';
import type { TimelineEvent } from './timeline-events.ts';
import { whatToDo } from './what-to-do.ts';

interface MessageProps {
  message: ShownMessage;
  received: ReceivedMessage;
  pageCount: number | null;
  /** The address of the message. */
  path: string;
  list: { view: 'html' | 'text'; images: boolean; page: number };
  may: { send: boolean; sendAsMember: boolean };
  templatePage: string | undefined;
  progress: ComponentChildren;
  /** Whether something can still happen. */
  isOpen: boolean;
  apiUrl: string;
  now: Date;
}

export function Message(props: MessageProps): Pick<View, 'actions' | 'content'> {
  const { message, received, pageCount, path, list, templatePage, progress, isOpen } = props;
  const isWide = received.channel === 'email';
  return {
    actions: <Actions {...props} />,
    content: (
      <div class="stack">
        <div class={isWide ? 'aside' : 'aside aside--lead'}>
          <section class="stack" aria-labelledby="received">
            <h2 class="sr" id="received">
              As received
            </h2>
            <AsReceived received={received} record={message.record} path={path} pageCount={pageCount} {...list} />
            <MessageFacts message={message} pageCount={pageCount} templatePage={templatePage} />
          </section>
          {isOpen ? <Live from={`${path}/progress`}>{progress}</Live> : progress}
        </div>
        <Raw message={message} apiUrl={props.apiUrl} />
      </div>
    ),
  };
}

function Actions({ message, path, may, now }: MessageProps) {
  const { record } = message;
  return (
    <>
      <span data-live-controls />
      {may.send && canCancelLetter(record, now) && (
        <Confirm label="Cancel sending" action="Cancel this letter" to={`${path}/cancel`}>
          The letter will not be printed. This cannot be undone.
        </Confirm>
      )}
      {may.sendAsMember && canSendAgain(record) && (
        <form method="post" action={`${path}/send-again`}>
          <button class="button button--primary" type="submit">
            Send again
          </button>
        </form>
      )}
    </>
  );
}

interface ProgressProps {
  record: ActivityRecord;
  events: TimelineEvent[];
  isOpen: boolean;
  replayAt: ((callbackId: string) => string) | undefined;
}

/** Status and timeline; also a fragment. It is asked for again until nothing more will happen. */
export function Progress({ record, events, isOpen, replayAt }: ProgressProps) {
  const status = record.status as Status;
  const advice = whatToDo(record.notification_type, status, record.sent_by);
  return (
    <div class="stack" data-live={isOpen || undefined}>
      {statusesOfGroup.failed.includes(status) && advice ? (
        <Notice tone="red">
          <b>{advice.problem}</b> {advice.help}
        </Notice>
      ) : (
        <p>
          <MessageStatus status={status} channel={record.notification_type} />
        </p>
      )}
      <Timeline events={events} replayAt={replayAt} />
    </div>
  );
}

/** For developers: what the API responds with, and how to ask it. */
function Raw({ message, apiUrl }: { message: ShownMessage; apiUrl: string }) {
  const command = [
    `curl '${apiUrl}/v2/notifications/${message.record.id}' \\`,
    "  -H 'Authorization: Bearer YOUR-API-KEY'",
  ].join('\n');
  return (
    <details class="more">
      <summary>
        Raw JSON and curl
        <Icon name="chevron" small />
      </summary>
      <div class="stack stack--tight">
        <Preformatted label="curl">{command}</Preformatted>
        <Preformatted label="Raw JSON">{JSON.stringify(message.response, null, 2)}</Preformatted>
      </div>
    </details>
  );
}
