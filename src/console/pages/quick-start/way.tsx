import type { DemoSettings } from '../../../delivery/settings.ts';
import type { PrintSettings } from '../../../letters/settings.ts';
import { getActivity } from '../../../notifications/history/activity.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { Failure } from '../../../platform/failure.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Live } from '../../parts/live.tsx';
import { Status } from '../../parts/status.tsx';
import { ClockTime } from '../../parts/time.tsx';

/** Undefined for a recipient that is only simulated: the API stores nothing for it. */
export async function findMessage(app: ConsoleApp, serviceId: string, id: string): Promise<ActivityRecord | undefined> {
  try {
    return await getActivity(app, serviceId, id);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function isOnItsWay({ status }: ActivityRecord): boolean {
  return (unfinishedStatuses as readonly string[]).includes(status);
}

export interface WayProps {
  message: ActivityRecord;
  config: { letters: PrintSettings; demo: DemoSettings };
}

/** A letter has sheets once it is drawn. Letters of other keys are not printed. */
function waitsForPrintRun({ notification_type, status, key_type, billable_units }: ActivityRecord): boolean {
  return notification_type === 'letter' && status === 'created' && key_type === 'normal' && billable_units > 0;
}

/** Whether this person can see it there: its team can, in the demo. */
function isInSandbox({ letters, demo }: WayProps['config'], message: ActivityRecord): boolean {
  const isLetter = message.notification_type === 'letter' && message.key_type === 'normal';
  return demo.enabled && (isLetter ? letters.handOff === 'sandbox' : message.sent_by === 'sandbox');
}

/** The sandbox need not wait for the print run. */
export function canPrintNow({ letters }: WayProps['config'], message: ActivityRecord): boolean {
  return letters.handOff === 'sandbox' && waitsForPrintRun(message);
}

/** Keeps itself up to date until the message has arrived, or failed. */
export function LiveWay(props: WayProps) {
  const { id, service } = props.message;
  if (!isOnItsWay(props.message)) return <Way {...props} />;
  return (
    <Live from={`/console/services/${service}/quick-start/messages/${id}`} every={1}>
      <Way {...props} />
    </Live>
  );
}

export function Way({ message, config }: WayProps) {
  const { created_at, sent_at, sent_by, status, completed_at, notification_type } = message;
  const isLetter = notification_type === 'letter';
  const isDelivered = status === 'delivered' || status === 'sent';
  return (
    <div class="stack stack--tight" data-live={isOnItsWay(message) ? '' : undefined}>
      <ol class="row small">
        <li>
          <Status kind="accepted">Accepted</Status> <ClockTime at={created_at} />
        </li>
        {waitsForPrintRun(message) && (
          <li>
            <Status kind="sending">Waits for the print run at 17:30</Status>
          </li>
        )}
        {sent_at && (
          <li>
            <Status kind="sending">{isLetter ? 'Printed' : `Handed over${sent_by ? ` to ${sent_by}` : ''}`}</Status>{' '}
            <ClockTime at={sent_at} />
          </li>
        )}
        {!isOnItsWay(message) && (
          <li>
            <Status kind={isDelivered ? 'delivered' : status === 'cancelled' ? 'cancelled' : 'failed'}>
              {words.get(status) ?? status}
            </Status>{' '}
            {completed_at && <ClockTime at={completed_at} />}
          </li>
        )}
        {!isOnItsWay(message) && isInSandbox(config, message) && (
          <li>
            <a href={`/console/sandbox/${message.id}`}>Open it in the sandbox</a>
          </li>
        )}
      </ol>
      {canPrintNow(config, message) && (
        <p>
          <button class="button button--small" type="submit" name="do" value="print">
            Print it now
          </button>{' '}
          <span class="small muted">The sandbox prints whenever you like.</span>
        </p>
      )}
      {isOnItsWay(message) && (
        <noscript>
          <button class="button button--small" type="submit" name="do" value="look">
            Look again
          </button>
        </noscript>
      )}
    </div>
  );
}

const words = new Map([
  ['delivered', 'Delivered'],
  ['sent', 'Sent'],
  ['cancelled', 'Cancelled'],
  ['temporary-failure', 'Not delivered: the phone or inbox does not answer'],
  ['permanent-failure', 'Not delivered: no such recipient'],
  ['technical-failure', 'Not delivered: no provider took it'],
  ['validation-failed', 'Refused: the letter cannot be printed'],
  ['virus-scan-failed', 'Refused: the file has a virus'],
  ['returned-letter', 'Returned to the sender'],
]);
