import type { Config } from '../../config.ts';
import type { Platform } from '../../platform/platform.ts';
import { sandboxEmails, sandboxTexts } from '../sandbox/sandbox.ts';
import { firetext } from './firetext.ts';
import { mmg } from './mmg.ts';
import type { EmailMessage, Provider, TextMessage } from './provider.ts';
import { ses } from './ses.ts';
import { smtp } from './smtp.ts';
import { twilio } from './twilio.ts';

type Deps = Pick<Platform, 'db' | 'clock' | 'log' | 'secrets'> & { config: Config };

/** All built-in providers; the configuration selects the active ones. */
const texts: Record<Config['SMS_PROVIDERS'][number], (app: Deps) => Provider<TextMessage>> = {
  sandbox: sandboxTexts,
  mmg,
  firetext,
  twilio,
};
const emails: Record<Config['EMAIL_PROVIDERS'][number], (app: Deps) => Provider<EmailMessage>> = {
  sandbox: sandboxEmails,
  smtp,
  ses,
};

export function textProviders(app: Deps): Provider<TextMessage>[] {
  return app.config.SMS_PROVIDERS.map((name) => texts[name](app));
}

export function emailProviders(app: Deps): Provider<EmailMessage>[] {
  return app.config.EMAIL_PROVIDERS.map((name) => emails[name](app));
}
