import { isCancellable } from '../../../jobs/cancel-job.ts';
import { count } from '../../money.ts';
import { Confirm } from '../../parts/form.tsx';
import { Notice } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import type { LoadedFile } from './load-file.ts';

type Job = Extract<LoadedFile, { kind: 'sent' }>['job'];

interface FileJobProps {
  job: Job;
  now: Date;
  maySend: boolean;
}

/** What became of a file that was sent, or is scheduled. */
export function FileJob({ job, now, maySend }: FileJobProps) {
  const path = `/console/services/${job.service}/files/${job.id}`;
  const counts = countByResult(job);
  const toSend = job.notification_count - job.rows_skipped;
  return (
    <div class="stack">
      <State job={job} now={now} />
      <dl class="stats">
        <div>
          <dt>Messages</dt>
          <dd class="figure-mid">{count(toSend)}</dd>
          {job.rows_skipped > 0 && <dd>{count(job.rows_skipped)} rows with problems were left out</dd>}
        </div>
        <div>
          <dt>
            <Status kind="sending">On their way</Status>
          </dt>
          <dd class="figure-mid">{count(counts.underWay)}</dd>
        </div>
        <div>
          <dt>
            <Status kind="delivered">Delivered</Status>
          </dt>
          <dd class="figure-mid">{count(counts.delivered)}</dd>
        </div>
        <div>
          <dt>
            <Status kind="failed">Failed</Status>
          </dt>
          <dd class="figure-mid">{count(counts.failed)}</dd>
        </div>
      </dl>
      {isUnderWay(job) && job.job_status !== 'scheduled' && (
        <p>
          <progress class="meter" max={Math.max(1, toSend)} value={job.rows_done} aria-label="Rows that are messages" />
          <span class="small muted">
            {count(job.rows_done)} of {count(toSend)} rows are messages.
          </span>
        </p>
      )}
      <div class="row">
        {!job.archived && job.processing_started !== null && (
          <a class="button" href={`${path}/results.csv`} download>
            Download results
          </a>
        )}
        {!job.archived && job.rows_skipped > 0 && (
          <a class="button" href={`${path}/problems.csv`} download>
            Download rows with reasons
          </a>
        )}
        {job.job_status === 'scheduled' && (
          <a class="button" href={`${path}/original.csv`} download>
            Download the file
          </a>
        )}
        {maySend && isCancellable(job) && (
          <Confirm label="Cancel sending" action="Cancel sending" to={`${path}/cancel`}>
            Messages that are already with a provider cannot be stopped. All others are not sent.
          </Confirm>
        )}
      </div>
    </div>
  );
}

/** Whether the page must keep itself up to date. */
export function isUnderWay(job: Job): boolean {
  if (['scheduled', 'pending', 'in progress'].includes(job.job_status)) return true;
  return job.template_type !== 'letter' && countByResult(job).underWay > 0;
}

const deliveredStatuses = ['delivered', 'sent'];
const underWayStatuses = ['created', 'sending', 'pending', 'pending-virus-check'];

function countByResult({ statistics }: Job) {
  const sum = (isCounted: (status: string) => boolean) =>
    statistics.filter(({ status }) => isCounted(status)).reduce((total, { count }) => total + count, 0);
  const cancelled = sum((status) => status === 'cancelled');
  const delivered = sum((status) => deliveredStatuses.includes(status));
  const underWay = sum((status) => underWayStatuses.includes(status));
  return { delivered, underWay, failed: sum(() => true) - delivered - underWay - cancelled };
}

function State({ job, now }: { job: Job; now: Date }) {
  switch (job.job_status) {
    case 'scheduled':
      return (
        <Notice tone="blue">
          It will be sent <Time at={job.scheduled_for ?? job.created_at} now={now} />.
        </Notice>
      );
    case 'cancelled':
      return (
        <Notice tone="amber">
          {job.cancelled_because === null
            ? 'Sending was cancelled.'
            : `Sending was cancelled: ${job.cancelled_because}.`}
        </Notice>
      );
    case 'sending limits exceeded':
      return (
        <Notice tone="red">
          Nothing was sent: the file has more messages than were left of the daily limit. Choose it again tomorrow.
        </Notice>
      );
    default:
      return (
        <p class="muted">
          {job.created_by ? `${job.created_by.name} sent it` : 'It was sent with an API key'}{' '}
          <Time at={job.processing_started ?? job.created_at} now={now} /> with “{job.template_name}”.
        </p>
      );
  }
}
