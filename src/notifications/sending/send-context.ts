import type { CountAs } from '../../auth/api-caller.ts';
import type { EmailSettings } from '../../branding/settings.ts';
import type { FileSizes } from '../../documents/prepare-documents.ts';
import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import { type Clock, minute_ms, timestamp } from '../../platform/clock.ts';
import type { Tx } from '../../platform/db/database.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import type { ApiDialect } from '../../protocol/dialect.ts';
import type { KeyType } from '../../protocol/key-types.ts';
import type { CompiledTemplates, ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import type { TemplateRow } from '../../templates/template-row.ts';
import { RateLimits } from '../limits/rate-limits.ts';
import { lanes, type NewNotification } from '../notification.ts';
import type { WindowSettings } from '../settings.ts';
import { Acceptor } from './accept.ts';
import { type IdempotencyClaim, RunningRequests } from './idempotency.ts';
import { type SendingService, type SendingServices, sendingServices } from './sending-service.ts';

export type SendDeps = Platform & {
  config: { urls: Urls; email: EmailSettings; optOuts: OptOutSettings; windows: WindowSettings };
  compiledTemplates: CompiledTemplates;
  virusScanner: VirusScanner;
  fileSizes: FileSizes;
  emailThreads: EmailThreads;
  sending: SendState;
};

/** The caller of a send and the time of the request. */
export interface SendContext {
  service: SendingService;
  /** The dialect of the request, or that of the service if no client sent it. */
  dialect: ApiDialect;
  key_type: KeyType;
  api_key_id: string | null;
  /** The user who sends it from the front end. */
  created_by_id: string | null;
  now: Date;
  /** Base URL of links in the response. */
  root: string;
  idempotency: IdempotencyClaim | undefined;
  /** Counts the message as several requests in its rate limit. */
  countAs?: CountAs;
  /** Checks every rule, but stores and sends nothing. */
  only_check?: true;
  /** Set if the message is a step of a channel plan: its id, and what is stored with it. */
  step?: { notification_id: string; record(tx: Tx): Promise<void> };
  /** A template that requests cannot name, for example that of a test from the editor. */
  template?: ReadyTemplate;
}

/** In-memory state of sending. */
export interface SendState {
  services: SendingServices;
  rateLimits: RateLimits;
  acceptor: Acceptor;
  running: RunningRequests;
  letterPriorities: LetterPriorities;
}

export function createSending(app: Platform): SendState {
  return {
    services: sendingServices(app),
    rateLimits: new RateLimits(app),
    acceptor: new Acceptor(app),
    running: new RunningRequests(),
    letterPriorities: new LetterPriorities(app.clock),
  };
}

interface Recent {
  /** Recently accepted letters, with exponential decay: after ten minutes, a letter counts half. */
  count: number;
  at: number;
}

const halfLife_ms = 10 * minute_ms;
const lettersPerPriority = 20;
const maxPriority = 100;
const maxServices = 10_000;

/**
 * Orders composing and checking of letters fairly: the more letters a service has sent recently, the lower the priority of its next one. So
 * a service with a few letters does not wait for one with thousands. Letters of test keys are counted separately, so they do not delay live
 * letters of the same service.
 */
export class LetterPriorities {
  private readonly clock: Clock;
  private readonly recent = new Map<string, Recent>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Returns the priority of its task (0 runs first) and counts the letter. */
  priorityFor({ service_id, key_type }: Pick<NewNotification, 'service_id' | 'key_type'>): number {
    const key = key_type === 'test' ? `${service_id} test` : service_id;
    const now = this.clock.now().getTime();
    const previous = this.recent.get(key);
    const before = previous ? previous.count * 0.5 ** (Math.max(0, now - previous.at) / halfLife_ms) : 0;
    if (!previous && this.recent.size >= maxServices) this.recent.clear();
    this.recent.set(key, { count: before + 1, at: now });
    return Math.min(maxPriority, Math.floor(before / lettersPerPriority));
  }
}

/** Fields that differ between messages. The others come from the context and the template. */
type MessageFields = Pick<NewNotification, 'recipient' | 'personalisation'> &
  Partial<
    Pick<
      NewNotification,
      | 'id'
      | 'status'
      | 'normalised_recipient'
      | 'reply_to_text'
      | 'postage'
      | 'international'
      | 'rate_multiplier'
      | 'one_click_unsubscribe_url'
      | 'scheduled_for'
      | 'lane'
    >
  > & { client_reference?: string };

/** Lists every key: with spread objects, this was the most expensive step of accepting a message. */
export function newNotification(
  { service, key_type, api_key_id, created_by_id, now, step }: SendContext,
  {
    row,
    language,
  }: { row: Pick<TemplateRow, 'id' | 'version' | 'template_type' | 'process_type'>; language?: string | null },
  fields: MessageFields,
): NewNotification {
  const created_at = timestamp(now);
  const scheduled_for = fields.scheduled_for ?? null;
  return {
    id: fields.id ?? step?.notification_id ?? newId(now),
    service_id: service.id,
    template_id: row.id,
    template_version: row.version,
    notification_type: row.template_type,
    key_type,
    api_key_id,
    created_by_id,
    status: fields.status ?? 'created',
    client_reference: fields.client_reference ?? null,
    recipient: fields.recipient,
    normalised_recipient: fields.normalised_recipient ?? null,
    personalisation: fields.personalisation,
    reply_to_text: fields.reply_to_text ?? null,
    postage: fields.postage ?? null,
    international: fields.international ?? false,
    rate_multiplier: fields.rate_multiplier ?? 1,
    one_click_unsubscribe_url: fields.one_click_unsubscribe_url ?? null,
    scheduled_for,
    created_at,
    lane: fields.lane === undefined ? lanes[row.process_type] : fields.lane,
    due_at: scheduled_for ?? created_at,
    language: language ?? null,
  };
}
