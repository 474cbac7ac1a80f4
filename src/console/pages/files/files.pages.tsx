import { Type } from 'typebox';
import { cancelJob, cancelLetterJob, isCancellable } from '../../../jobs/cancel-job.ts';
import { createJob, getJob, listJobs } from '../../../jobs/jobs.ts';
import { checkUpload, getUpload } from '../../../jobs/uploads/uploads.ts';
import { Failure, invalid } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { may, type OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../forms.ts';
import { count } from '../../money.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Live, sendFragment } from '../../parts/live.tsx';
import { Pager } from '../../parts/pager.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { Checking, FileCheck } from './file-check.tsx';
import { FileJob, isUnderWay } from './file-job.tsx';
import { type LoadedFile, loadFile } from './load-file.ts';

const sender = { service: 'send', membersOnly: true } as const;
type OfMember = PageRequest<OfService>;
type Job = Awaited<ReturnType<typeof listJobs>>['data'][number];

const states = new Map<string, [kind: 'accepted' | 'sending' | 'failed' | 'cancelled', word: string]>([
  ['scheduled', ['accepted', 'Scheduled']],
  ['pending', ['sending', 'Starting']],
  ['in progress', ['sending', 'Sending']],
  ['cancelled', ['cancelled', 'Cancelled']],
  ['sending limits exceeded', ['failed', 'Over the daily limit']],
]);

/** The list of files, and each file from its check to its results, which share one address. */
export function filePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/files', {
    who: { service: 'any' },
    below: 'Send',
    name: 'Files',
    async show({ service, visitor, query }) {
      const page = Math.max(1, Number.parseInt(query('page'), 10) || 1);
      const { data, total, page_size, pages: pageCount } = await listJobs(app, service.id, { page });
      const path = `/console/services/${service.id}/files`;
      const maySend = may(sender, visitor.user, service) === 'yes';
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
                    cell: ({ notification_count }) => count(notification_count),
                  },
                  { head: 'Status', cell: (job) => <State job={job} /> },
                  {
                    head: 'When',
                    cell: ({ scheduled_for, created_at }) => <Time at={scheduled_for ?? created_at} now={now} />,
                  },
                ]}
              />
              <Pager
                shown={`${first} to ${first + data.length - 1} of ${count(total)}`}
                newer={page > 1 ? `${path}?page=${page - 1}` : undefined}
                older={page < pageCount ? `${path}?page=${page + 1}` : undefined}
              />
            </div>
          ),
      };
    },
  });

  function content(request: OfMember, file: LoadedFile, formState: FormState) {
    const now = app.clock.now();
    switch (file.kind) {
      case 'checking':
        return <Checking file={file} now={now} />;
      case 'checked':
        return <FileCheck file={file} formState={formState} now={now} />;
      case 'sent': {
        const maySend = may(sender, request.visitor.user, request.service) === 'yes';
        return <FileJob job={file.job} now={now} maySend={maySend} />;
      }
      default:
        return null;
    }
  }

  async function view(request: OfMember, formState: FormState): Promise<View | Redirection> {
    const { service, param, query, visitor } = request;
    const file = await loadFile(app, visitor, service, param('file_id'), Number(query('row')) || 0);
    if (file.kind === 'contact-list') return { to: `/services/${service.id}/contact-lists/${file.upload.id}` };
    const shown = content(request, file, formState);
    const path = `/console/services/${service.id}/files/${param('file_id')}`;
    return {
      title: formatTitle(file),
      ...(isLive(file) ? { actions: <span data-live-controls /> } : {}),
      crumbs: [{ label: 'Files', to: `/services/${service.id}/files` }],
      content: isLive(file) ? (
        <Live from={`${path}/progress`} every={1}>
          {shown}
        </Live>
      ) : (
        shown
      ),
    };
  }

  pages.add('/services/:service_id/files/:file_id', { who: { service: 'any' }, below: 'Send', show: view });

  pages.add('/services/:service_id/files/:file_id/progress', {
    who: { service: 'any' },
    live: true,
    async show(request) {
      const file = await loadFile(app, request.visitor, request.service, request.param('file_id'));
      const shown = content(request, file, emptyForm);
      return sendFragment(request.http, request.reply, <div data-live={isLive(file) ? '' : undefined}>{shown}</div>);
    },
  });

  pages.add('/services/:service_id/files/:file_id/send', {
    who: sender,
    below: 'Send',
    show: (request, formState) => (formState === emptyForm ? toFile(request) : view(request, formState)),
    form: Type.Object({
      scheduled_for: Type.Optional(Type.String()),
      on_error: Type.Optional(OneOf(['skip', 'reject'])),
    }),
    async act(request, { scheduled_for, on_error }) {
      const { service, visitor } = request;
      const id = request.param('file_id');
      try {
        await createJob(app, service.id, { id, created_by: visitor.user.id, scheduled_for, on_error });
      } catch (error) {
        // The first of two clicks has sent it.
        if (await isSent(service.id, id)) return toFile(request);
        throw toRefusal(error);
      }
      return toFile(request);
    },
  });

  async function isSent(serviceId: string, id: string): Promise<boolean> {
    return (await getUpload(app, serviceId, id)).state === 'sent';
  }

  /** Checks again, because the template has changed or the check was lost. */
  pages.add('/services/:service_id/files/:file_id/check', {
    who: sender,
    show: toFile,
    form: Type.Object({}),
    async act(request) {
      const {
        service_id,
        id: upload_id,
        template_id,
        sender_id,
      } = await getUpload(app, request.service.id, request.param('file_id'));
      if (template_id !== null)
        await app.queue.add(app.db, checkUpload, { service_id, upload_id, template_id, sender_id });
      return toFile(request);
    },
  });

  pages.add('/services/:service_id/files/:file_id/cancel', {
    who: sender,
    below: 'Send',
    show: (request, formState) => (formState === emptyForm ? toFile(request) : view(request, formState)),
    form: Type.Object({}),
    async act(request) {
      const { service, param } = request;
      const job = await getJob(app, service.id, param('file_id'));
      if (!isCancellable(job)) throw invalid('It is too late: every message has been handed over.');
      const isDone = job.job_status.startsWith('finished');
      if (isDone) await cancelLetterJob(app, service.id, job.id);
      else await cancelJob(app, service.id, job.id);
      return toFile(request);
    },
  });
}

function State({ job }: { job: Job }) {
  const [kind, word] = states.get(job.job_status) ?? (['delivered', 'Sent'] as const);
  return <Status kind={kind}>{word}</Status>;
}

function toFile({ service, param, query }: OfMember): Redirection {
  const row = Number(query('row')) || 0;
  return { to: `/services/${service.id}/files/${param('file_id')}${row > 0 ? `?row=${row}` : ''}` };
}

function formatTitle(file: LoadedFile): string {
  switch (file.kind) {
    case 'sent':
      return file.job.original_file_name;
    default:
      return `Check ${file.upload.original_file_name}`;
  }
}

function isLive(file: LoadedFile): boolean {
  return file.kind === 'checking' || (file.kind === 'sent' && isUnderWay(file.job));
}

/** Refusals that a person can do something about are shown on the page. */
function toRefusal(error: unknown): unknown {
  const isRefusal = error instanceof Failure && ['forbidden', 'too-many'].includes(error.kind);
  return isRefusal ? invalid(typeof error.detail === 'string' ? error.detail.trim() : error.detail) : error;
}
