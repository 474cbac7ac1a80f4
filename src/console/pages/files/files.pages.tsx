import { Type } from 'typebox';
import { cancelJob, cancelLetterJob, isCancellable } from '../../../jobs/cancel-job.ts';
import { createJob, getJob, listJobs } from '../../../jobs/jobs.ts';
import { sendJobNow } from '../../../jobs/send-job-now.ts';
import { checkUpload, getUpload } from '../../../jobs/uploads/uploads.ts';
import { asIs, type Text, t } from '../../../language/text.ts';
import { Failure, invalid } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { may, type OfService, type Right } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { emptyForm } from '../../forms.ts';
import { pageUrl, withQuery } from '../../links.ts';
import { count } from '../../money.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Live, sendFragment } from '../../parts/live.tsx';
import { Empty } from '../../parts/notice.tsx';
import { OffsetPager, pageNumber } from '../../parts/pager.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { nextWeek, readWhen, refuseBadTime, WhenFields } from '../../parts/when.tsx';
import { guardNotice, waitingForGuard } from '../settings/guard-notice.tsx';
import { whoCan } from '../team/team.ts';
import { Checking, FileCheck } from './file-check.tsx';
import { FileJob, isUnderWay } from './file-job.tsx';
import type { TrialOptions } from './file-warnings.tsx';
import { getOpenFile, type LoadedFile, loadFile } from './load-file.ts';

const sender = { service: 'send', membersOnly: true } as const;
type OfMember = PageRequest<OfService>;
type Job = Awaited<ReturnType<typeof listJobs>>['data'][number];

const states = new Map<string, [kind: 'accepted' | 'sending' | 'failed' | 'cancelled', word: string]>([
  ['scheduled', ['accepted', t('Scheduled')]],
  ['pending', ['sending', t('Starting')]],
  ['in progress', ['sending', t('Sending')]],
  ['cancelled', ['cancelled', t('Cancelled')]],
  ['sending limits exceeded', ['failed', t('Over the daily limit')]],
]);

/** The list of files, and each file from its check to its results, which share one address. */
export function filePages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/files', {
    who: { service: 'any' },
    below: 'Send',
    name: t('Files'),
    async show({ service, visitor, query }) {
      const page = pageNumber(query('page'));
      const { data, total, page_size } = await listJobs(app, service.id, { page });
      const path = `/services/${service.id}/files`;
      const maySend = may(sender, visitor.user, service) === 'yes';
      const now = app.clock.now();
      return {
        title: t('Files'),
        lead: t('Lists you have sent to or scheduled.'),
        actions: (
          <>
            <ButtonLink to={`/services/${service.id}/contact-lists`}>{t('Contact lists')}</ButtonLink>
            {maySend && (
              <ButtonLink to={`/services/${service.id}/send`} look="primary">
                {t('Upload a list')}
              </ButtonLink>
            )}
          </>
        ),
        content: (
          <div class="stack">
            {await guardNotice(app, service, visitor)}
            {data.length === 0 ? (
              <Empty title={t('No files yet')}>
                {maySend
                  ? t('Choose a template, then upload a list with one person in each row.')
                  : t('The lists that your team sends to appear here.')}
              </Empty>
            ) : (
              <Table
                caption={t('Files')}
                rows={data}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: t('File'),
                    cell: ({ id, original_file_name }) => (
                      <a href={pageUrl(`${path}/${id}`)} dir="auto">
                        {original_file_name}
                      </a>
                    ),
                  },
                  { head: t('Template'), cell: ({ template_name }) => <span dir="auto">{template_name}</span> },
                  {
                    head: t('Rows'),
                    numeric: true,
                    cell: ({ notification_count }) => count(notification_count),
                  },
                  { head: t('Status'), cell: (job) => <State job={job} /> },
                  {
                    head: t('When'),
                    cell: ({ scheduled_for, created_at }) => <Time at={scheduled_for ?? created_at} now={now} />,
                  },
                ]}
              />
            )}
            {data.length > 0 && (
              <OffsetPager
                page={page}
                total={total}
                size={page_size}
                to={(other) => pageUrl(withQuery(path, { page: other }))}
                byTime
                always
              />
            )}
          </div>
        ),
      };
    },
  });

  /** Links for people who can act on trial mode themselves. For others, sentences that say who can. */
  async function findTrialOptions({ service, visitor }: OfMember): Promise<TrialOptions> {
    const can = (right: Right) => may({ service: right }, visitor.user, service) === 'yes';
    const [forGuests, forGoingLive] = [
      can('api') ? undefined : await whoCan(app.db, service.id, 'api'),
      can('manage') ? undefined : await whoCan(app.db, service.id, 'manage'),
    ];
    return {
      isTrial: service.restricted,
      guestList: can('api') ? `/services/${service.id}/integration/guest-list` : undefined,
      goLive: can('manage') ? `/services/${service.id}/going-live` : undefined,
      others: [
        ...(forGuests === undefined ? [] : [t('To change the guest list, ask {forGuests}.', { forGuests })]),
        ...(forGoingLive === undefined ? [] : [t('To go live, ask {forGoingLive}.', { forGoingLive })]),
      ],
    };
  }

  async function content(request: OfMember, file: LoadedFile, formState: FormState) {
    const now = app.clock.now();
    const { phone } = app.country;
    switch (file.kind) {
      case 'checking':
        return <Checking file={file} now={now} />;
      case 'checked':
        return (
          <FileCheck
            file={file}
            formState={formState}
            now={now}
            money={app.country.money}
            phone={phone}
            trialOptions={await findTrialOptions(request)}
          />
        );
      case 'sent': {
        const maySend = may(sender, request.visitor.user, request.service) === 'yes';
        const mayOpen = may({ service: 'messages' }, request.visitor.user, request.service) === 'yes';
        return (
          <FileJob
            job={file.job}
            messages={file.messages}
            waiting={file.isPaused ? waitingForGuard(app, request.service, request.visitor) : undefined}
            now={now}
            phone={phone}
            maySend={maySend}
            mayOpen={mayOpen}
          />
        );
      }
      default:
        return null;
    }
  }

  async function view(request: OfMember, formState: FormState): Promise<View | Redirection> {
    const { service, param, query } = request;
    const file = await loadFile(app, request, param('file_id'), Number(query('row')) || 0);
    if (file.kind === 'contact-list') return { to: `/services/${service.id}/contact-lists/${file.upload.id}` };
    const shown = await content(request, file, formState);
    const path = pageUrl(`/services/${service.id}/files/${param('file_id')}`);
    return {
      title: formatTitle(file),
      ...(isLive(file) ? { actions: <span data-live-controls /> } : {}),
      crumbs: [{ label: t('Files'), to: `/services/${service.id}/files` }],
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
      const file = await loadFile(app, request, request.param('file_id'));
      const shown = await content(request, file, emptyForm);
      return sendFragment(request.http, request.reply, <div data-live={isLive(file) ? '' : undefined}>{shown}</div>);
    },
  });

  pages.add('/services/:service_id/files/:file_id/send', {
    who: sender,
    below: 'Send',
    show: (request, formState) => (formState === emptyForm ? toFile(request) : view(request, formState)),
    form: Type.Object({ ...WhenFields, on_error: Type.Optional(OneOf(['skip', 'reject'])) }),
    async act(request, { on_error, ...when }) {
      const { service, visitor } = request;
      const { id } = await getOpenFile(app, request, request.param('file_id'));
      const at = readWhen(request.viewer.calendar, when);
      refuseBadTime(at, app.clock.now(), nextWeek);
      try {
        await createJob(app, service.id, { id, created_by: visitor.user.id, scheduled_for: at || null, on_error });
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
      } = await getOpenFile(app, request, request.param('file_id'));
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
      if (!isCancellable(job) && job.held_until === undefined)
        throw invalid(t('You cannot cancel this any more: every message is with a provider.'));
      const isDone = isCancellable(job) && job.job_status.startsWith('finished');
      if (isDone) await cancelLetterJob(app, service.id, job.id);
      else await cancelJob(app, service.id, job.id);
      return toFile(request);
    },
  });

  pages.add('/services/:service_id/files/:file_id/send-now', {
    who: sender,
    below: 'Send',
    show: (request, formState) => (formState === emptyForm ? toFile(request) : view(request, formState)),
    form: Type.Object({}),
    async act(request) {
      const { service, param } = request;
      const { id, held_until } = await getJob(app, service.id, param('file_id'));
      if (held_until === undefined) throw invalid(t('No message of this file waits for its sending time.'));
      await sendJobNow(app, service.id, id);
      return { ...toFile(request), notice: t('The messages go out now.') };
    },
  });
}

function State({ job }: { job: Job }) {
  const [kind, word] = states.get(job.job_status) ?? (['delivered', t('Sent')] as const);
  return <Status kind={kind}>{word}</Status>;
}

function toFile({ service, param, query }: OfMember): Redirection {
  const row = Number(query('row')) || 0;
  return { to: `/services/${service.id}/files/${param('file_id')}${row > 0 ? `?row=${row}` : ''}` };
}

function formatTitle(file: LoadedFile): Text {
  switch (file.kind) {
    case 'sent':
      return asIs(file.job.original_file_name);
    default:
      return t('Check {originalFileName}', { originalFileName: file.upload.original_file_name });
  }
}

function isLive(file: LoadedFile): boolean {
  return file.kind === 'checking' || (file.kind === 'sent' && isUnderWay(file.job));
}

/** Refusals that a person can do something about are shown on the page. */
function toRefusal(error: unknown): unknown {
  const isRefusal = error instanceof Failure && ['forbidden', 'too-many'].includes(error.kind);
  return isRefusal ? invalid(error.localised) : error;
}
