import type { KeyUses } from '../auth/key-uses.ts';
import type { ServiceKeys } from '../auth/service-keys.ts';
import type { AuthSettings } from '../auth/settings.ts';
import type { EmailConfig } from '../delivery/compose-message.ts';
import type { ProviderDescriptor } from '../delivery/providers/descriptor.ts';
import type { SandboxSettings } from '../delivery/providers/sandbox.ts';
import type { DeliverySettings, DemoSettings } from '../delivery/settings.ts';
import type { InletSettings } from '../inlet/settings.ts';
import type { BulkSettings } from '../jobs/settings.ts';
import type { SheetThreads } from '../jobs/uploads/sheet-threads.ts';
import type { UploadSlots } from '../jobs/uploads/upload-slots.ts';
import type { PdfThreads } from '../letters/pdf-threads.ts';
import type { RefusedRequests } from '../notifications/refused/refused-requests.ts';
import type { GuardSettings } from '../notifications/settings.ts';
import type { DoctorConfig } from '../operations/doctor/doctor.ts';
import type { RetentionSettings } from '../operations/settings.ts';
import type { PlanDeps } from '../plans/message-callback.ts';
import type { BodyMemory } from '../platform/http/body/body-memory.ts';
import type { Platform } from '../platform/platform.ts';
import type { HttpSettings } from '../platform/settings.ts';
import type { FrontEndSettings, PublicApiSettings } from '../protocol/settings.ts';
import type { Resolver } from '../sending-domains/checks/resolver.ts';
import type { DomainProviders } from '../sending-domains/domain-providers.ts';
import type { SenderDomains } from '../sending-domains/sender-domains.ts';
import type { DomainSettings } from '../sending-domains/settings.ts';
import type { Allowances } from '../services/services.ts';
import type { CallbackSettings, TextSenderSettings } from '../services/settings.ts';
import type { TemplateSettings } from '../templates/settings.ts';
import type { AccountMessageSender } from '../users/account-messages/account-messages.ts';
import type { ConsoleSettings } from './settings.ts';

/** Almost all settings: pages show them to operators, and check them as `pennypost doctor` does. */
type ConsoleConfig = DoctorConfig &
  EmailConfig & {
    http: HttpSettings;
    api: PublicApiSettings;
    frontEnd: FrontEndSettings;
    console: ConsoleSettings;
    auth: AuthSettings;
    storage: RetentionSettings;
    sms: TextSenderSettings;
    templates: TemplateSettings;
    bulk: BulkSettings;
    guard: GuardSettings;
    callbacks: CallbackSettings;
    domains: DomainSettings;
    inlet: InletSettings;
    delivery: DeliverySettings;
    demo: DemoSettings;
    providers: { sandbox: SandboxSettings };
  };

/** The parts of the application that pages use. */
export type ConsoleApp = Platform &
  PlanDeps & {
    config: ConsoleConfig;
    providers: readonly ProviderDescriptor[];
    bodyMemory: BodyMemory;
    pdfThreads: PdfThreads;
    sheetThreads: SheetThreads;
    uploadSlots: UploadSlots;
    accountMessages: AccountMessageSender;
    domainProviders: DomainProviders;
    resolver: Resolver;
    senderDomains: SenderDomains;
    allowances: Allowances;
    serviceKeys: ServiceKeys;
    keyUses: KeyUses;
    refusedRequests: RefusedRequests;
  };
