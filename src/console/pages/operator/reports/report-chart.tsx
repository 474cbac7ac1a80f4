import { addDays, type Days } from '../../../../platform/calendar.ts';
import { count } from '../../../money.ts';
import { Meter } from '../../../parts/meter.tsx';
import type { Report, Row } from './reports.ts';

const shownNames = 10;
const size = { width: 700, height: 140, foot: 18, head: 16 };

interface ReportChartProps {
  chart: NonNullable<Report['chart']>;
  rows: readonly Row[];
  days: Days;
}

/** A picture of the report's main figure. The table below it has the same figures and more. */
export function ReportChart({ chart, rows, days }: ReportChartProps) {
  // Days without messages are no rows.
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
        <h2>{chart.title}</h2>
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
          Most on {busiest[0]}: {count(busiest[1])}. The table has every day with messages.
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
          <span>{name}</span>
          <span class="num">{count(value)}</span>
          <Meter share={value / max} />
        </li>
      ))}
    </ul>
  );
}
