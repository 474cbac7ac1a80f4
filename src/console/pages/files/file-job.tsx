import type { ComponentChildren } from 'preact';
import type { PhoneRules } from '../../../countries/phone-rules.ts';
import { isCancellable } from '../../../jobs/cancel-job.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { type StatusGroup, statusesOfGroup } from '../../../notifications/notification.ts';
import { pageUrl, withQuery } from '../../links.ts';
import { shortRecipient } from '../../message-labels.ts';
import { count } from '../../money.ts';
import { ButtonLink, Confirm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { MessageStatus, Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time, ZoneOfFile } from '../../parts/time.tsx';
import type { LoadedFile } from './load-file.ts';

type Sent = Extract<LoadedFile, { kind: 'sent' }>;
type Job = Sent['job'];

interface FileJobProps {
  job: Job;
  /** The messages of the first rows. */
  messages: Sent['messages'];
  /** Shown if the file waits for something. */
  waiting: ComponentChildren;
  now: Date;
  phone: PhoneRules;
  maySend: boolean;
  /** Whether this person can open a message, and download all of them. */
  mayOpen: boolean;
}

/** Shows the progress of a file that was sent or is scheduled. */
export function FileJob({ job, messages, waiting, now, phone, maySend, mayOpen }: FileJobProps) {
  const path = `/services/${job.service}/files/${job.id}`;
  const counts = countByResult(job);
  const toSend = job.notification_count - job.rows_skipped;
  return (
    <div class="stack">
      {waiting ?? <State job={job} now={now} />}
      <Held job={job} now={now} />
      <dl class="stats">
        <div>
          <dt>{t('Messages')}</dt>
          <dd class="figure-mid">
            <Messages job={job} amount={toSend} />
          </dd>
          {job.rows_skipped > 0 && (
            <dd>
              {t('{count, plural, one {# row with problems was left out} other {# rows with problems were left out}}', {
                count: job.rows_skipped,
              })}
            </dd>
          )}
        </div>
        <div>
          <dt>
            <Status kind="sending">{t('On their way')}</Status>
          </dt>
          <dd class="figure-mid">
            <Messages job={job} amount={counts.underWay} status="sending" />
          </dd>
        </div>
        <div>
          <dt>
            <Status kind="delivered">{t('Delivered')}</Status>
          </dt>
          <dd class="figure-mid">
            <Messages job={job} amount={counts.delivered} status="delivered" />
          </dd>
        </div>
        <div>
          <dt>
            <Status kind="failed">{t('Failed')}</Status>
          </dt>
          <dd class="figure-mid">
            <Messages job={job} amount={counts.failed} status="failed" />
          </dd>
        </div>
      </dl>
      {isUnderWay(job) && job.job_status !== 'scheduled' && (
        <p>
          <progress class="meter" max={Math.max(1, toSend)} value={job.rows_done} aria-label={t('Messages created')} />
          <span class="small muted">
            {t('{done, number} of {all, plural, other {# messages created.}}', { done: job.rows_done, all: toSend })}
          </span>
        </p>
      )}
      <div class="row">
        {!job.archived && job.processing_started !== null && mayOpen && (
          <>
            <ButtonLink to={`${path}/results.csv`} download>
              {t('Download results')}
            </ButtonLink>
            <ZoneOfFile />
          </>
        )}
        {!job.archived && job.rows_skipped > 0 && maySend && (
          <ButtonLink to={`${path}/problems.csv`} download>
            {t('Download rows with reasons')}
          </ButtonLink>
        )}
        {job.job_status === 'scheduled' && maySend && (
          <ButtonLink to={`${path}/original.csv`} download>
            {t('Download the file')}
          </ButtonLink>
        )}
        {maySend && job.held_until !== undefined && (
          <form method="post" action={pageUrl(`${path}/send-now`)}>
            <button class="button button--primary" type="submit">
              {t('Send now')}
            </button>
          </form>
        )}
        {maySend && (isCancellable(job) || job.held_until !== undefined) && (
          <Confirm label={t('Cancel sending')} action={t('Cancel sending')} to={pageUrl(`${path}/cancel`)}>
            {t('We cannot stop messages that are already with a provider. All others will not be sent.')}
          </Confirm>
        )}
      </div>
      {messages.length > 0 && <Rows job={job} messages={messages} phone={phone} all={toSend} mayOpen={mayOpen} />}
    </div>
  );
}

function Held({ job: { held_until }, now }: { job: Job; now: Date }) {
  if (held_until === undefined) return null;
  return (
    <Notice tone="amber">
      {new Date(held_until) > now ? (
        <T>
          <b>Messages of this file wait for their sending times.</b> The first of them may go out{' '}
          <Time at={held_until} now={now} />.
        </T>
      ) : (
        <T>
          <b>The messages of this file are sent over several minutes,</b> because their sending times began{' '}
          <Time at={held_until} now={now} />.
        </T>
      )}
    </Notice>
  );
}

interface MessagesProps {
  job: Job;
  amount: number;
  status?: StatusGroup;
}

/** A count that leads to its messages, while there are any. */
function Messages({ job, amount, status }: MessagesProps) {
  if (amount === 0 || job.archived || job.processing_started === null) return <>{count(amount)}</>;
  return <a href={pageUrl(logPath(job, status))}>{count(amount)}</a>;
}

const logPath = ({ id, service }: Job, status?: StatusGroup) =>
  withQuery(`/services/${service}/messages`, { file: id, status });

type RowsProps = Pick<FileJobProps, 'job' | 'messages' | 'phone' | 'mayOpen'> & { all: number };

/** Shows the status of the first rows. */
function Rows({ job, messages, phone, all, mayOpen }: RowsProps) {
  return (
    <section class="stack stack--tight" aria-labelledby="rows">
      <h2 id="rows">{t('Rows')}</h2>
      <Table
        caption={t('Rows, in the order of the file')}
        rows={messages}
        keyOf={({ id }) => id}
        columns={[
          { head: t('Row'), cell: ({ job_row_number }) => count((job_row_number ?? 0) + 2) },
          {
            head: t('To'),
            cell: (message) =>
              mayOpen ? (
                <a href={pageUrl(`/services/${job.service}/messages/${message.shown_id}`)} dir="auto">
                  {shortRecipient(phone, message)}
                </a>
              ) : (
                <span dir="auto">{shortRecipient(phone, message)}</span>
              ),
          },
          {
            head: t('Status'),
            cell: ({ status, notification_type }) => <MessageStatus status={status} channel={notification_type} />,
          },
        ]}
      />
      {all > messages.length && (
        <p>
          <a href={pageUrl(logPath(job))}>
            <T>See all {{ all: count(all) }} messages</T>
          </a>
        </p>
      )}
    </section>
  );
}

/** Whether the page must keep itself up to date. */
export function isUnderWay(job: Job): boolean {
  if (['scheduled', 'pending', 'in progress'].includes(job.job_status)) return true;
  return job.template_type !== 'letter' && countByResult(job).underWay > 0;
}

/** Cancelled messages are in no group. */
function countByResult({ statistics }: Job) {
  const sum = (group: StatusGroup) =>
    statistics
      .filter(({ status }) => statusesOfGroup[group].some((one) => one === status))
      .reduce((total, { count }) => total + count, 0);
  return { delivered: sum('delivered'), underWay: sum('sending'), failed: sum('failed') };
}

function State({ job, now }: { job: Job; now: Date }) {
  switch (job.job_status) {
    case 'scheduled':
      if (job.held_until !== undefined) return null;
      return (
        <Notice tone="blue">
          <T>
            This file will be sent <Time at={job.scheduled_for ?? job.created_at} now={now} />.
          </T>
        </Notice>
      );
    case 'cancelled':
      return (
        <Notice tone="amber">
          {job.cancelled_because === null
            ? t('Sending was cancelled.')
            : t('Sending was cancelled: {cancelledBecause}.', { cancelledBecause: job.cancelled_because })}
        </Notice>
      );
    case 'sending limits exceeded':
      return (
        <Notice tone="red">
          {t(
            'Nothing was sent: the file has more rows than your service could send messages that day. Upload it again tomorrow.',
          )}
        </Notice>
      );
    default:
      return (
        <p class="muted">
          {job.created_by ? (
            <T>
              {{ name: job.created_by.name }} sent this file{' '}
              <Time at={job.processing_started ?? job.created_at} now={now} /> with “
              <span dir="auto">{{ template: job.template_name }}</span>”.
            </T>
          ) : (
            <T>
              This file was sent with an API key <Time at={job.processing_started ?? job.created_at} now={now} /> with “
              <span dir="auto">{{ template: job.template_name }}</span>”.
            </T>
          )}
        </p>
      );
  }
}
