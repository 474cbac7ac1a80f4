import { createHash } from 'node:crypto';
import type { ApiCaller, CountAs } from '../auth/api-caller.ts';
import { takePermit } from '../notifications/limits/rate-limits.ts';
import { findStoredResponses } from '../notifications/sending/idempotency.ts';
import { isOwnMailMark, withKeptHeaders } from '../notifications/sending/over-smtp.ts';
import { persistTogether } from '../notifications/sending/persist-and-respond.ts';
import { prepareEmail } from '../notifications/sending/send.ts';
import type { SendContext, SendDeps } from '../notifications/sending/send-context.ts';
import {
  refuseIfDailyLimitIsReached,
  refuseIfSuppressed,
  refuseUnlessRecipientIsAllowed,
} from '../notifications/sending/send-rules.ts';
import type { SendingService } from '../notifications/sending/sending-service.ts';
import { exists } from '../platform/db/exists.ts';
import { isUuid } from '../platform/id.ts';
import { FairLimiter } from '../platform/threads/limiter.ts';
import { WorkerFailure } from '../platform/threads/thread.ts';
import { WorkerPool } from '../platform/threads/worker-pool.ts';
import { parseEmailAddress } from '../recipients/email-address.ts';
import { isSimulatedEmailAddress } from '../recipients/recipient.ts';
import { maxEmailBytes } from '../rendering/email/email.ts';
import { getChosenTemplate } from '../templates/chosen-template.ts';
import type { ReadyTemplate } from '../templates/compiled-templates.ts';
import { getOrCreateMailTemplate } from '../templates/mail-template.ts';
import { bodyAndFiles, refuseUnlessFilesHavePlaces } from './mail-files.ts';
import type * as mailTasks from './mail-worker.ts';
import { type MailProblem, type ReadMail, readMail } from './mail-worker.ts';
import { Reply, tooManyAtOnce } from './replies.ts';
import type { InletSettings } from './settings.ts';

/** An email up to this size is parsed faster than it could be passed to a thread. */
const maxShort_bytes = 32 * 1024;
const timeout_ms = 15_000;
/** The limit applies to the texts of one email for all its recipients: one transaction stores them, so all are in memory. */
const maxRows_bytes = 20 * 1024 * 1024;
const maxSubject = 255;
/** The API has the same limit. */
const maxReference = 1_000;

const problems: Record<MailProblem, Reply> = {
  'line-ends': new Reply(550, '5.6.11 Lines must end in CR LF'),
  loop: new Reply(554, '5.4.6 Loop'),
  parts: new Reply(554, '5.6.0 The email has too many parts'),
  broken: new Reply(554, '5.6.0 The email cannot be read'),
  text: new Reply(552, '5.3.4 The text of the email is too long'),
};

type ReceiverDeps = SendDeps & { config: SendDeps['config'] & { inlet: InletSettings } };

/** Turns an email into a notification for each of its recipients. */
export class MailReceiver {
  private readonly app: ReceiverDeps;
  private readonly threads = new WorkerPool<typeof mailTasks>({
    module: new URL('./mail-worker.ts', import.meta.url),
    timeout_ms,
  });

  private readonly storing: FairLimiter;

  constructor(app: ReceiverDeps) {
    this.app = app;
    const { clients } = app.config.inlet;
    this.storing = new FairLimiter({ running: clients, size: maxRows_bytes, waiting: clients });
  }

  close(): Promise<void> {
    return this.threads.close();
  }

  /** Takes a permit of the rate limit for one email, which is paid for even if the email is refused. */
  async takePermit(caller: ApiCaller): Promise<CountAs> {
    const { service, key_type } = await this.contextOf(caller);
    return takePermit(this.app.sending.rateLimits, service, key_type);
  }

  /** Throws if this caller cannot send to the address. */
  async checkRecipient(caller: ApiCaller, written: string): Promise<void> {
    const { address } = parseAddress(written);
    const context = await this.contextOf(caller);
    refuseUnlessRecipientIsAllowed(context, address);
    if (!isSimulatedEmailAddress(this.app.country, address)) await refuseIfSuppressed(this.app, context, address);
  }

  /**
   * Stores a message for each recipient, or none. Returns the id of the first once all are durable. The source may be moved to a thread: it
   * cannot be read afterwards.
   */
  async receive(caller: ApiCaller, source: Buffer, recipients: string[], countAs: CountAs): Promise<string> {
    const context = await this.contextOf(caller);
    const { service } = context;
    const mail = await this.read(service, source);
    if (await this.isOurs(mail)) throw problems.loop;
    refuseUnsendable(mail);
    const addresses = new Map(recipients.map(parseAddress).map((to) => [to.address, to]));
    const wanted = [...addresses.values()].map((to) => ({ to, key: idempotencyKeyOf(mail, to.address) }));
    const keys = wanted.flatMap(({ key }) => key ?? []);
    const known = await findStoredResponses(this.app, service.id, keys);
    const missing = wanted.filter(({ key }) => key === undefined || !known.has(key));
    const sent = missing.length > 0 ? await this.send(context, mail, missing, countAs) : [];
    const first = wanted[0]?.key;
    // Another connection may have stored the same email in the meantime.
    const earlier = first === undefined ? known : await findStoredResponses(this.app, service.id, [first]);
    return idOf(earlier.get(first ?? '')) ?? sent[0] ?? '';
  }

  /** Returns the ids. */
  private async send(given: SendContext, mail: ReadMail, recipients: Recipient[], countAs: CountAs): Promise<string[]> {
    let requests = recipients.length;
    countAs(requests);
    const context = {
      ...given,
      countAs: (ofMessage: number) => {
        requests += ofMessage - 1;
        countAs(requests);
      },
    };
    const { service } = context;
    refuseIfDailyLimitIsReached(this.app, context, 'email');
    const template = await this.templateFor(service, mail);
    const mode = this.modeOf(service);
    // A template that the email names is sent as in a request: in its language and its sending times.
    const chosen = mail.template_name === undefined ? { ...context, template } : context;
    const personalisation = { subject: shortenedSubject(mail.subject), ...bodyAndFiles(mail, mode, recipients.length) };
    if (mode === 'link') refuseUnlessFilesHavePlaces(template, mail);
    const endTurn = await this.takeStoringTurn(service, mail, recipients.length);
    try {
      const messages = [];
      for (const { to, key } of recipients) {
        const message = await prepareEmail(this.app, chosen, {
          request: {
            template_id: template.row.id,
            email_address: to.cleaned,
            personalisation,
            reference: mail.reference?.slice(0, maxReference).replace(/\p{Cs}$/u, ''),
            email_reply_to_id: replyToOf(service, mail.from),
          },
          ...to,
          scheduled_for: null,
        });
        // Only the id: nothing else is needed of the response, which has the text of the email.
        const { id } = message.response;
        const idempotency = key === undefined ? undefined : { key, request_digest };
        const notification = message.notification && {
          ...message.notification,
          personalisation: withKeptHeaders(message.notification.personalisation, mail.headers),
        };
        messages.push({ message: { ...message, notification, response: { id } }, idempotency });
      }
      await persistTogether(this.app, service, messages);
      return messages.map(({ message }) => message.response.id);
    } finally {
      endTurn();
    }
  }

  /** Emails with long texts for many recipients are stored one after the other, because all rows of an email are in memory. */
  private takeStoringTurn({ id }: SendingService, { body }: ReadMail, recipientCount: number): Promise<() => void> {
    const rows_bytes = recipientCount * Buffer.byteLength(body);
    if (rows_bytes > maxRows_bytes)
      throw new Reply(552, '5.3.4 The text of the email is too long for so many recipients');
    return this.storing.acquire(id, rows_bytes);
  }

  /** Our emails have the id of their notification as their Message-ID. One that came over SMTP has a mark, too. */
  private async isOurs({ message_id, mark }: ReadMail): Promise<boolean> {
    if (mark !== undefined && isOwnMailMark(this.app.secrets, mark)) return true;
    const [, id = ''] = /^<([^@]*)@[^>]*>$/.exec(message_id ?? '') ?? [];
    // Other software may have ids of this kind, too, also with our domain, which is that of its From.
    return isUuid(id) && id[14] === '7' && exists(this.app.db, 'notifications', id);
  }

  private async contextOf({ service_id, key_type, api_key_id, dialect }: ApiCaller): Promise<SendContext> {
    const service = await this.app.sending.services.find(service_id);
    if (!service) throw new Error('Service not found after authentication');
    const now = this.app.clock.now();
    const root = this.app.config.urls.api;
    return { ...{ service, dialect, key_type, api_key_id, now, root }, created_by_id: null, idempotency: undefined };
  }

  private async read(service: SendingService, source: Buffer): Promise<ReadMail> {
    const share = { owner: service.id, urgent: true };
    const links = this.modeOf(service) === 'link';
    const read =
      source.length <= maxShort_bytes
        ? readMail(source, links)
        : this.threads.runnerFor(share).runWith([source.buffer as ArrayBuffer], 'readMail', source, links);
    const mail = await read.catch((error) => {
      if (!(error instanceof WorkerFailure)) throw error;
      if (error.reason === 'timeout' || error.reason === 'memory') throw problems.broken;
      throw tooManyAtOnce;
    });
    if (typeof mail === 'string') throw problems[mail];
    return mail;
  }

  private modeOf({ smtp_files }: SendingService): InletSettings['files'] {
    return smtp_files ?? this.app.config.inlet.files;
  }

  private async templateFor(service: SendingService, { template_name }: ReadMail): Promise<ReadyTemplate> {
    if (template_name !== undefined) return getChosenTemplate(this.app, service.id, { template_name }, 'email');
    const { id, version } = await getOrCreateMailTemplate(this.app, service.id);
    const found = await this.app.compiledTemplates.findEarlier(service.id, id, version);
    if (found.found !== 'here') throw new Error(`Template ${id} has no version ${version}`);
    return found.template;
  }
}

interface Recipient {
  to: { cleaned: string; address: string };
  key: string | undefined;
}

/** The content is not compared: a relay may have changed it before it sends the email again. */
const request_digest = 'smtp';

/** Undefined without a Message-ID: such an email is sent each time. */
function idempotencyKeyOf({ message_id }: ReadMail, address: string): string | undefined {
  if (message_id === undefined) return undefined;
  return `smtp ${createHash('sha256').update(`${message_id} ${address}`).digest('base64url')}`;
}

function idOf(response: unknown): string | undefined {
  return (response as { id: string } | undefined)?.id;
}

function parseAddress(written: string): { cleaned: string; address: string } {
  const parsed = parseEmailAddress(written);
  if (parsed.ok) return { cleaned: parsed.cleaned, address: parsed.address };
  const [localPart = ''] = written.split('@');
  throw /\P{ASCII}/u.test(localPart)
    ? new Reply(553, '5.6.7 Only ASCII characters are accepted before the @ of an address')
    : new Reply(501, '5.1.3 Not a valid email address');
}

function refuseUnsendable({ body }: ReadMail): void {
  if (body === '') throw new Reply(554, '5.6.0 The email has no text');
  if (Buffer.byteLength(body) > maxEmailBytes) {
    throw new Reply(552, `5.3.4 The text of the email is longer than ${maxEmailBytes} bytes`);
  }
}

function shortenedSubject(subject: string): string {
  return [...subject].length <= maxSubject ? subject : `${[...subject].slice(0, maxSubject - 1).join('')}…`;
}

/** The reply-to address of the service that is the From of the email; undefined for the default one. */
function replyToOf({ email_reply_tos }: SendingService, from: string | undefined): string | undefined {
  const wanted = from?.toLowerCase();
  return [...email_reply_tos].find(([, address]) => address.toLowerCase() === wanted)?.[0];
}
