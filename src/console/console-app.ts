import type { KeyUses } from '../auth/key-uses.ts';
import type { ServiceKeys } from '../auth/service-keys.ts';
import type { Config } from '../config.ts';
import type { ProviderDescriptor } from '../delivery/providers/descriptor.ts';
import type { SheetThreads } from '../jobs/uploads/sheet-threads.ts';
import type { UploadSlots } from '../jobs/uploads/upload-slots.ts';
import type { PdfThreads } from '../letters/pdf-threads.ts';
import type { RefusedRequests } from '../notifications/refused/refused-requests.ts';
import type { SendDeps } from '../notifications/sending/send-context.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import type { Platform } from '../platform/platform.ts';
import type { Allowances } from '../services/allowances.ts';
import type { AccountMessageSender } from '../users/account-messages/account-messages.ts';

/** What the pages use of the application. */
export type ConsoleApp = Platform &
  SendDeps & {
    config: Config;
    providers: readonly ProviderDescriptor[];
    bodyMemory: BodyMemory;
    pdfThreads: PdfThreads;
    sheetThreads: SheetThreads;
    uploadSlots: UploadSlots;
    accountMessages: AccountMessageSender;
    allowances: Allowances;
    serviceKeys: ServiceKeys;
    keyUses: KeyUses;
    refusedRequests: RefusedRequests;
  };
