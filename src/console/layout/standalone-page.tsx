import type { ComponentChildren } from 'preact';
import { t } from '../../language/text.ts';
import type { FormState, View } from '../page.ts';
import { ErrorSummary, Notice } from '../parts/notice.tsx';
import { inOwnDirection } from '../parts/text.tsx';
import { clockTime, dayAndMonth } from '../parts/time.tsx';
import { useViewer } from '../viewer.ts';
import { assetPath } from './assets.ts';

interface StandalonePageProps {
  view: View;
  formState: FormState;
  now: Date | undefined;
  notice: string | undefined;
  platformName: string;
}

/** The layout of pages outside the frame: signing in, setting up, failures. */
export function StandalonePage({ view, formState, now, notice, platformName }: StandalonePageProps): ComponentChildren {
  return (
    <main class="standalone" id="main">
      <div class="envelope stack">
        {now ? <DateStamp now={now} /> : <CancelledStamp lines={['PENNY', 'POST']} />}
        <a class="wordmark" href="/console">
          {t('Pennypost')}
        </a>
        {notice && <Notice tone="green">{notice}</Notice>}
        <ErrorSummary problems={formState.problems} />
        <div class="stack stack--tight">
          <h1>{inOwnDirection(view.title)}</h1>
          {view.lead && <p class="lead muted">{inOwnDirection(view.lead)}</p>}
        </div>
        {view.content}
      </div>
      {platformName !== 'Pennypost' && <p class="small muted">{platformName}</p>}
    </main>
  );
}

function DateStamp({ now }: { now: Date }) {
  const { calendar } = useViewer();
  return <CancelledStamp lines={[dayAndMonth(calendar, now).toUpperCase(), clockTime(calendar, now)]} />;
}

const ring = 'M22.5 66a33.5 33.5 0 0 1 67 0a33.5 33.5 0 0 1-67 0';
const wave = (y: number) => `M100 ${y}c12-7 24-7 36 0s24 7 36 0 24-7 36 0 20 6 28 2`;

/** A cancelled stamp: the only ornament, used on pages outside the frame. `lines` are the text of its date stamp. */
function CancelledStamp({ lines: [first, second] }: { lines: [string, string] }) {
  return (
    <svg class="cancelled-stamp" viewBox="0 0 240 150" aria-hidden="true">
      <use href={`${assetPath('icons.svg')}#i-large-stamp`} x="132" y="6" width="105.6" height="132" />
      <g fill="none" stroke="currentColor" stroke-width="1.6" opacity=".8">
        <circle cx="56" cy="66" r="45" />
        <circle cx="56" cy="66" r="29" />
        <path d={[46, 56, 66, 76, 86].map(wave).join('')} />
      </g>
      <g
        fill="currentColor"
        font-family="system-ui, sans-serif"
        font-size="11"
        font-weight="600"
        text-anchor="middle"
        opacity=".85"
      >
        <text x="56" y="62">
          {first}
        </text>
        <text x="56" y="77">
          {second}
        </text>
        <path id="ring" fill="none" d={ring} />
        <text font-size="9.5" letter-spacing="1.8" text-anchor="start">
          <textPath href="#ring" startOffset="2">
            {t('PENNYPOST · ONE PENNY ·')}
          </textPath>
        </text>
      </g>
    </svg>
  );
}
