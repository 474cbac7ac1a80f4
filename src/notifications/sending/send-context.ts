import type { CountAs } from '../../auth/api-caller.ts';
import type { KeyType } from '../../auth/api-keys.ts';
import type { EmailSettings } from '../../branding/settings.ts';
import type { FileSizes } from '../../documents/prepare-documents.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import type { VirusScanner } from '../../platform/storage/virus-scan.ts';
import type { CompiledTemplates, ReadyTemplate } from '../../templates/compiled-templates.ts';
import type { EmailThreads } from '../../templates/email-threads.ts';
import type { IdempotencyClaim } from './idempotency.ts';
import type { SendState } from './send-state.ts';
import type { SendingService } from './sending-service.ts';

/** Dependencies of sending. */
export type SendDeps = Platform & {
  config: { urls: Urls; email: EmailSettings };
  compiledTemplates: CompiledTemplates;
  virusScanner: VirusScanner;
  fileSizes: FileSizes;
  emailThreads: EmailThreads;
  sending: SendState;
};

/** The sender of a message and the time of the request. */
export interface SendContext {
  service: SendingService;
  key_type: KeyType;
  api_key_id: string | null;
  /** The user who sends it from the front end. */
  created_by_id: string | null;
  now: Date;
  /** Base URL of links in the response. */
  root: string;
  idempotency: IdempotencyClaim | undefined;
  /** Counts the message as several requests in the rate limit that admitted it. */
  countAs?: CountAs;
  /** Every rule is checked, and nothing is stored or sent. */
  only_check?: true;
  /** A template that no request can name: that of a test from the editor. */
  template?: ReadyTemplate;
}
