import type { Days } from '../../../countries/calendar.ts';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { getMonthlyStatistics } from '../../../services/service-statistics.ts';
import { countByTemplateAndMonth } from '../../../templates/template-statistics.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import { channelLabels, shownChannels } from '../../message-labels.ts';
import { count } from '../../money.ts';
import type { Pages } from '../../page.ts';
import { Meter } from '../../parts/chart.tsx';
import { Table } from '../../parts/table.tsx';
import { chosenYear, FinancialYears, monthLabel, yearLabel } from '../../parts/tabs.tsx';

/** Messages and templates by month of a financial year. */
export function monthsPages(pages: Pages, app: ConsoleApp): void {
  pages.add('/services/:service_id/months', {
    who: { service: 'activity' },
    below: 'Home',
    name: t('Messages by month'),
    async show({ service, query }) {
      const now = app.clock.now();
      const { calendar } = app.country;
      const year = chosenYear(calendar, query('year'), now);
      const [months, templates] = await Promise.all([
        getMonthlyStatistics(app, service.id, String(year)),
        countByTemplateAndMonth(app, service.id, String(year)),
      ]);
      return {
        title: t('Messages by month'),
        lead: yearLabel(calendar, year),
        crumbs: [{ label: t('Home'), to: `/services/${service.id}` }],
        actions: <FinancialYears year={year} path={pageUrl(`/services/${service.id}/months`)} now={now} />,
        content: <Months year={calendar.financialYearMonths(year)} months={months} templates={templates} />,
      };
    },
  });
}

type Statistics = Awaited<ReturnType<typeof getMonthlyStatistics>>;
type Used = Awaited<ReturnType<typeof countByTemplateAndMonth>>[number];

const shownTemplates = 20;

interface MonthsProps {
  year: Days[];
  months: Statistics;
  templates: Used[];
}

function Months({ year, months, templates }: MonthsProps) {
  const newestFirst = Object.entries(months).toReversed();
  const names = new Map(year.map((days) => [days.first_day.slice(0, 7), monthLabel(days)]));
  const cell = (channel: Channel) => ({
    head: channelLabels[channel].names,
    numeric: true as const,
    cell: ([, counts]: (typeof newestFirst)[number]) => (
      <>
        {count(counts[channel].requested)}
        {counts[channel].failed > 0 && (
          <small>
            <T>{{ failed: count(counts[channel].failed) }} failed</T>
          </small>
        )}
      </>
    ),
  });
  return (
    <div class="stack stack--loose">
      <Table
        caption={t('Messages by month')}
        rows={newestFirst}
        keyOf={([month]) => month}
        columns={[{ head: t('Month'), cell: ([month]) => names.get(month) }, ...shownChannels.map(cell)]}
      />
      <section class="stack stack--tight" aria-labelledby="templates">
        <h2 id="templates">{t('Templates by month')}</h2>
        {newestFirst.map(([month], index) => (
          <MonthTemplates
            key={month}
            month={month}
            title={names.get(month) ?? month}
            templates={templates}
            isOpen={index === 0}
          />
        ))}
      </section>
    </div>
  );
}

interface MonthTemplatesProps {
  month: string;
  title: string;
  templates: Used[];
  isOpen: boolean;
}

function MonthTemplates({ month, title, templates, isOpen }: MonthTemplatesProps) {
  const [year, number] = month.split('-').map(Number);
  const used = templates
    .filter((template) => template.year === year && template.month === number)
    .toSorted((a, b) => b.count - a.count);
  const most = used[0]?.count ?? 1;
  return (
    <details class="more" open={isOpen}>
      <summary>
        {title}
        <Icon name="chevron" small />
      </summary>
      {used.length === 0 ? (
        <p class="muted">{t('No messages were sent.')}</p>
      ) : (
        <ul class="bars card measure">
          {used.slice(0, shownTemplates).map(({ template_id, name, count: times }) => (
            <li key={template_id}>
              <span>{name}</span>
              <span class="num">{count(times)}</span>
              <Meter share={times / most} />
            </li>
          ))}
          {used.length > shownTemplates && (
            <li class="muted">
              <T>and {{ count: count(used.length - shownTemplates) }} more</T>
            </li>
          )}
        </ul>
      )}
    </details>
  );
}
