import { Type } from 'typebox';
import { cancelJob, cancelLetterJob, isCancellable } from '../../../jobs/cancel-job.ts';
import { createJob, getJob } from '../../../jobs/jobs.ts';
import { checkUpload, getUpload } from '../../../jobs/uploads/uploads.ts';
import { Failure, invalid } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { may, type OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../form-state.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Live } from '../../parts/live.tsx';
import { sendFragment } from '../../send-fragment.tsx';
import { Checking } from './checking.tsx';
import { FileCheck } from './file-check.tsx';
import { FileJob, isUnderWay } from './file-job.tsx';
import { type LoadedFile, loadFile } from './load-file.ts';

const sender = { service: 'send', membersOnly: true } as const;
type OfMember = PageRequest<OfService>;

/** One file, from its check to its results: the same address for all of them. */
export function filePages(pages: Pages, app: ConsoleApp): void {
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
      title: titleOf(file),
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
        // Sent by the first of two clicks.
        if (await isSent(service.id, id)) return toFile(request);
        throw aboutSending(error);
      }
      return toFile(request);
    },
  });

  async function isSent(serviceId: string, id: string): Promise<boolean> {
    return (await getUpload(app, serviceId, id)).state === 'sent';
  }

  /** The template has changed, or the check was lost. */
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

function toFile({ service, param, query }: OfMember): Redirection {
  const row = Number(query('row')) || 0;
  return { to: `/services/${service.id}/files/${param('file_id')}${row > 0 ? `?row=${row}` : ''}` };
}

function titleOf(file: LoadedFile): string {
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
function aboutSending(error: unknown): unknown {
  const isRefusal = error instanceof Failure && ['forbidden', 'too-many'].includes(error.kind);
  return isRefusal ? invalid(typeof error.detail === 'string' ? error.detail.trim() : error.detail) : error;
}
