import { type Text, t } from '../../../language/text.ts';
import { type Delay, readDelays } from '../../../operations/overview/delays.ts';
import type { Service } from '../../../services/services.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { Notice } from '../../parts/notice.tsx';
import { shortTime } from '../../parts/time.tsx';
import { ShortLivedCache } from '../../short-lived-cache.ts';
import type { Viewer } from '../../viewer.ts';

/** Shorter than the polling interval of Home. */
const sharedFor_ms = 8_000;

/** Returns a function that reads the delays of a service. All pages and services share what was read. */
export function delayReader(app: ConsoleApp): (service: Pick<Service, 'permissions'>) => Promise<Delay[]> {
  const shared = new ShortLivedCache<Delay[]>(sharedFor_ms);
  return async ({ permissions }) =>
    (await shared.get('', () => readDelays(app))).filter(({ channel }) => permissions.includes(channel));
}

function describeDelay({ calendar }: Viewer, { channel, since }: Delay, now: Date): Text {
  const time = shortTime(calendar, new Date(since), now, true);
  return t(
    '{channel, select, email {Emails have been delayed since {time}.} other {Texts have been delayed since {time}.}}',
    { channel, time },
  );
}

const whatToDoAboutDelay = t('We are trying again. You do not need to send them again.');

interface DelaysProps {
  delays: readonly Delay[];
  viewer: Viewer;
  now: Date;
}

export function Delays({ delays, viewer, now }: DelaysProps) {
  return (
    <>
      {delays.map((delay) => (
        <Notice key={delay.channel} tone="amber">
          <b>{describeDelay(viewer, delay, now)}</b> {whatToDoAboutDelay}
        </Notice>
      ))}
    </>
  );
}
