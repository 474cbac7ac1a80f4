import type { listCallbacks } from '../../../delivery/callbacks/callback-history.ts';
import type { CallbackType } from '../../../services/settings/callback-api.ts';
import { count } from '../../money.ts';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ClockTime, Time } from '../../parts/time.tsx';

/** The kinds of callbacks, in the order of the page. */
export const callbackNames: Record<CallbackType, { name: string; hint: string }> = {
  delivery_status: { name: 'Delivery status', hint: 'When an email or text was delivered or has failed.' },
  inbound_sms: { name: 'Received text', hint: 'When somebody answers a text.' },
  complaint: { name: 'Complaint', hint: 'When a recipient calls an email spam.' },
  returned_letter: { name: 'Returned letter', hint: 'When the post brings a letter back.' },
};

export const shownCallbackTypes = Object.keys(callbackNames) as CallbackType[];

interface TargetsProps {
  service: { id: string };
  targets: readonly { callback_type: string; url: string }[];
}

/** One row for each kind of callback, with or without a URL. */
export function CallbackTargets({ service, targets }: TargetsProps) {
  const path = `/console/services/${service.id}/integration/callbacks`;
  const findUrl = (type: string) => targets.find(({ callback_type }) => callback_type === type)?.url;
  return (
    <Table
      caption="Where callbacks are sent"
      middle
      rows={shownCallbackTypes}
      keyOf={(type) => type}
      columns={[
        {
          head: 'Kind',
          cell: (type) => (
            <>
              {callbackNames[type].name}
              <small>{callbackNames[type].hint}</small>
            </>
          ),
        },
        {
          head: 'URL',
          cell: (type) => (findUrl(type) ? <code>{findUrl(type)}</code> : <span class="muted">None</span>),
        },
        {
          head: 'Actions',
          hidden: true,
          cell: (type) => (
            <div class="row row--end">
              {findUrl(type) !== undefined && (
                <form method="post" action={`${path}/${type}/test`}>
                  <button class="button button--small" type="submit">
                    Send a test<span class="sr"> of {callbackNames[type].name.toLowerCase()}</span>
                  </button>
                </form>
              )}
              <a class="button button--small" href={`${path}/${type}`}>
                {findUrl(type) === undefined ? 'Set up' : 'Change'}
                <span class="sr"> {callbackNames[type].name.toLowerCase()}</span>
              </a>
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

export const callbackStatuses = {
  waiting: { kind: 'sending', label: 'Waiting' },
  delivered: { kind: 'delivered', label: 'Delivered' },
  failed: { kind: 'failed', label: 'Failed' },
} as const;

export function CallbackTable({ service, callbacks, maxAttempts, now, maySeeMessages }: CallbackTableProps) {
  if (callbacks.length === 0) return <p class="muted">No callbacks.</p>;
  return (
    <Table
      caption="Callbacks, newest first"
      rows={callbacks}
      keyOf={({ id }) => id}
      columns={[
        {
          head: 'About',
          cell: (callback) => (
            <>
              {callbackNames[callback.callback_type].name}
              <small>
                <Subject service={service} callback={callback} maySeeMessages={maySeeMessages} />
              </small>
            </>
          ),
        },
        { head: 'Created', cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        {
          head: 'Status',
          cell: ({ status, attempts, next_attempt_at }) => (
            <>
              <Status kind={callbackStatuses[status].kind}>{callbackStatuses[status].label}</Status>
              {status === 'waiting' && (
                <small>
                  {attempts} of {maxAttempts} attempts, next {next_attempt_at && <ClockTime at={next_attempt_at} />}
                </small>
              )}
            </>
          ),
        },
        { head: 'Attempts', cell: ({ attempt_log }) => <Attempts attempts={attempt_log} now={now} /> },
        {
          head: 'Actions',
          hidden: true,
          cell: ({ id, status }) =>
            status !== 'waiting' && (
              <form method="post" action={`/console/services/${service.id}/integration/callbacks/replay`}>
                <input type="hidden" name="callback_id" value={id} />
                <button class="button button--small" type="submit">
                  Replay<span class="sr"> {id}</span>
                </button>
              </form>
            ),
        },
      ]}
    />
  );
}

type SubjectProps = Pick<CallbackTableProps, 'service' | 'maySeeMessages'> & { callback: Callback };

/** A test call is about itself. */
function Subject({ service, callback: { id, subject_id, callback_type }, maySeeMessages }: SubjectProps) {
  if (subject_id === id) return <>Test call</>;
  if (callback_type === 'inbound_sms' || !maySeeMessages) return <code>{subject_id}</code>;
  return (
    <a href={`/console/services/${service.id}/messages/${subject_id}`}>
      <code>{subject_id}</code>
    </a>
  );
}

/** Shows the last attempt; a click shows all of them. */
function Attempts({ attempts, now }: { attempts: readonly Attempt[]; now: Date }) {
  const last = attempts.at(-1);
  if (!last) return <span class="muted">None yet</span>;
  if (attempts.length === 1) return <>{formatResult(last)}</>;
  return (
    <details class="more">
      <summary>
        {formatResult(last)}, {attempts.length} attempts
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
  return `${status_code ?? error ?? 'failed'} in ${count(duration_ms)} ms`;
}
