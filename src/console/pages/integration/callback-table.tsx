import type { listCallbacks } from '../../../delivery/callbacks/callback-history.ts';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { ClockTime, Time } from '../../parts/time.tsx';
import { callbackNames } from './callback-names.ts';

type Callback = Awaited<ReturnType<typeof listCallbacks>>[number];
type Attempt = Callback['attempt_log'][number];

interface CallbackTableProps {
  service: { id: string };
  callbacks: readonly Callback[];
  maxAttempts: number;
  now: Date;
  maySeeMessages: boolean;
}

const kinds = { waiting: 'sending', delivered: 'delivered', failed: 'failed' } as const;
const words = { waiting: 'Waiting', delivered: 'Delivered', failed: 'Failed' };

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
              <Status kind={kinds[status]}>{words[status]}</Status>
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

/** The last one; all of them behind it. */
function Attempts({ attempts, now }: { attempts: readonly Attempt[]; now: Date }) {
  const last = attempts.at(-1);
  if (!last) return <span class="muted">None yet</span>;
  if (attempts.length === 1) return <>{resultOf(last)}</>;
  return (
    <details class="more">
      <summary>
        {resultOf(last)}, {attempts.length} attempts
      </summary>
      <ol>
        {attempts.map((attempt) => (
          <li key={attempt.at}>
            <Time at={attempt.at} now={now} />: {resultOf(attempt)}
          </li>
        ))}
      </ol>
    </details>
  );
}

function resultOf({ status_code, error, duration_ms }: Attempt): string {
  return `${status_code ?? error ?? 'failed'} in ${duration_ms.toLocaleString('en-GB')} ms`;
}
