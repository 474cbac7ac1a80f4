import type { OptOutSettings } from '../../inbound/opt-outs/settings.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { ProviderDescriptor } from '../providers/descriptor.ts';
import { type ProvidersConfig, settingsOf } from '../providers/settings.ts';
import { textReceiver } from './inbound-hooks.ts';

interface Deps extends Platform {
  config: ProvidersConfig & { optOuts: OptOutSettings };
  providers: readonly ProviderDescriptor[];
}

/** Webhooks where the gateways deliver inbound texts, even those that send no messages for us. */
export function inboundHookRoutes(http: Http, app: Deps): void {
  for (const provider of app.providers) {
    if (provider.channel !== 'sms') continue;
    provider.inbound?.(http, {
      clock: app.clock,
      config: app.config,
      settings: settingsOf(app.config, provider),
      receiveText: textReceiver(app, provider.name),
    });
  }
}
