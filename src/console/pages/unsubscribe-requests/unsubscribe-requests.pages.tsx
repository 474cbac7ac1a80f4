import { Type } from 'typebox';
import type { Calendar } from '../../../countries/calendar.ts';
import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { csvLine, sendCsv } from '../../../platform/http/csv.ts';
import { OneOf } from '../../../protocol/fields.ts';
import {
  createUnsubscribeReport,
  listUnsubscribeReports,
  processUnsubscribeReport,
  readUnsubscribeReport,
  summariseUnsubscribeReport,
} from '../../../unsubscribe/unsubscribe-reports.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { count } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Status } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import { dayAndMonth, Time, ZoneOfFile } from '../../parts/time.tsx';

const path = '/services/:service_id/unsubscribe-requests';
const activity = { service: 'activity' } as const;
const columns = [
  'email_address',
  'template_name',
  'original_file_name',
  'template_sent_at',
  'unsubscribe_request_received_at',
] as const;

/** Downloading the requests turns them into a report. The team marks it as done once its lists contain none of the addresses. */
export function unsubscribeRequestPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: activity,
    below: 'Home',
    name: t('Unsubscribe requests'),
    async show({ service, viewer }) {
      const list = pageUrl(`/services/${service.id}/unsubscribe-requests`);
      const reports = await listUnsubscribeReports(app, service.id);
      const now = app.clock.now();
      return {
        title: t('Unsubscribe requests'),
        lead: t('Download the addresses, remove them from your lists, then mark the report as done.'),
        crumbs: [{ label: t('Home'), to: `/services/${service.id}` }],
        content:
          reports.length === 0 ? (
            <Empty title={t('Nobody has unsubscribed')}>
              {t('People who ask for no more emails from you appear here.')}
            </Empty>
          ) : (
            <Table
              caption={t('Reports of unsubscribe requests, newest first')}
              middle
              rows={reports}
              keyOf={({ batch_id }) => batch_id ?? 'new'}
              columns={[
                {
                  head: t('Received'),
                  cell: ({ earliest_timestamp, latest_timestamp }) =>
                    formatSpan(viewer.calendar, earliest_timestamp, latest_timestamp),
                },
                { head: t('Requests'), numeric: true, cell: (report) => count(report.count) },
                {
                  head: t('State'),
                  cell: ({ batch_id, processed_by_service_at }) => showState(batch_id, processed_by_service_at),
                },
                { head: t('Deleted'), cell: ({ will_be_archived_at }) => <Time at={will_be_archived_at} now={now} /> },
                {
                  head: t('Actions'),
                  hidden: true,
                  cell: ({ batch_id }) =>
                    batch_id === null ? (
                      <form method="post" action={`${list}/download`}>
                        <button class="button button--small" type="submit">
                          {t('Download CSV')}
                        </button>
                      </form>
                    ) : (
                      <a class="button button--small" href={`${list}/${batch_id}`}>
                        <T>
                          Open<span class="sr"> report</span>
                        </T>
                      </a>
                    ),
                },
              ]}
            />
          ),
      };
    },
  });

  pages.add(`${path}/download`, {
    // Only the team turns requests into a report, because it acts on them.
    who: { ...activity, membersOnly: true },
    // Somebody else may have downloaded them in the meantime.
    show: ({ service }, { problems }) => ({
      to: `/services/${service.id}/unsubscribe-requests`,
      ...(problems.size > 0
        ? { notice: t('Somebody has already downloaded these requests. Open their report below.') }
        : {}),
    }),
    form: Type.Object({}),
    async act({ service, reply }) {
      const { report_id } = await createUnsubscribeReport(app, service.id, { from: undefined, to: undefined });
      return { sent: await sendReport(service, report_id, reply) };
    },
  });

  pages.add(`${path}/:batch_id`, {
    who: activity,
    below: 'Home',
    async show({ service, viewer, param }, formState) {
      const list = `/services/${service.id}/unsubscribe-requests`;
      const report = await summariseUnsubscribeReport(app, service.id, param('batch_id'));
      return {
        title: formatSpan(viewer.calendar, report.earliest_timestamp, report.latest_timestamp),
        about: t('Unsubscribe requests'),
        crumbs: [{ label: t('Unsubscribe requests'), to: list }],
        actions: (
          <>
            <ZoneOfFile />
            <ButtonLink to={`${list}/${report.id}/csv`}>{t('Download CSV')}</ButtonLink>
          </>
        ),
        content: (
          <SaveForm back={list}>
            <p>{t('{count, plural, one {# address.} other {# addresses.}}', { count: report.addresses })}</p>
            <Choices
              formState={formState}
              name="done"
              legend={t('Have you removed these addresses from your lists?')}
              kind="several"
              choices={[{ value: 'yes', label: t('We have removed all of these addresses') }]}
              chosen={report.processed_by_service_at ? ['yes'] : []}
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ done: Type.Array(OneOf(['yes'])) }),
    async act({ service, param }, { done }) {
      await processUnsubscribeReport(app, service.id, param('batch_id'), done.length > 0);
      const notice = done.length > 0 ? t('Report marked as done.') : t('Report marked as not done.');
      return { to: `/services/${service.id}/unsubscribe-requests`, notice };
    },
  });

  pages.add(`${path}/:batch_id/csv`, {
    who: activity,
    show: async ({ service, param, reply }) => ({ sent: await sendReport(service, param('batch_id'), reply) }),
  });

  async function sendReport(service: { id: string; name: string }, id: string, reply: Parameters<typeof sendCsv>[0]) {
    const { latest_timestamp, parts } = await readUnsubscribeReport(app, service.id, id);
    async function* lines() {
      yield csvLine(columns);
      for await (const requests of parts) {
        yield requests.map((request) => csvLine(columns.map((column) => request[column]))).join('');
      }
    }
    return sendCsv(reply, `${service.name} unsubscribe requests ${latest_timestamp.slice(0, 10)}.csv`, lines());
  }
}

function formatSpan(calendar: Calendar, from: string, to: string): Text {
  const [first, last] = [new Date(from), new Date(to)];
  const lastDay = dayAndMonth(calendar, last);
  if (calendar.day(first) === calendar.day(last)) return lastDay;
  return t('{first} to {last}', { first: dayAndMonth(calendar, first), last: lastDay });
}

function showState(id: string | null, processedAt: string | null) {
  if (id === null) return <Status kind="accepted">{t('Not downloaded')}</Status>;
  return processedAt === null ? (
    <Status kind="sending">{t('Downloaded')}</Status>
  ) : (
    <Status kind="delivered">{t('Completed')}</Status>
  );
}
