import { createHash } from 'node:crypto';
import { dayFormat } from '../../countries/calendar.ts';
import { calendarOf } from '../../countries/timing/zones.ts';
import { forApi, formatted, t } from '../../language/text.ts';
import { hour_ms, later } from '../../platform/clock.ts';
import { type Failure, invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { NewNotification } from '../notification.ts';
import type { WindowSettings } from '../settings.ts';
import { type SendingTime, type SendingTimes, sendingTime, zonesOfRecipient } from './sending-time.ts';

export type WindowDeps = Platform & { config: { windows: WindowSettings } };

/** The fields of a message on which its sending time depends. */
interface ToTime extends Pick<NewNotification, 'notification_type' | 'key_type' | 'template_id'> {
  process_type: string;
}

export interface WhereItGoes {
  time_zone?: string | null | undefined;
  /** The country of a phone number. */
  region?: string | undefined;
}

export interface Placed {
  due: Date;
  held_until: Date;
}

/** A message that would wait for longer is refused, so that its sender can still do something else. */
const longestWait_ms = 72 * hour_ms;

/** Returns when a held message goes out, or undefined if it may go out at `start`. Throws if it would wait for too long. */
export function placeMessage(
  app: WindowDeps,
  times: SendingTimes,
  message: ToTime & { id: string },
  recipient: WhereItGoes,
  start: Date,
  longest_ms = longestWait_ms,
): Placed | undefined {
  const time = timeOf(times, message, recipient, start);
  if (time.reason !== 'held' && time.reason !== 'never-opens') return undefined;
  if (time.at === undefined || time.at.getTime() - start.getTime() > longest_ms) throw closedFor(time);
  return { due: spread(app, times, message, recipient, time.at) ?? time.at, held_until: time.at };
}

/** Returns the message's own moment in the first minutes after an opening, or undefined if the window is closed by then. */
export function spread(
  app: WindowDeps,
  times: SendingTimes,
  message: ToTime & { id: string },
  recipient: WhereItGoes,
  opening: Date,
): Date | undefined {
  const due = later(opening, shareOf(message.id) * app.config.windows.spread_ms);
  return timeOf(times, message, recipient, due).reason === 'open' ? due : undefined;
}

/**
 * Returns when the first row of a file may go out, or undefined if one may go out at `start`. `places` has each destination of its rows
 * once; it is undefined for letters. Throws if no row can ever go out.
 */
export function openingOfFile(
  times: SendingTimes | null,
  file: ToTime,
  places: readonly WhereItGoes[] | undefined,
  start: Date,
): Date | undefined {
  if (times === null || !places) return undefined;
  const all = places.map((place) => timeOf(times, file, place, start));
  const [first] = all;
  if (!first || all.some(({ reason }) => reason !== 'held' && reason !== 'never-opens')) return undefined;
  const openings = all.flatMap(({ at }) => at?.getTime() ?? []);
  if (openings.length === 0) throw closedFor(first);
  return new Date(Math.min(...openings));
}

function timeOf(times: SendingTimes, message: ToTime, { time_zone, region }: WhereItGoes, start: Date): SendingTime {
  const { notification_type: channel } = message;
  return sendingTime({
    channel,
    key_type: message.key_type,
    process_type: message.process_type,
    template_window: times.templates.get(message.template_id),
    service_window: channel === 'letter' ? undefined : times[channel],
    zones: { recipient: time_zone ?? undefined, country: zonesOfRecipient({ region }), service: times.time_zone },
    start,
  });
}

const dayInWords = dayFormat({ day: 'numeric', month: 'long' });

function closedFor({ at, zones }: SendingTime): Failure {
  if (!at) {
    const text = forApi(
      'Your sending times are closed for more than 14 days. Send this later, or use a priority template',
      t('Your sending times are closed for more than 14 days. Send this later, or use a priority template.'),
    );
    return invalid(text, { reason: 'sending_times_never_open' });
  }
  const opens = calendarOf(zones?.[0] ?? 'UTC').day(at);
  const day = formatted(({ dates }) => dates.write(opens, { day: 'numeric', month: 'long' }));
  const text = forApi(
    `Your sending times are closed until ${dayInWords(opens)}. Send this later, or use a priority template`,
    t('Your sending times are closed until {day}. Send this later, or use a priority template.', { day }),
  );
  return invalid(text, { reason: 'sending_times_closed' });
}

/** Returns a number from 0 to 1, always the same for the same message. */
function shareOf(id: string): number {
  return createHash('sha256').update(id).digest().readUInt32BE() / 2 ** 32;
}
