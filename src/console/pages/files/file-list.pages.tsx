import { listJobs } from '../../../jobs/jobs.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { Pages } from '../../page.ts';
import { Pager } from '../../parts/pager.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';

type Job = Awaited<ReturnType<typeof listJobs>>['data'][number];

const states = new Map<string, [kind: 'accepted' | 'sending' | 'failed' | 'cancelled', word: string]>([
  ['scheduled', ['accepted', 'Scheduled']],
  ['pending', ['sending', 'Starting']],
  ['in progress', ['sending', 'Sending']],
  ['cancelled', ['cancelled', 'Cancelled']],
  ['sending limits exceeded', ['failed', 'Over the daily limit']],
]);

/** Files that were sent or are scheduled. */
export function fileListPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/files', {
    who: { service: 'any' },
    below: 'Send',
    async show({ service, visitor, query }) {
      const page = Math.max(1, Number.parseInt(query('page'), 10) || 1);
      const { data, total, page_size, pages: count } = await listJobs(app, service.id, { page });
      const path = `/console/services/${service.id}/files`;
      const maySend = may({ service: 'send', membersOnly: true }, visitor.user, service) === 'yes';
      const now = app.clock.now();
      const first = (page - 1) * page_size + 1;
      return {
        title: 'Files',
        lead: 'Spreadsheets that were sent to, and those that are scheduled.',
        actions: (
          <>
            <a class="button" href={`/console/services/${service.id}/contact-lists`}>
              Contact lists
            </a>
            {maySend && (
              <a class="button button--primary" href={`/console/services/${service.id}/send`}>
                Send a file
              </a>
            )}
          </>
        ),
        content:
          data.length === 0 ? (
            <div class="empty">
              <h2>No file was sent yet</h2>
              <p>Choose a template, then a spreadsheet with one recipient in each row.</p>
            </div>
          ) : (
            <div class="stack">
              <Table
                caption="Files"
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'File',
                    cell: ({ id, original_file_name }) => <a href={`${path}/${id}`}>{original_file_name}</a>,
                  },
                  { head: 'Template', cell: ({ template_name }) => template_name },
                  {
                    head: 'Rows',
                    numeric: true,
                    cell: ({ notification_count }) => notification_count.toLocaleString('en-GB'),
                  },
                  { head: 'Status', cell: (job) => <State job={job} /> },
                  {
                    head: 'When',
                    cell: ({ scheduled_for, created_at }) => <Time at={scheduled_for ?? created_at} now={now} />,
                  },
                ]}
              />
              <Pager
                shown={`${first} to ${first + data.length - 1} of ${total.toLocaleString('en-GB')}`}
                newer={page > 1 ? `${path}?page=${page - 1}` : undefined}
                older={page < count ? `${path}?page=${page + 1}` : undefined}
              />
            </div>
          ),
      };
    },
  });
}

function State({ job }: { job: Job }) {
  const [kind, word] = states.get(job.job_status) ?? (['delivered', 'Sent'] as const);
  return <Status kind={kind}>{word}</Status>;
}
