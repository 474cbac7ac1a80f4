import { isDay } from '../../../countries/calendar.ts';
import { t } from '../../../language/text.ts';
import {
  listReturnedLetterDays,
  listReturnedLetters,
  returnedLetterRecord,
} from '../../../letters/returned/returned-letters.ts';
import { notFound } from '../../../platform/failure.ts';
import { csvText, sendCsv } from '../../../platform/http/csv.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import { several } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { shortDay, ZoneOfFile } from '../../parts/time.tsx';
import type { Viewer } from '../../viewer.ts';

const path = '/services/:service_id/returned-letters';
const activity = { service: 'activity' } as const;
const maxShown = 50;

/** Letters that the postal service returned, by the day of the report. */
export function returnedLetterPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: activity,
    below: 'Home',
    name: t('Returned letters'),
    async show({ service }) {
      const days = await listReturnedLetterDays(app, service.id);
      return {
        title: t('Returned letters'),
        crumbs: [{ label: t('Home'), to: `/services/${service.id}` }],
        content:
          days.length === 0 ? (
            <Empty title={t('No returned letters')}>
              {t('Letters that the post could not deliver appear here when the printer reports them.')}
            </Empty>
          ) : (
            <ul class="card list measure">
              {days.map(({ reported_at, returned_letter_count }) => (
                <li key={reported_at}>
                  <a href={pageUrl(`/services/${service.id}/returned-letters/${reported_at}`)}>
                    {shortDay(reported_at)}
                  </a>
                  <span>{several(returned_letter_count, 'letter')}</span>
                </li>
              ))}
            </ul>
          ),
      };
    },
  });

  async function listLetters(serviceId: string, day: string, { calendar }: Pick<Viewer, 'calendar'> = app.country) {
    if (!isDay(day)) throw notFound();
    const { letters } = await listReturnedLetters(app, serviceId, day);
    return letters.map((letter) => returnedLetterRecord({ calendar }, letter));
  }

  pages.add(`${path}/:day`, {
    who: activity,
    below: 'Home',
    async show({ service, viewer, param }) {
      const letters = await listLetters(service.id, param('day'), viewer);
      return {
        title: t('Returned letters, {day}', { day: shortDay(param('day')) }),
        lead:
          letters.length > maxShown
            ? t(
                'The first {maxShown} of {count, plural, one {# letter} other {# letters}}. Download the CSV to see all of them.',
                {
                  maxShown,
                  count: letters.length,
                },
              )
            : undefined,
        crumbs: [{ label: t('Returned letters'), to: `/services/${service.id}/returned-letters` }],
        actions: (
          <>
            <ZoneOfFile />
            <ButtonLink to={`/services/${service.id}/returned-letters/${param('day')}/csv`}>
              {t('Download CSV')}
            </ButtonLink>
          </>
        ),
        content: (
          <Table
            caption={t('Returned letters, newest first')}
            rows={letters.slice(0, maxShown)}
            keyOf={({ notification_id }) => notification_id}
            columns={[
              {
                head: t('Letter'),
                cell: ({ template_name, uploaded_letter_file_name }) => (
                  <span dir="auto">{template_name ?? uploaded_letter_file_name ?? t('Sent as PDF')}</span>
                ),
              },
              { head: t('Sent'), cell: ({ created_at }) => created_at },
              { head: t('By'), cell: ({ user_name }) => user_name },
              {
                head: t('Reference'),
                cell: ({ client_reference }) => (
                  <span dir="auto">{client_reference ?? t('None', { context: 'no reference' })}</span>
                ),
              },
              {
                head: t('File'),
                cell: ({ original_file_name, job_row_number }) =>
                  original_file_name === null ? (
                    t('None')
                  ) : (
                    <span dir="auto">
                      {t('{fileName}, row {row}', { fileName: original_file_name, row: String(job_row_number) })}
                    </span>
                  ),
              },
            ]}
          />
        ),
      };
    },
  });

  pages.add(`${path}/:day/csv`, {
    who: activity,
    async show({ service, param, reply }) {
      const letters = await listLetters(service.id, param('day'));
      const text = csvText(
        [
          'notification_id',
          'client_reference',
          'template_name',
          'template_id',
          'template_version',
          'original_file_name',
          'job_row_number',
          'uploaded_letter_file_name',
          'user_name',
          'email_address',
          'created_at',
          'reported_at',
        ],
        letters,
      );
      return { sent: sendCsv(reply, `${service.name} returned letters ${param('day')}.csv`, [text]) };
    },
  });
}
