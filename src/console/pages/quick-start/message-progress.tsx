import type { DemoSettings } from '../../../delivery/settings.ts';
import { t } from '../../../language/text.ts';
import type { PrintSettings } from '../../../letters/settings.ts';
import { getActivity } from '../../../notifications/history/activity.ts';
import type { ActivityRecord } from '../../../notifications/history/activity-record.ts';
import { unfinishedStatuses } from '../../../notifications/notification.ts';
import { Failure } from '../../../platform/failure.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { printDay } from '../../message-labels.ts';
import { Live } from '../../parts/live.tsx';
import { Status } from '../../parts/status.tsx';
import { ClockTime } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';

/** Returns undefined for a simulated recipient, for which the API stores nothing. */
export async function findMessage(app: ConsoleApp, serviceId: string, id: string): Promise<ActivityRecord | undefined> {
  try {
    return await getActivity(app, serviceId, id);
  } catch (error) {
    if (error instanceof Failure && error.kind === 'not-found') return undefined;
    throw error;
  }
}

function isUnderWay({ status }: ActivityRecord): boolean {
  return (unfinishedStatuses as readonly string[]).includes(status);
}

export interface MessageProgressProps {
  message: ActivityRecord;
  config: { letters: PrintSettings; demo: DemoSettings };
}

/** A letter has sheets once it is rendered. Only letters of live keys are printed. */
function waitsForPrintRun({ notification_type, status, key_type, billable_units }: ActivityRecord): boolean {
  return notification_type === 'letter' && status === 'created' && key_type === 'normal' && billable_units > 0;
}

/** Whether this person can open the message in the sandbox: in the demo, its team can. */
function isInSandbox({ letters, demo }: MessageProgressProps['config'], message: ActivityRecord): boolean {
  const isLetter = message.notification_type === 'letter' && message.key_type === 'normal';
  return demo.enabled && (isLetter ? letters.handOff === 'sandbox' : message.sent_by === 'sandbox');
}

/** Whether the sandbox can print the letter without waiting for the print run. */
export function canPrintNow({ letters }: MessageProgressProps['config'], message: ActivityRecord): boolean {
  return letters.handOff === 'sandbox' && waitsForPrintRun(message);
}

/** Polls until the message has arrived or failed. */
export function LiveMessageProgress(props: MessageProgressProps) {
  const { id, service } = props.message;
  if (!isUnderWay(props.message)) return <MessageProgress {...props} />;
  return (
    <Live from={pageUrl(`/services/${service}/quick-start/messages/${id}`)} every={1} isWhole>
      <MessageProgress {...props} />
    </Live>
  );
}

export function MessageProgress({ message, config }: MessageProgressProps) {
  const { country } = useViewer();
  const { created_at, sent_at, sent_by, status, completed_at, notification_type } = message;
  const isLetter = notification_type === 'letter';
  const isDelivered = status === 'delivered' || status === 'sent';
  return (
    <div class="stack stack--tight" data-live={isUnderWay(message) ? '' : undefined}>
      <div role="status">
        <ol class="row small">
          <li>
            <Status kind="accepted">{t('Accepted')}</Status> <ClockTime at={created_at} />
          </li>
          {waitsForPrintRun(message) && (
            <li>
              <Status kind="sending">
                {t('Waits for the print run on {day}', { day: printDay(country, created_at) })}
              </Status>
            </li>
          )}
          {sent_at && (
            <li>
              <Status kind="sending">
                {isLetter
                  ? t('Printed')
                  : sent_by
                    ? t('Handed over to {sentBy}', { sentBy: sent_by })
                    : t('Handed over')}
              </Status>{' '}
              <ClockTime at={sent_at} />
            </li>
          )}
          {!isUnderWay(message) && (
            <li>
              <Status kind={isDelivered ? 'delivered' : status === 'cancelled' ? 'cancelled' : 'failed'}>
                {words.get(status) ?? status}
              </Status>{' '}
              {completed_at && <ClockTime at={completed_at} />}
            </li>
          )}
        </ol>
      </div>
      {!isUnderWay(message) && isInSandbox(config, message) && (
        <p>
          <a href={pageUrl(`/sandbox/${message.id}`)}>{t('Open it in the sandbox')}</a>
        </p>
      )}
      {canPrintNow(config, message) && (
        <p>
          <button class="button button--small" type="submit" name="do" value="print">
            {t('Print it now')}
          </button>{' '}
          <span class="small muted">{t('The sandbox prints at any time.')}</span>
        </p>
      )}
      {isUnderWay(message) && (
        <noscript>
          <button class="button button--small" type="submit" name="do" value="look">
            {t('Refresh')}
          </button>
        </noscript>
      )}
    </div>
  );
}

const words = new Map([
  ['delivered', t('Delivered')],
  ['sent', t('Sent')],
  ['cancelled', t('Cancelled')],
  ['temporary-failure', t('Not delivered: the phone or inbox did not respond')],
  ['permanent-failure', t('Not delivered: no such recipient')],
  ['technical-failure', t('Not delivered: no provider accepted it')],
  ['validation-failed', t('Refused: the letter cannot be printed')],
  ['virus-scan-failed', t('Refused: the file has a virus')],
  ['returned-letter', t('Returned to the sender')],
]);
