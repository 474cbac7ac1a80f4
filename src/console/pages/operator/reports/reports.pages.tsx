import { findKnownPrices } from '../../../../billing/rates.ts';
import { addDays, type Calendar, type Days } from '../../../../countries/calendar.ts';
import type { Money } from '../../../../countries/money.ts';
import { T } from '../../../../language/sentence.tsx';
import { asIs, formatted, isText, type Text, t } from '../../../../language/text.ts';
import { fromStandby } from '../../../../platform/db/servers/standby.ts';
import { Failure, notFound } from '../../../../platform/failure.ts';
import { csvText, sendCsv } from '../../../../platform/http/csv.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { count } from '../../../money.ts';
import type { FormState, PageRequest, Pages } from '../../../page.ts';
import { Meter } from '../../../parts/chart.tsx';
import { Field } from '../../../parts/field.tsx';
import { ButtonLink } from '../../../parts/form.tsx';
import { Empty, NoPrices, Notice } from '../../../parts/notice.tsx';
import { Table } from '../../../parts/table.tsx';
import { type Report, type Row, reports } from './reports.ts';

const here = '/operator/reports';
const who = 'operator';
const maxShown = 50;

/** Figures of the whole platform: a date range, a table, a chart, and a download. */
export function reportPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who,
    menu: 'Reports',
    show: () => ({
      title: t('Reports'),
      lead: t('Figures for all services. You can download each report as a CSV file.'),
      content: (
        <ul class="card list measure">
          {reports.map(({ name, title, about }) => (
            <li key={name}>
              <div>
                <a href={pageUrl(`${here}/${name}`)}>{title}</a>
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
      const known = await findKnownPrices(app);
      const hasPrices = known.sms || known.letter;
      return {
        title: report.title,
        lead: report.about,
        crumbs: [{ label: t('Reports'), to: here }],
        actions: rows.length > 0 && (
          <ButtonLink to={`${here}/${report.name}/csv${report.days ? `?${queryOf(asOf.days)}` : ''}`}>
            {t('Download CSV')}
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            {hasAmounts(report) && !hasPrices && <NoPrices visitor={request.visitor} />}
            {report.days && <DaysForm formState={formState} {...asOf.days} />}
            {asOf.problem !== undefined ? (
              <Notice tone="red">{asOf.problem}</Notice>
            ) : (
              <Figures report={report} rows={rows} days={asOf.days} money={app.country.money} hasPrices={hasPrices} />
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
      const amounts = hasAmounts(report) ? app.country.money.currencyField : {};
      const rows: Row[] = (await listRows(report, days)).map((row) => ({ ...row, ...amounts }));
      const columns = Object.keys(rows[0] ?? report.heads);
      const name = report.days ? `${report.name} ${days.first_day} to ${days.last_day}.csv` : `${report.name}.csv`;
      return { sent: sendCsv(request.reply, name, [csvText(columns, rows)]) };
    },
  });

  function listRows(report: Report, days: Days): Promise<Row[]> {
    return fromStandby(app, 'page', (reader) => report.list(reader, days));
  }

  /** Defaults to the last 30 days. */
  function readDays({ days: read }: Report, { query }: PageRequest<typeof who>): { days: Days; problem?: string } {
    const { calendar } = app.country;
    const today = calendar.day(app.clock.now());
    const month: Days = { first_day: addDays(today, -29), last_day: today };
    if (!read || (query('start') === '' && query('end') === '')) return { days: fitting(calendar, read, month) };
    const request = { first_day: query('start').slice(0, 20), last_day: query('end').slice(0, 20) };
    try {
      return { days: read({ start_date: request.first_day, end_date: request.last_day }, calendar) };
    } catch (error) {
      if (!(error instanceof Failure)) throw error;
      return { days: request, problem: problemOf(calendar, request) };
    }
  }
}

/** In the first month of a financial year, the last 30 days may start in the previous year. */
function fitting(calendar: Calendar, read: Report['days'], month: Days): Days {
  try {
    return read ? read({ start_date: month.first_day, end_date: month.last_day }, calendar) : month;
  } catch {
    return { ...month, first_day: calendar.financialYearDays(calendar.financialYearOfDay(month.last_day)).first_day };
  }
}

const nameOfMonth = (day: string) => formatted(({ dates }) => dates.write(day, { month: 'long' }));

function problemOf(calendar: Calendar, { first_day, last_day }: Days): string {
  const isDate = (text: string) => /^\d{4}-\d\d-\d\d$/.test(text);
  if (!isDate(first_day) || !isDate(last_day))
    return t('Enter both days as year, month and day, for example 2026-11-15.');
  if (first_day > last_day) return t('Enter a first day that is not after the last day.');
  const year = calendar.financialYearDays(2026);
  return t('Enter days in one financial year, {nameOfMonth} to {nameOfMonth2}.', {
    nameOfMonth: nameOfMonth(year.first_day),
    nameOfMonth2: nameOfMonth(year.last_day),
  });
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
      <Field formState={formState} name="start" label={t('First day')} type="date" value={first_day} short />
      <Field formState={formState} name="end" label={t('Last day')} type="date" value={last_day} short />
      <button class="button" type="submit">
        {t('Show')}
      </button>
    </form>
  );
}

interface FiguresProps {
  report: Report;
  rows: readonly Row[];
  days: Days;
  money: Money;
  hasPrices: boolean;
}

function Figures({ report, rows, days, money, hasPrices }: FiguresProps) {
  if (rows.length === 0) {
    return <Empty title={t('Nothing to report')}>{t('Choose other days.')}</Empty>;
  }
  const heads = Object.entries(report.heads).flatMap(([column, head]): [string, Text][] => {
    if (isText(head)) return [[column, head]];
    return hasPrices ? [[column, asIs(money.heading(head.money))]] : [];
  });
  return (
    <>
      {report.chart && <ReportChart chart={report.chart} rows={rows} days={days} money={money} />}
      <Table
        caption={report.title}
        rows={rows.slice(0, maxShown).map((row, index) => ({ row, key: String(index) }))}
        keyOf={({ key }) => key}
        columns={heads.map(([column, head]) => ({
          head,
          cell: ({ row }: { row: Row; key: string }) => shownCell(row[column]),
          ...(report.numeric.includes(column) ? { numeric: true as const } : {}),
        }))}
      />
      <p class="muted small">
        {rows.length > maxShown
          ? t('Only the first {maxShown} of {length} rows are shown. The download has all of them.', {
              maxShown,
              length: count(rows.length),
            })
          : t('{count, plural, one {# row.} other {# rows.}}', { count: rows.length })}
      </p>
    </>
  );
}

function shownCell(value: Row[string]): string {
  if (value === null || value === undefined || value === '') return t('None');
  if (typeof value === 'number')
    return formatted(({ locale }) => value.toLocaleString(locale, { maximumFractionDigits: 4 }));
  if (typeof value === 'boolean') return value ? t('Yes') : t('No');
  return /^\d{4}-\d\d-\d\dT/.test(value) ? value.slice(0, 10) : value;
}

const shownNames = 10;
const size = { width: 700, height: 140, foot: 18, head: 16 };

interface ReportChartProps {
  chart: NonNullable<Report['chart']>;
  rows: readonly Row[];
  days: Days;
  money: Money;
}

/** A chart of the report's main figure. The table below it has the same figures and more. */
function ReportChart({ chart, rows, days, money }: ReportChartProps) {
  // Days without messages have no row.
  const totals = new Map<string, number>(chart.kind === 'days' ? listDays(days).map((day) => [day, 0]) : []);
  for (const row of rows) {
    const name = String(row[chart.by] ?? '');
    const sum = chart.of.reduce((total, column) => total + Number(row[column] ?? 0), 0);
    totals.set(name, (totals.get(name) ?? 0) + sum);
  }
  const values = [...totals];
  return (
    <section class="card">
      <div class="card-head">
        <h2>{isText(chart.title) ? chart.title : chart.title(money)}</h2>
      </div>
      {chart.kind === 'days' ? <Columns values={values} /> : <Largest values={values} />}
    </section>
  );
}

const maxDays = 366;

function listDays({ first_day, last_day }: Days): string[] {
  const days: string[] = [];
  for (let day = first_day; day <= last_day && days.length < maxDays; day = addDays(day, 1)) days.push(day);
  return days;
}

function Columns({ values }: { values: [day: string, value: number][] }) {
  const max = Math.max(1, ...values.map(([, value]) => value));
  const step = size.width / Math.max(1, values.length);
  const bottom = size.height - size.foot;
  const heightOf = (value: number) => (value / max) * (bottom - size.head);
  const [busiest] = [...values].sort(([, one], [, other]) => other - one);
  return (
    <figure class="chart chart--wide">
      <svg viewBox={`0 0 ${size.width} ${size.height}`} aria-hidden="true">
        <path class="grid" d={`M0 ${size.head + 0.5}H${size.width}`} />
        <text x={size.width} y={size.head - 4} text-anchor="end">
          {count(max)}
        </text>
        {values.map(([day, value], index) => (
          <rect
            key={day}
            class="bar"
            x={index * step + step * 0.15}
            y={bottom - heightOf(value)}
            width={step * 0.7}
            height={heightOf(value)}
          />
        ))}
        <path class="axis" d={`M0 ${bottom + 0.5}H${size.width}`} />
        <text x="0" y={size.height - 4}>
          {values[0]?.[0]}
        </text>
        {values.length > 1 && (
          <text x={size.width} y={size.height - 4} text-anchor="end">
            {values.at(-1)?.[0]}
          </text>
        )}
      </svg>
      {busiest && (
        <figcaption class="muted small">
          <T>
            The busiest day was {{ busiest: busiest[0] }}, with {{ busiest2: count(busiest[1]) }}. The table has every
            day with messages.
          </T>
        </figcaption>
      )}
    </figure>
  );
}

function Largest({ values }: { values: [name: string, value: number][] }) {
  const largest = values.sort(([, one], [, other]) => other - one).slice(0, shownNames);
  const max = Math.max(1, largest[0]?.[1] ?? 0);
  return (
    <ul class="bars">
      {largest.map(([name, value]) => (
        <li key={name}>
          <span dir="auto">{name}</span>
          <span class="num">{count(value)}</span>
          <Meter share={value / max} />
        </li>
      ))}
    </ul>
  );
}

function hasAmounts({ heads }: Report): boolean {
  return Object.values(heads).some((head) => !isText(head));
}
