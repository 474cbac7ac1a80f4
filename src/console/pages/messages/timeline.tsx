import { Icon } from '../../layout/icon.tsx';
import { dayAndMonth, exactClockTime } from '../../parts/time.tsx';
import type { TimelineEvent } from './timeline-events.ts';

interface TimelineProps {
  events: TimelineEvent[];
  /** The address that replays a callback; undefined for those who may not. */
  replayAt: ((callbackId: string) => string) | undefined;
}

export function Timeline({ events, replayAt }: TimelineProps) {
  const days = new Set(events.filter(({ isFuture }) => !isFuture).map(({ at }) => dayAndMonth(new Date(at))));
  const [day] = days;
  return (
    <section class="card" aria-labelledby="timeline">
      <div class="card-head">
        <h2 id="timeline">Timeline</h2>
        <span class="small muted">{days.size === 1 ? `${day}, ` : ''}London time</span>
      </div>
      <ol class="timeline">
        {events.map((event) => (
          <li key={event.key} class={event.isFuture ? 'is-future' : event.tone && `tone-${event.tone}`}>
            <When event={event} withDay={days.size > 1} />
            <Icon name={event.icon} />
            <div>
              <h3>{event.title}</h3>
              <p>{event.text}</p>
              {event.replay !== undefined && replayAt && (
                <form method="post" action={replayAt(event.replay)}>
                  <button class="button button--quiet button--small" type="submit">
                    Replay<span class="sr"> {event.title.toLowerCase()}</span>
                  </button>
                </form>
              )}
            </div>
          </li>
        ))}
      </ol>
    </section>
  );
}

function When({ event: { at, isFuture }, withDay }: { event: TimelineEvent; withDay: boolean }) {
  const moment = new Date(at);
  return (
    <time dateTime={moment.toISOString()}>
      {isFuture ? dayAndMonth(moment) : exactClockTime(moment)}
      {!isFuture && withDay && <small>{dayAndMonth(moment)}</small>}
    </time>
  );
}
