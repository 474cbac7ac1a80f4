import type { listCallbacks } from '../../../delivery/callbacks/callback-history.ts';
import { T } from '../../../language/sentence.tsx';
import { type Text, t, within } from '../../../language/text.ts';
import type { CallbackType } from '../../../services/settings/callback-api.ts';
import { pageUrl } from '../../links.ts';
import { several } from '../../money.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ClockTime, Time } from '../../parts/time.tsx';

/** The kinds of callbacks, in the order of the page. */
export const callbackNames: Record<CallbackType, { name: Text; hint: Text }> = {
  delivery_status: { name: t('Delivery status'), hint: t('When an email or text is delivered or fails.') },
  message_status: {
    name: t('Message status'),
    hint: t('When a message with a channel plan starts a step, is delivered or fails.'),
  },
  inbound_sms: { name: t('Received text'), hint: t('When someone replies to a text.') },
  complaint: { name: t('Complaint'), hint: t('When someone reports an email as spam.') },
  returned_letter: { name: t('Returned letter'), hint: t('When a letter is returned.') },
};

export const shownCallbackTypes = Object.keys(callbackNames) as CallbackType[];

interface TargetsProps {
  service: { id: string };
  targets: readonly { callback_type: string; url: string }[];
}

/** One row for each kind of callback, with or without a URL. */
export function CallbackTargets({ service, targets }: TargetsProps) {
  const path = `/services/${service.id}/integration/callbacks`;
  const findUrl = (type: string) => targets.find(({ callback_type }) => callback_type === type)?.url;
  return (
    <Table
      caption={t('Where callbacks are sent')}
      middle
      rows={shownCallbackTypes}
      keyOf={(type) => type}
      columns={[
        {
          head: t('Kind'),
          cell: (type) => (
            <>
              {callbackNames[type].name}
              <small>{callbackNames[type].hint}</small>
            </>
          ),
        },
        {
          head: t('URL'),
          cell: (type) => (findUrl(type) ? <code>{findUrl(type)}</code> : <span class="muted">{t('None')}</span>),
        },
        {
          head: t('Actions'),
          hidden: true,
          cell: (type) => (
            <div class="row row--end">
              {findUrl(type) !== undefined && (
                <form method="post" action={pageUrl(`${path}/${type}/test`)}>
                  <button class="button button--small" type="submit">
                    <T>
                      Send a test<span class="sr"> of {{ callback: within(callbackNames[type].name) }}</span>
                    </T>
                  </button>
                </form>
              )}
              <ButtonLink to={`${path}/${type}`} small>
                {findUrl(type) === undefined ? t('Set up') : t('Change')}
                <span class="sr"> {within(callbackNames[type].name)}</span>
              </ButtonLink>
            </div>
          ),
        },
      ]}
    />
  );
}

type Callback = Awaited<ReturnType<typeof listCallbacks>>[number];
type Attempt = Callback['attempt_log'][number];

interface CallbackTableProps {
  service: { id: string };
  callbacks: readonly Callback[];
  maxAttempts: number;
  now: Date;
  maySeeMessages: boolean;
}

type CallbackListProps = CallbackTableProps & {
  /** The address of the page, while a callback waits. */
  again: string | undefined;
};

export const callbackStatuses = {
  waiting: { kind: 'sending', label: t('Waiting') },
  delivered: { kind: 'delivered', label: t('Delivered') },
  failed: { kind: 'failed', label: t('Failed') },
} as const;

/** The list is also sent as a fragment, with which the page keeps itself up to date while a callback waits. */
export function CallbackList({ again, ...props }: CallbackListProps) {
  const [newest] = props.callbacks;
  return (
    <div class="stack stack--tight" data-live={again === undefined ? undefined : ''}>
      {newest && (
        <p class="small muted" role="status">
          {t('Newest callback: {status}.', { status: within(callbackStatuses[newest.status].label) })}
        </p>
      )}
      {again !== undefined && (
        <noscript>
          <a href={again}>{t('Refresh')}</a>
        </noscript>
      )}
      <CallbackTable {...props} />
    </div>
  );
}

function CallbackTable({ service, callbacks, maxAttempts, now, maySeeMessages }: CallbackTableProps) {
  if (callbacks.length === 0) {
    return (
      <Empty title={t('No callbacks')}>
        {t('A callback appears here when we send one, with the response of your system.')}
      </Empty>
    );
  }
  return (
    <Table
      caption={t('Callbacks, newest first')}
      rows={callbacks}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('About'),
          cell: (callback) => (
            <>
              {callbackNames[callback.callback_type].name}
              <small>
                <Subject service={service} callback={callback} maySeeMessages={maySeeMessages} />
              </small>
            </>
          ),
        },
        { head: t('Created'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: t('Status'),
          cell: (callback) => (
            <>
              <Status kind={callbackStatuses[callback.status].kind}>{callbackStatuses[callback.status].label}</Status>
              {callback.status === 'waiting' && <NextAttempt callback={callback} maxAttempts={maxAttempts} now={now} />}
            </>
          ),
        },
        { head: t('Attempts'), cell: ({ attempt_log }) => <Attempts attempts={attempt_log} now={now} /> },
        {
          head: t('Actions'),
          hidden: true,
          cell: ({ id, status }) =>
            status !== 'waiting' && (
              <form method="post" action={pageUrl(`/services/${service.id}/integration/callbacks/replay`)}>
                <input type="hidden" name="callback_id" value={id} />
                <button class="button button--small" type="submit">
                  <T>
                    Replay<span class="sr"> {{ id }}</span>
                  </T>
                </button>
              </form>
            ),
        },
      ]}
    />
  );
}

type SubjectProps = Pick<CallbackTableProps, 'service' | 'maySeeMessages'> & { callback: Callback };

/** An attempt counts from its beginning, and is in the log once it has a result. */
function NextAttempt({ callback, maxAttempts, now }: { callback: Callback; maxAttempts: number; now: Date }) {
  const { attempts, attempt_log, next_attempt_at } = callback;
  const isUnderWay = attempts > 0 && attempt_log.length === 0;
  if (!next_attempt_at || isUnderWay || new Date(next_attempt_at) <= now) return <small>{t('Sending now')}</small>;
  return (
    <small>
      <T>
        Attempt {{ number: attempts + 1 }} of {{ maxAttempts }} at <ClockTime at={next_attempt_at} />
      </T>
    </small>
  );
}

/** A test call is about itself. */
function Subject({ service, callback: { id, subject_id, callback_type }, maySeeMessages }: SubjectProps) {
  if (subject_id === id) return <>{t('Test call')}</>;
  if (callback_type === 'inbound_sms' || !maySeeMessages) return <code>{subject_id}</code>;
  const list = callback_type === 'message_status' ? 'plan-messages' : 'messages';
  return (
    <a href={pageUrl(`/services/${service.id}/${list}/${subject_id}`)}>
      <code>{subject_id}</code>
    </a>
  );
}

/** Shows the last attempt; a click shows all of them. */
function Attempts({ attempts, now }: { attempts: readonly Attempt[]; now: Date }) {
  const last = attempts.at(-1);
  if (!last) return <span class="muted">{t('No response yet')}</span>;
  if (attempts.length === 1) return <>{formatResult(last)}</>;
  return (
    <details class="more">
      <summary>
        {formatResult(last)}, {several(attempts.length, 'attempt')}
      </summary>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} now={now} />: {formatResult(attempt)}
          </li>
        ))}
      </ol>
    </details>
  );
}

function formatResult({ status_code, error, duration_ms }: Attempt): string {
  const result = status_code ?? error;
  if (result === null || result === undefined) return t('failed in {took, number} ms', { took: duration_ms });
  return t('{result} in {took, number} ms', { result, took: duration_ms });
}
