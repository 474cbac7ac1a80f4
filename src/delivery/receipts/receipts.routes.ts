import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import type { ProvidersConfig } from '../providers/settings.ts';
import { receiptDeps } from './provider-reports.ts';
import { ReceiptRecorder } from './receipts.ts';

type Deps = Platform & {
  config: ProvidersConfig & { optOuts: OptOutSettings };
  providers: readonly ProviderDescriptor[];
};

/** Declares the receipt webhooks of the active providers. In the sandbox, receipts of every provider of the channel are accepted. */
export function receiptRoutes(http: Http, app: Deps): void {
  const recorders = { sms: new ReceiptRecorder(app), email: new ReceiptRecorder(app) };
  for (const provider of app.providers) {
    const active = app.config[provider.channel].providers;
    if (!active.includes(provider.name) && !active.includes('sandbox')) continue;
    provider.receipts?.(http, receiptDeps(app, provider, recorders[provider.channel]));
  }
}
