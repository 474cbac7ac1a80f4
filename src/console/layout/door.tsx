import type { ComponentChildren } from 'preact';
import type { FormState, View } from '../page.ts';
import { ErrorSummary } from '../parts/error-summary.tsx';
import { Notice } from '../parts/notice.tsx';
import { clockTime, dayAndMonth } from '../parts/time.tsx';
import { Franking } from './franking.tsx';

interface DoorProps {
  view: View;
  formState: FormState;
  now: Date | undefined;
  notice: string | undefined;
  platformName: string;
}

/** Outside of the frame: signing in, setting up, failures. */
export function Door({ view, formState, now, notice, platformName }: DoorProps): ComponentChildren {
  return (
    <main class="door" id="main">
      <div class="envelope stack">
        <Franking lines={now ? [dayAndMonth(now).toUpperCase(), clockTime(now)] : ['PENNY', 'POST']} />
        <a class="wordmark" href="/console">
          Pennypost
        </a>
        {notice && <Notice tone="green">{notice}</Notice>}
        <ErrorSummary problems={formState.problems} />
        <div class="stack stack--tight">
          <h1>{view.title}</h1>
          {view.lead && <p class="lead muted">{view.lead}</p>}
        </div>
        {view.content}
      </div>
      {platformName !== 'Pennypost' && <p class="small muted">{platformName}</p>}
    </main>
  );
}
