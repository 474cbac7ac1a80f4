import { T } from '../../../../language/sentence.tsx';
import { t } from '../../../../language/text.ts';
import type { Overview } from '../../../../operations/overview/overview.ts';
import { hour_ms, minute_ms } from '../../../../platform/clock.ts';
import { Icon } from '../../../layout/icon.tsx';
import { count } from '../../../money.ts';
import { niceMax } from '../../../parts/chart.tsx';
import { Stamp, Status } from '../../../parts/status.tsx';
import { clockTime } from '../../../parts/time.tsx';
import { useViewer } from '../../../viewer.ts';

type Provider = Overview['providers'][number];

/** Returns the URL of an operator page if the visitor can open it. */
export type Link = (address: string) => string | undefined;

/** Every provider in use, with its health and share. */
export function Providers({ overview, link }: { overview: Overview; link: Link }) {
  const all = link('/operator/providers');
  return (
    <section class="card card--flush" aria-labelledby="providers">
      <div class="card-head">
        <h2 id="providers">{t('Providers')}</h2>
        {all && (
          <a class="small" href={all}>
            {t('All providers')}
          </a>
        )}
      </div>
      <div class="table-wrap">
        <table class="table table--middle">
          <caption class="sr">{t('Providers')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('Provider')}</th>
              <th scope="col">{t('State')}</th>
              <th scope="col" class="num">
                {t('Share')}
              </th>
              <th scope="col" class="num">
                {t('Within 5 min')}
              </th>
              <th scope="col" class="num">
                {t('Last hour')}
              </th>
              <th scope="col">
                <span class="sr">{t('Trend over the last hour')}</span>
              </th>
            </tr>
          </thead>
          <tbody>
            {overview.providers.map((provider) => (
              <Row key={provider.notification_type + provider.identifier} provider={provider} overview={overview} />
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}

function Row({ provider, overview }: { provider: Provider; overview: Overview }) {
  const { display_name, notification_type, priority, active, in_time, handed_over_last_hour } = provider;
  const total = overview.providers
    .filter((one) => one.active && one.notification_type === notification_type)
    .reduce((sum, one) => sum + one.priority, 0);
  return (
    <tr>
      <th scope="row">
        <span class="row row--tight">
          <Stamp channel={notification_type === 'sms' ? 'text' : notification_type} />
          {display_name}
        </span>
      </th>
      <td data-label={t('State')}>{stateOf(provider, overview)}</td>
      <td class="num" data-label={t('Share')}>
        {active && total > 0 ? `${Math.round((priority / total) * 100)}%` : <span class="muted">–</span>}
      </td>
      <td class="num" data-label={t('Within 5 min')}>
        {in_time === undefined ? <span class="muted">–</span> : `${Math.round(in_time * 100)}%`}
      </td>
      <td class="num" data-label={t('Last hour')}>
        {count(handed_over_last_hour)}
      </td>
      <td>
        <Spark periods={provider.periods} now={overview.now} />
      </td>
    </tr>
  );
}

function stateOf({ identifier, notification_type, active, health }: Provider, { findings }: Overview) {
  const check = findings.find(({ provider, name }) => provider === identifier && name === notification_type);
  if (!active) return <Status kind="cancelled">{t('Paused')}</Status>;
  if (health === 'failing' || check?.ok === false) return <Status kind="failed">{t('Failing')}</Status>;
  if (health === 'errors') return <Status kind="sending">{t('Errors')}</Status>;
  if (health === 'slow') return <Status kind="sending">{t('Slow')}</Status>;
  if (identifier === 'sandbox') return <Status kind="accepted">{t('Sandbox')}</Status>;
  return <Status kind="delivered">{t('Working')}</Status>;
}

const step_ms = 5 * minute_ms;
const steps = hour_ms / step_ms;
const [width, height, top, bottom, right] = [520, 146, 12, 26, 34];

type Calls = Pick<Overview, 'periods' | 'now'>;

interface Bin {
  at: Date;
  handed_over: number;
  errors: number;
}

/** The last hour in steps of five minutes, oldest first. */
function binsOf({ periods, now }: Calls): Bin[] {
  const first = now.getTime() - hour_ms;
  const bins = Array.from({ length: steps }, (_, index) => ({
    at: new Date(first + index * step_ms),
    handed_over: 0,
    errors: 0,
  }));
  for (const period of periods) {
    const bin = bins[Math.min(steps - 1, Math.floor((Date.parse(period.period_start) - first) / step_ms))];
    if (!bin) continue;
    bin.handed_over += period.handed_over;
    bin.errors += period.errors;
  }
  return bins;
}

/** A small line chart beside the figures of a provider. */
function Spark(calls: Calls) {
  const bins = binsOf(calls);
  const max = Math.max(1, ...bins.map(({ handed_over }) => handed_over));
  const points = bins.map(({ handed_over }, index) => [(index * 80) / (steps - 1), 22 - (handed_over / max) * 20]);
  return (
    <svg class="spark" viewBox="0 0 80 24" aria-hidden="true">
      <path class="trace" d={pathOf(points)} />
    </svg>
  );
}

/** Calls to all providers in the last hour, and those that failed. */
export function CallsChart(calls: Calls) {
  const { calendar } = useViewer();
  const bins = binsOf(calls);
  const max = niceMax(Math.max(1, ...bins.flatMap(({ handed_over, errors }) => [handed_over, errors])));
  const room = height - top - bottom;
  const end = width - right;
  const place = (value: number, index: number) => [(index * end) / (steps - 1), top + room - (value / max) * room];
  const taken = bins.map(({ handed_over }, index) => place(handed_over, index));
  const failed = bins.map(({ errors }, index) => place(errors, index));
  const sum = (of: 'handed_over' | 'errors') => bins.reduce((total, bin) => total + bin[of], 0);
  const title = t('Last hour: {sum} messages handed over, {sum2} calls failed', {
    sum: count(sum('handed_over')),
    sum2: count(sum('errors')),
  });
  return (
    <figure class="chart chart--wide">
      <figcaption class="sr">{title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <path class="grid" d={`M0 ${top + 0.5}H${end}M0 ${top + room / 2 + 0.5}H${end}`} />
        <path class="area" d={`${pathOf(taken)}L${end} ${top + room}L0 ${top + room}Z`} />
        <path class="trace" d={pathOf(taken)} />
        <path class="trace trace--2" d={pathOf(failed)} />
        <path class="axis" d={`M0 ${top + room + 0.5}H${end}`} />
        <text x={end + 6} y={top + 4}>
          {count(max)}
        </text>
        <text x={end + 6} y={top + room + 4}>
          0
        </text>
        <text x="0" y={height - 6}>
          {clockTime(calendar, bins[0]?.at ?? calls.now)}
        </text>
        <text x={end} y={height - 6} text-anchor="end">
          {t('now')}
        </text>
      </svg>
      <details class="more">
        <summary>
          {t('Figures')}
          <Icon name="chevron" small />
        </summary>
        <table class="table table--tight table--keep">
          <caption class="sr">{title}</caption>
          <thead>
            <tr>
              <th scope="col">{t('From', { context: 'a time' })}</th>
              <th scope="col" class="num">
                {t('Handed over')}
              </th>
              <th scope="col" class="num">
                {t('Failed calls')}
              </th>
            </tr>
          </thead>
          <tbody>
            {bins.map(({ at, handed_over, errors }) => (
              <tr key={at.getTime()}>
                <th scope="row">{clockTime(calendar, at)}</th>
                <td class="num">{count(handed_over)}</td>
                <td class="num">{count(errors)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

export function CallsLegend() {
  const line = (path: string) => (
    <svg class="chart" viewBox="0 0 12 12" aria-hidden="true">
      <path class={path} d="M0 6h12" />
    </svg>
  );
  return (
    <ul class="legend">
      <li>
        <T>{{ line: line('trace') }}Handed over</T>
      </li>
      <li>
        <T>{{ line: line('trace trace--2') }}Failed calls</T>
      </li>
    </ul>
  );
}

function pathOf(points: number[][]): string {
  return `M${points.map(([x = 0, y = 0]) => `${round(x)} ${round(y)}`).join('L')}`;
}

function round(value: number): number {
  return Number(value.toFixed(1));
}
