import { notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import { compileTemplate } from '../../rendering/template.ts';
import type { TextSenderSettings } from '../../services/settings.ts';
import { type EmailConfig, renderShortEmail } from '../compose-message.ts';
import type { ProviderDeps, ProviderDescriptor } from './descriptor.ts';
import type { EmailMessage, Outcome, Provider, TextMessage } from './provider.ts';
import { openEmailProviders, openTextProviders, type ProvidersConfig } from './settings.ts';

type Deps = Omit<ProviderDeps, 'settings'> & {
  config: ProvidersConfig & EmailConfig & { sms: TextSenderSettings };
  providers: readonly ProviderDescriptor[];
};

export interface TestResult {
  outcome: Outcome['kind'] | 'failed';
  /** What the provider said, or why it could not be asked. */
  reason: string | undefined;
  took_ms: number;
}

const text = 'This is a test of the provider. Nobody needs to do anything.';

/**
 * Hands one message to a provider that is in use, at once and whatever its share. It is no notification: nothing is
 * counted, and receipts for it are ignored.
 */
export async function sendTestMessage(
  app: Deps,
  { notification_type, identifier }: { notification_type: string; identifier: string },
  recipient: string,
): Promise<TestResult> {
  const reference = newId(app.clock.now());
  if (notification_type === 'sms') {
    const sender = app.config.sms.defaultSender;
    const message = { reference, to: recipient, sender, text, encoding: 'gsm7', international: false } as const;
    return send<TextMessage>(only(openTextProviders(app), identifier), message);
  }
  if (notification_type !== 'email') throw notFound();
  const compiled = compileTemplate({ template_type: 'email', subject: 'Test of the provider', content: text });
  const message = {
    reference,
    to: recipient,
    reply_to: null,
    unsubscribe_url: null,
    ...renderShortEmail(app, compiled, {}, platformIdentity(app), null),
  };
  return send<EmailMessage>(only(openEmailProviders(app), identifier), message);
}

function only<Message>(providers: Provider<Message>[], name: string): Provider<Message> {
  const found = providers.find((provider) => provider.name === name);
  if (!found) throw notFound();
  return found;
}

async function send<Message>(provider: Provider<Message>, message: Message): Promise<TestResult> {
  const began = performance.now();
  const took_ms = () => Math.round(performance.now() - began);
  try {
    await provider.check?.();
    const outcome = await provider.send(message);
    return { outcome: outcome.kind, reason: 'reason' in outcome ? outcome.reason : undefined, took_ms: took_ms() };
  } catch (error) {
    return { outcome: 'failed', reason: error instanceof Error ? error.message : String(error), took_ms: took_ms() };
  } finally {
    await provider.close?.();
  }
}

function platformIdentity({ config }: Deps) {
  return {
    name: config.branding.platformName,
    active: true,
    prefix_sms: false,
    custom_email_sender_name: null,
    email_sender_local_part: 'test',
    brand_type: null,
    colour: null,
    logo: null,
    text: null,
    alt_text: null,
  };
}
