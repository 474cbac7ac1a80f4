import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import { compileTemplate } from '../../rendering/template.ts';
import type { TextSenderSettings } from '../../services/settings.ts';
import { type EmailConfig, renderShortEmail } from '../compose-message.ts';
import type { ProviderDeps, ProviderDescriptor } from './descriptor.ts';
import { withResponseListener } from './http-client.ts';
import type { EmailMessage, Outcome, Provider, TextMessage } from './provider.ts';
import { openEmailProviders, openTextProviders, type ProvidersConfig, settingsOf } from './settings.ts';

type Deps = Omit<ProviderDeps, 'settings'> & {
  config: ProvidersConfig & EmailConfig & { sms: TextSenderSettings };
  providers: readonly ProviderDescriptor[];
};

export interface TestResult {
  outcome: Outcome['kind'] | 'failed';
  /** Why the provider did not accept it. */
  reason: string | undefined;
  /** The provider's last response, if it has an HTTP API. */
  response: string | undefined;
  took_ms: number;
}

const text = 'This is a test of the provider. Nobody needs to do anything.';

interface TestedProvider {
  id: string;
  notification_type: 'sms' | 'email';
  identifier: string;
}

/**
 * Hands one message to a provider that is in use, immediately and whatever its share. The message is not a notification: nothing is
 * counted, and its receipts are ignored. The audit log records who sent it, but not to whom.
 */
export async function sendTestMessage(app: Deps, tested: TestedProvider, recipient: string): Promise<TestResult> {
  const { id, notification_type, identifier } = tested;
  const descriptor = app.providers.find(({ channel, name }) => channel === notification_type && name === identifier);
  if (!descriptor || !app.config[notification_type].providers.includes(identifier)) throw notFound();
  const after = { notification_type, provider: identifier };
  await inTransaction(app.db, (tx) =>
    recordAuditEntry(tx, { action: 'create', noun: 'provider_test', thing_id: id, after }),
  );
  const result = await sendThrough(app, tested, recipient);
  const secrets = secretsOf(descriptor, settingsOf(app.config, descriptor));
  return { ...result, reason: shown(result.reason, secrets), response: shown(result.response, secrets) };
}

async function sendThrough(app: Deps, { notification_type, identifier }: TestedProvider, recipient: string) {
  const reference = newId(app.clock.now());
  const only = {
    ...app,
    config: { ...app.config, [notification_type]: { ...app.config[notification_type], providers: [identifier] } },
  };
  if (notification_type === 'sms') {
    const sender = app.config.sms.defaultSender;
    const message = { reference, to: recipient, sender, text, encoding: 'gsm7', international: false } as const;
    return send<TextMessage>(openTextProviders(only), message);
  }
  const compiled = compileTemplate({ template_type: 'email', subject: 'Test of the provider', content: text });
  const message = {
    reference,
    to: recipient,
    reply_to: null,
    unsubscribe_url: null,
    ...renderShortEmail(app, compiled, {}, platformIdentity(app), null),
  };
  return send<EmailMessage>(openEmailProviders(only), message);
}

async function send<Message>([provider]: Provider<Message>[], message: Message): Promise<TestResult> {
  if (!provider) throw notFound();
  const began = performance.now();
  let response: string | undefined;
  const ended = (outcome: TestResult['outcome'], reason?: string): TestResult => ({
    ...{ outcome, reason, response },
    took_ms: Math.round(performance.now() - began),
  });
  try {
    const outcome = await withResponseListener(
      ({ status, body }) => {
        response = `${status} ${body}`;
      },
      async () => {
        await provider.check?.();
        return provider.send(message);
      },
    );
    return ended(outcome.kind, 'reason' in outcome ? outcome.reason : undefined);
  } catch (error) {
    return ended('failed', error instanceof Error ? error.message : String(error));
  } finally {
    await provider.close?.();
  }
}

const maxShown = 500;
/** A shorter text is more likely to be part of a word than a secret. */
const minSecret = 4;

/** Returns the provider's response on one line, without the secrets that it may quote. */
function shown(text: string | undefined, secrets: string[]): string | undefined {
  const hidden = secrets.reduce((rest, secret) => rest.replaceAll(secret, '[hidden]'), text ?? '');
  return hidden.replaceAll(/\s+/g, ' ').trim().slice(0, maxShown) || undefined;
}

/** Returns the secrets of a provider and the passwords in them, longest first. */
function secretsOf({ settings }: ProviderDescriptor, values: Record<string, unknown>): string[] {
  return Object.entries(settings)
    .flatMap(([key, { secret }]) => (secret && typeof values[key] === 'string' ? [values[key]] : []))
    .flatMap((value) => [value, ...passwordsIn(value)])
    .filter((part) => part.length >= minSecret)
    .toSorted((one, other) => other.length - one.length);
}

/** A secret may be an address with a password, a JSON object of secrets, or a user and a password. */
function passwordsIn(secret: string): string[] {
  if (/^\w+:\/\//.test(secret)) {
    const { password } = new URL(secret);
    return [password, decodeURIComponent(password)];
  }
  if (secret.startsWith('{')) return Object.values(JSON.parse(secret) as Record<string, string>);
  return secret.split(':').slice(1);
}

function platformIdentity({ config }: Deps) {
  return {
    name: config.branding.platformName,
    active: true,
    prefix_sms: false,
    api_dialect: 'govuk' as const,
    has_opt_outs: false,
    custom_email_sender_name: null,
    email_sender_local_part: 'test',
    sending_domain_id: null,
    organisation_domain_id: null,
    brand_type: null,
    colour: null,
    logo: null,
    text: null,
    alt_text: null,
  };
}
