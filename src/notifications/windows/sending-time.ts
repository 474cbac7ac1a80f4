import { nextOpening, type SendWindow } from '../../countries/timing/send-windows.ts';
import { zonesOfRegion } from '../../countries/timing/zones.ts';

/** The windows of a service. */
export interface SendingTimes {
  sms: SendWindow | undefined;
  email: SendWindow | undefined;
  /** By template, if it does not inherit the window of the service. */
  templates: ReadonlyMap<string, SendWindow | 'none'>;
  /** For recipients whose time zone is not known. */
  time_zone: string;
}

type TimingReason =
  | 'letters-have-no-window'
  | 'test-key'
  | 'priority'
  | 'template-has-none'
  | 'no-window'
  | 'open'
  | 'held'
  | 'never-opens';

/** The facts that decide when a message may go out. */
export interface Timing {
  channel: string;
  key_type: string;
  process_type: string;
  /** Undefined if the template inherits the window of the service. */
  template_window?: SendWindow | 'none' | undefined;
  service_window?: SendWindow | undefined;
  /** The first known one counts. `country` has the zones of a phone number's country. */
  zones: { recipient?: string | undefined; country?: readonly string[]; service: string };
  /** Now, or the time for which the message is scheduled if that is later. */
  start: Date;
}

export interface SendingTime {
  /** Undefined if the window does not open within 14 days. */
  at: Date | undefined;
  reason: TimingReason;
  /** The window must be open in all of these. */
  zones?: readonly string[];
}

/** Returns when a message may go out and which rule decided it. */
export function sendingTime(timing: Timing): SendingTime {
  const { start, template_window, service_window } = timing;
  if (timing.channel === 'letter') return { at: start, reason: 'letters-have-no-window' };
  if (timing.key_type === 'test') return { at: start, reason: 'test-key' };
  if (timing.process_type === 'priority') return { at: start, reason: 'priority' };
  if (template_window === 'none') return { at: start, reason: 'template-has-none' };
  const window = template_window ?? service_window;
  if (!window) return { at: start, reason: 'no-window' };
  const zones = zonesOf(timing.zones);
  const at = nextOpening(window, zones, start);
  if (!at) return { at, reason: 'never-opens', zones };
  return { at, reason: at.getTime() === start.getTime() ? 'open' : 'held', zones };
}

function zonesOf({ recipient, country = [], service }: Timing['zones']): readonly string[] {
  if (recipient !== undefined) return [recipient];
  return country.length > 0 ? country : [service];
}

/** Returns the zones of a phone number's country, or none for an email address. */
export function zonesOfRecipient(recipient: { region?: string | undefined }): readonly string[] {
  return recipient.region === undefined ? [] : zonesOfRegion(recipient.region);
}
