import type { Text } from '../../language/text.ts';
import type { Http } from '../../platform/http/surface.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Settings, Values } from '../../platform/setting-groups.ts';
import type { StorageSettings, Urls } from '../../platform/settings.ts';
import type { DomainAtProvider, MailServerFacts } from '../../sending-domains/domain-providers.ts';
import type { DeliverySettings, ReceiptSettings } from '../settings.ts';
import type { EmailMessage, Provider, TextMessage } from './provider.ts';
import type { ReportReceiver, Reports } from './reports.ts';

/** Everything about one provider. The list in providers.ts is all that the rest of the product knows about them. */
interface Descriptor<S extends Settings, Message> {
  /** As in SMS_PROVIDERS or EMAIL_PROVIDERS, and in the paths of its webhooks. */
  name: string;
  /** Its first row in `provider_details`, which operators and failover change later. */
  details: ProviderDefaults;
  settings: S;
  /** Settings that must be set if the provider is active. */
  required?: (keyof S & string)[];
  /** Settings that must be set together or not at all, even if the provider is not active. */
  together?: (keyof S & string)[];
  /** Further problems of its settings if the provider is active. A setting that could not be read is undefined. */
  problems?(settings: Partial<Values<S>>): string[];
  open(app: ProviderDeps<S>): Provider<Message>;
  /** Declares its receipt webhooks, which authenticate its requests. Omitted if the provider sends no receipts. */
  receipts?(http: Http, app: ReceiptDeps<S>): void;
  /** What receives its reports in another way than by webhook, if its settings say so. */
  receivers?(app: ReceiverDeps<S>): ReportReceiver[];
  /** Checks of what its receivers need, by the name of the receiver. Each throws, with advice, and changes nothing. */
  receiverChecks?(settings: Values<S>): { name: string; check(): Promise<void> }[];
  /** How long after it was handed over a message without a report counts as delivered. Omitted or undefined: never. */
  deliveredAfter_ms?(settings: Values<S>): number | undefined;
  /** Its guide in docs/guides/providers, without the ending of the file. */
  guide?: string;
  /** What to check when most of its receipts match no message, such as the setting of their format. */
  receiptAdvice?: Text;
  /** Handles an event again that was passed to `retryUnmatched`. */
  retryReceipt?(app: ReceiptDeps<S>, event: object): Promise<void>;
}

interface ProviderDefaults {
  id: string;
  display_name: string;
  /** Its weight in the random choice between the active providers of a channel, 0 to 100. */
  priority: number;
  supports_international: boolean;
}

export interface SmsDescriptor<S extends Settings = Settings> extends Descriptor<S, TextMessage> {
  channel: 'sms';
  /** Declares its webhook for inbound texts, which authenticates its requests. */
  inbound?(http: Http, app: InboundDeps<S>): void;
}

export interface EmailDescriptor<S extends Settings = Settings> extends Descriptor<S, EmailMessage> {
  channel: 'email';
  domains?: DomainSupport<S>;
}

/** How a provider sends from other domains than that of the installation. Omitted: it does not. */
type DomainSupport<S extends Settings = Settings> =
  /** It takes emails that are signed here, or signs what it passes on. */
  | { kind: 'signed-here'; mailServer(settings: Values<S>): MailServerFacts }
  /** It has the keys, and says what to publish, if it can be asked. */
  | { kind: 'has-keys'; lookUp?(app: ProviderDeps<S>, name: string): Promise<DomainAtProvider | undefined> }
  /** It sends nothing, so any domain will do. */
  | { kind: 'any' };

export type ProviderDescriptor = SmsDescriptor | EmailDescriptor;

interface ProviderConfig<S extends Settings> {
  /** The values of its own settings. */
  settings: Values<S>;
  /** The settings of the platform and of delivery that it may use. */
  config: { urls: Urls; storage: StorageSettings; delivery: DeliverySettings; sms: ReceiptSettings };
}

export type ProviderDeps<S extends Settings = Settings> = Pick<Platform, 'db' | 'clock' | 'log' | 'secrets'> &
  ProviderConfig<S>;

export type ReceiptDeps<S extends Settings = Settings> = Omit<ProviderDeps<S>, 'db'> &
  Pick<Reports, 'recordReceipt' | 'recordComplaint' | 'retryUnmatched'>;

export type ReceiverDeps<S extends Settings = Settings> = ReceiptDeps<S> & {
  /** For the metrics: what was received. */
  countReport(kind: string): void;
};

export type InboundDeps<S extends Settings = Settings> = Pick<Platform, 'clock'> &
  ProviderConfig<S> &
  Pick<Reports, 'receiveText'>;
