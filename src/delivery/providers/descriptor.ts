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
  /** The name in SMS_PROVIDERS or EMAIL_PROVIDERS, and in the paths of its webhooks. */
  name: string;
  /** The initial row in `provider_details`. Operators and failover change it later. */
  details: ProviderDefaults;
  settings: S;
  /** Settings that must be set if the provider is active. */
  required?: (keyof S & string)[];
  /** Settings that must be set together or not at all, even if the provider is not active. */
  together?: (keyof S & string)[];
  /** Returns further problems of its settings if the provider is active. A setting that could not be read is undefined. */
  problems?(settings: Partial<Values<S>>): string[];
  open(app: ProviderDeps<S>): Provider<Message>;
  /** Declares its receipt webhooks, which authenticate the provider's requests. Omitted if the provider sends no receipts. */
  receipts?(http: Http, app: ReceiptDeps<S>): void;
  /** Creates receivers of reports that do not arrive by webhook, as the settings say. */
  receivers?(app: ReceiverDeps<S>): ReportReceiver[];
  /** Checks what its receivers need, by receiver name. Each check throws, with advice, and changes nothing. */
  receiverChecks?(settings: Values<S>): { name: string; check(): Promise<void> }[];
  /** A message without a report counts as delivered this long after it was handed over. Omitted or undefined: never. */
  deliveredAfter_ms?(settings: Values<S>): number | undefined;
  /** The file name of its guide in docs/guides/providers, without extension. */
  guide?: string;
  /** What to check when most of its receipts match no message, such as the receipt format setting. */
  receiptAdvice?: Text;
  /** Handles again an event that was passed to `retryUnmatched`. */
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
  /** Declares its webhook for inbound texts, which authenticates the provider's requests. */
  inbound?(http: Http, app: InboundDeps<S>): void;
}

export interface EmailDescriptor<S extends Settings = Settings> extends Descriptor<S, EmailMessage> {
  channel: 'email';
  domains?: DomainSupport<S>;
}

/** How a provider sends from domains other than the installation's. Omitted: it cannot. */
type DomainSupport<S extends Settings = Settings> =
  /** It accepts emails that are signed here, or signs what it relays. */
  | { kind: 'signed-here'; mailServer(settings: Values<S>): MailServerFacts }
  /** It has the keys. `lookUp` asks it which records to publish, if it has an API for that. */
  | { kind: 'has-keys'; lookUp?(app: ProviderDeps<S>, name: string): Promise<DomainAtProvider | undefined> }
  /** It sends nothing, so any domain is accepted. */
  | { kind: 'any' };

export type ProviderDescriptor = SmsDescriptor | EmailDescriptor;

interface ProviderConfig<S extends Settings> {
  /** The values of the provider's own settings. */
  settings: Values<S>;
  /** The settings of the platform and of delivery that providers may use. */
  config: { urls: Urls; storage: StorageSettings; delivery: DeliverySettings; sms: ReceiptSettings };
}

export type ProviderDeps<S extends Settings = Settings> = Pick<Platform, 'db' | 'clock' | 'log' | 'secrets'> &
  ProviderConfig<S>;

export type ReceiptDeps<S extends Settings = Settings> = Omit<ProviderDeps<S>, 'db'> &
  Pick<Reports, 'recordReceipt' | 'recordComplaint' | 'retryUnmatched'>;

export type ReceiverDeps<S extends Settings = Settings> = ReceiptDeps<S> & {
  /** Counts received reports in the metrics, by kind. */
  countReport(kind: string): void;
};

export type InboundDeps<S extends Settings = Settings> = Pick<Platform, 'clock'> &
  ProviderConfig<S> &
  Pick<Reports, 'receiveText'>;
