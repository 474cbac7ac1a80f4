import { addDays, type Days, londonDay } from '../../../../platform/calendar.ts';
import { fromStandby } from '../../../../platform/db/servers/standby.ts';
import { Failure, notFound } from '../../../../platform/failure.ts';
import { csvText, sendCsv } from '../../../../platform/http/csv.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { count } from '../../../money.ts';
import type { FormState, PageRequest, Pages } from '../../../page.ts';
import { Field } from '../../../parts/field.tsx';
import { Notice } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { ReportChart } from './report-chart.tsx';
import { type Report, type Row, reports } from './reports.ts';

const here = '/operator/reports';
const who = 'operator';
const maxShown = 50;

/** Figures of the whole platform: two dates, a table, a picture, a download. */
export function reportPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who,
    menu: 'Reports',
    show: () => ({
      title: 'Reports',
      lead: 'Across all services. Each is also a CSV file.',
      content: (
        <ul class="card list measure">
          {reports.map(({ name, title, about }) => (
            <li key={name}>
              <div>
                <a href={`/console${here}/${name}`}>{title}</a>
                <p class="muted small">{about}</p>
              </div>
            </li>
          ))}
        </ul>
      ),
    }),
  });

  pages.add(`${here}/:report`, {
    who,
    below: 'Reports',
    async show(request, formState) {
      const report = reportOf(request);
      const asOf = readDays(report, request);
      const rows = asOf.problem === undefined ? await listRows(report, asOf.days) : [];
      return {
        title: report.title,
        lead: report.about,
        crumbs: [{ label: 'Reports', to: here }],
        actions: rows.length > 0 && (
          <a class="button" href={`/console${here}/${report.name}/csv${report.days ? `?${queryOf(asOf.days)}` : ''}`}>
            Download CSV
          </a>
        ),
        content: (
          <div class="stack">
            {report.days && <DaysForm formState={formState} {...asOf.days} />}
            {asOf.problem !== undefined ? (
              <Notice tone="red">{asOf.problem}</Notice>
            ) : (
              <Figures report={report} rows={rows} days={asOf.days} />
            )}
          </div>
        ),
      };
    },
  });

  pages.add(`${here}/:report/csv`, {
    who,
    async show(request) {
      const report = reportOf(request);
      const { days, problem } = readDays(report, request);
      if (problem !== undefined) throw notFound();
      const rows = await listRows(report, days);
      const columns = Object.keys(rows[0] ?? report.heads);
      const name = report.days ? `${report.name} ${days.first_day} to ${days.last_day}.csv` : `${report.name}.csv`;
      return { sent: sendCsv(request.reply, name, [csvText(columns, rows)]) };
    },
  });

  function listRows(report: Report, days: Days): Promise<Row[]> {
    return fromStandby(app, 'page', (reader) => report.list(reader, days));
  }

  /** The last 30 days, unless the address has others. */
  function readDays({ days: read }: Report, { query }: PageRequest<typeof who>): { days: Days; problem?: string } {
    const today = londonDay(app.clock.now());
    const month: Days = { first_day: addDays(today, -29), last_day: today };
    if (!read || (query('start') === '' && query('end') === '')) return { days: fitting(read, month) };
    const request = { first_day: query('start').slice(0, 20), last_day: query('end').slice(0, 20) };
    try {
      return { days: read({ start_date: request.first_day, end_date: request.last_day }) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { days: request, problem: problemOf(request) };
    }
  }
}

/** In April the last 30 days may begin in the year before. */
function fitting(read: Report['days'], month: Days): Days {
  try {
    return read ? read({ start_date: month.first_day, end_date: month.last_day }) : month;
  } catch {
    return { ...month, first_day: `${month.last_day.slice(0, 4)}-04-01` };
  }
}

function problemOf({ first_day, last_day }: Days): string {
  const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDate(first_day) || !isDate(last_day)) return 'Enter both days as year, month and day, such as 2026-11-15.';
  if (first_day > last_day) return 'The first day must not be after the last.';
  return 'Choose days that exist, of one financial year: April to March.';
}

function reportOf({ param }: { param(name: string): string }): Report {
  const found = reports.find(({ name }) => name === param('report'));
  if (!found) throw notFound();
  return found;
}

function queryOf({ first_day, last_day }: Days): string {
  return new URLSearchParams({ start: first_day, end: last_day }).toString();
}

function DaysForm({ formState, first_day, last_day }: Days & { formState: FormState }) {
  return (
    <form class="row report-days" method="get">
      <Field formState={formState} name="start" label="First day" type="date" value={first_day} short />
      <Field formState={formState} name="end" label="Last day" type="date" value={last_day} short />
      <button class="button" type="submit">
        Show
      </button>
    </form>
  );
}

function Figures({ report, rows, days }: { report: Report; rows: readonly Row[]; days: Days }) {
  if (rows.length === 0) {
    return (
      <div class="empty">
        <h2>Nothing to report</h2>
        <p>There is nothing of this kind on these days.</p>
      </div>
    );
  }
  return (
    <>
      {report.chart && <ReportChart chart={report.chart} rows={rows} days={days} />}
      <Table
        caption={report.title}
        rows={rows.slice(0, maxShown).map((row, index) => ({ row, key: String(index) }))}
        keyOf={({ key }) => key}
        columns={Object.entries(report.heads).map(([column, head]) => ({
          head,
          cell: ({ row }: { row: Row; key: string }) => shownCell(row[column]),
          ...(report.numeric.includes(column) ? { numeric: true as const } : {}),
        }))}
      />
      <p class="muted small">
        {rows.length > maxShown
          ? `The first ${maxShown} of ${count(rows.length)} rows. The download has all.`
          : `${count(rows.length)} ${rows.length === 1 ? 'row' : 'rows'}.`}
      </p>
    </>
  );
}

function shownCell(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return 'None';
  if (typeof value === 'number') return value.toLocaleString('en-GB', { maximumFractionDigits: 4 });
  if (typeof value === 'boolean') return value ? 'Yes' : 'No';
  return /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;
}
