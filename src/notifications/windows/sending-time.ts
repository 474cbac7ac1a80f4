import { nextOpening, type SendWindow } from '../../countries/timing/send-windows.ts';
import { zonesOfRegion } from '../../countries/timing/zones.ts';

/** When the messages of a service may go out. */
export interface SendingTimes {
  sms: SendWindow | undefined;
  email: SendWindow | undefined;
  /** Of templates with a choice of their own. */
  templates: ReadonlyMap<string, SendWindow | 'none'>;
  /** Of recipients whose zone is not known. */
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

/** What decides when a message may go out. */
export interface Timing {
  channel: string;
  key_type: string;
  process_type: string;
  /** Of the template: its own window, none, or undefined where that of the service applies. */
  template_window?: SendWindow | 'none' | undefined;
  service_window?: SendWindow | undefined;
  /** Most exact first. A number says in which country a phone is. */
  zones: { recipient?: string | undefined; country?: readonly string[]; service: string };
  /** The later of now and the time it is scheduled for. */
  start: Date;
}

export interface SendingTime {
  /** Undefined where the window does not open within 14 days. */
  at: Date | undefined;
  reason: TimingReason;
  /** In which the window must be open. */
  zones?: readonly string[];
}

/** When a message may go out, and why then: the rules in their order. */
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

/** The zones of a text's number; an email address is in no country. */
export function zonesOfRecipient(recipient: { region?: string | undefined }): readonly string[] {
  return recipient.region === undefined ? [] : zonesOfRegion(recipient.region);
}
