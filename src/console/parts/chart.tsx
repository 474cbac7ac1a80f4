import { type Text, t } from '../../language/text.ts';
import { Icon } from '../layout/icon.tsx';
import { count } from '../money.ts';

interface Bar {
  label: Text;
  good: number;
  bad: number;
  /** Incomplete, such as today. */
  isOpen?: true;
}

interface ChartProps {
  /** A conclusion from the figures, not only a description. */
  title: Text;
  /** Names of the two parts of a bar, such as "Delivered" and "Failed". */
  names: { good: Text; bad: Text };
  bars: readonly Bar[];
}

const width = 280;
const height = 96;
const [top, bottom] = [18, 20];

/** Rendered by the server. A table below has the same figures. */
export function Chart({ title, names, bars }: ChartProps) {
  const max = niceMax(Math.max(1, ...bars.map(({ good, bad }) => good + bad)));
  const room = height - top - bottom;
  const step = width / Math.max(1, bars.length);
  const y = (value: number) => height - bottom - (value / max) * room;
  return (
    <figure class="chart">
      <figcaption class="sr">{title}</figcaption>
      <svg viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
        <path class="grid" d={`M0 ${top + 0.5}H${width}M0 ${top + room / 2 + 0.5}H${width}`} />
        <text x={width} y={top - 6} text-anchor="end">
          {count(max)}
        </text>
        {bars.map(({ label, good, bad, isOpen }, index) => {
          const x = index * step + step * 0.2;
          const at = { x, width: step * 0.6 };
          return (
            <g key={label}>
              <rect class={isOpen ? 'bar bar--now' : 'bar'} {...at} y={y(good)} height={y(0) - y(good)} />
              <rect class="bar bar--bad" {...at} y={y(good + bad)} height={y(good) - y(good + bad)} />
              <text x={x + step * 0.3} y={height - 5} text-anchor="middle">
                {label}
              </text>
            </g>
          );
        })}
        <path class="axis" d={`M0 ${height - bottom + 0.5}H${width}`} />
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
              <th scope="col">{t('Day')}</th>
              <th scope="col" class="num">
                {names.good}
              </th>
              <th scope="col" class="num">
                {names.bad}
              </th>
            </tr>
          </thead>
          <tbody>
            {bars.map(({ label, good, bad }) => (
              <tr key={label}>
                <th scope="row">{label}</th>
                <td class="num">{count(good)}</td>
                <td class="num">{count(bad)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </figure>
  );
}

/** Returns the next of 1, 2, 3, 4, 5 and 10 times a power of ten. */
export function niceMax(value: number): number {
  const power = 10 ** Math.floor(Math.log10(value));
  const factor = [1, 2, 3, 4, 5, 10].find((one) => one * power >= value) ?? 10;
  return factor * power;
}

/** A share as a bar. Figures beside it have the same meaning. */
export function Meter({ share }: { share: number }) {
  const width = Math.min(100, Math.max(0, share * 100));
  return (
    <svg class="meter" viewBox="0 0 100 1" preserveAspectRatio="none" aria-hidden="true">
      <rect width={Number(width.toFixed(1))} height="1" />
    </svg>
  );
}
