import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { findComplaintsAbout } from '../../complaints/complaints.ts';
import { findCallbacksAbout } from '../../delivery/callbacks/callback-history.ts';
import { findDocumentsOf } from '../../documents/documents.ts';
import { findInboundTextsOf } from '../../inbound/inbound-texts.ts';
import { findOptOutsOf } from '../../inbound/opt-outs/opt-outs.ts';
import { findFileRowsOf } from '../../jobs/uploads/erase-rows.ts';
import { t } from '../../language/text.ts';
import { findMessagesOf } from '../../notifications/erasure/erase-messages.ts';
import { getShownMessage } from '../../notifications/history/shown-message.ts';
import { findPlanMessagesOf } from '../../plans/message-recipients.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import { invalidField } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { parseEmailAddress, spellingsOf } from '../../recipients/email-address.ts';
import { parsePhoneNumber } from '../../recipients/phone-number.ts';
import {
  addressParts,
  comparablePart,
  type RecipientSearch,
  type RecipientToFind,
} from '../../recipients/recipient.ts';
import { getService } from '../../services/services.ts';
import { findGuests } from '../../services/settings/guest-list.ts';
import { findSuppressionsOf } from '../../services/suppression/suppression-list.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { findUnsubscribeRequestsOf } from '../../unsubscribe/unsubscribe-reports.ts';

/** Enough for an email address, or for seven lines of a postal address. */
export const maxRecipientLength = 1_000;

/** Fewer parts of an address could match everybody in a street, or with a name. */
const minParts = 2;

/** Normalises an email address or phone number; anything else is a postal address. */
export function readRecipient({ country }: Pick<Platform, 'country'>, input: string): RecipientToFind {
  const email = parseEmailAddress(input);
  if (email.ok) return { contact: spellingsOf(email.address)[0] };
  const phone = parsePhoneNumber(country.phone, input);
  if (phone.ok) return { contact: phone.number.normalised };
  const address = addressParts(country, input);
  const isAddress = address.length >= minParts && !input.includes('@') && address.some((part) => /\d/.test(part));
  if (isAddress && comparablePart(address) !== '') return { address, country };
  throw invalidField(
    'recipient',
    t('Not a valid email address or phone number. For letters, give the name and the postcode on separate lines.'),
  );
}

/** The same recipient as records may have it: an international domain has two spellings. */
export function everySpelling(who: RecipientToFind): RecipientToFind[] {
  return 'contact' in who ? spellingsOf(who.contact).map((contact) => ({ contact })) : [who];
}

/**
 * Identifies the recipient in the audit log without revealing who it is: equal recipients have equal keys, which are useless without the
 * secret key.
 */
export function recipientKey({ secrets }: Platform, who: RecipientToFind): string {
  const text = 'contact' in who ? who.contact : [...who.address].sort().join('\n');
  return secrets.digest('audit:recipient', text);
}

/** The kinds of records that may contain data about a recipient. */
export const heldKinds = [
  'notification',
  'plan_message',
  'inbound_text',
  'file_row',
  'contact_list_row',
  'document',
  'unsubscribe_request',
  'suppressed_recipient',
  'opted_out_number',
  'complaint',
  'guest_list',
  'callback',
] as const;
type HeldKind = (typeof heldKinds)[number];

/** A record with data about a recipient. */
interface HeldRecord {
  kind: HeldKind;
  service_id: string;
  data(): object | Promise<object>;
}

type HeldCounts = Record<HeldKind, number>;

export interface Held {
  total: HeldCounts;
  services: { service_id: string; service_name: string; counts: HeldCounts }[];
}

type Deps = Platform & { compiledTemplates: CompiledTemplates; config: { urls: Urls } };

/** Counts the data about a recipient, in one service or in all. The audit log records who searched. */
export async function findRecipient(app: Deps, input: string, serviceId?: string): Promise<Held> {
  const search = await readSearch(app, input, serviceId);
  const byService = new Map<string, HeldCounts>();
  const total = noCounts();
  for await (const { kind, service_id } of heldRecords(app, search)) {
    const counts = byService.get(service_id) ?? noCounts();
    counts[kind] += 1;
    total[kind] += 1;
    byService.set(service_id, counts);
  }
  await recordAccess(app, 'find', search, total);
  const services = await Promise.all(
    [...byService].map(async ([service_id, counts]) => {
      const { name } = await getService(app.db, service_id);
      return { service_id, service_name: name, counts };
    }),
  );
  return { total, services: services.sort((a, b) => a.service_name.localeCompare(b.service_name, 'en')) };
}

/** Exports all data about a recipient as JSON, generated while it is sent. */
export async function exportRecipient(app: Deps, input: string, serviceId?: string): Promise<AsyncGenerator<string>> {
  const search = await readSearch(app, input, serviceId);
  await recordAccess(app, 'export', search);
  return jsonOf(app, search);
}

async function* jsonOf(app: Deps, search: RecipientSearch): AsyncGenerator<string> {
  yield '[';
  let separator = '\n';
  for await (const { kind, service_id, data } of heldRecords(app, search)) {
    yield `${separator}${JSON.stringify({ kind, service_id, ...(await data()) })}`;
    separator = ',\n';
  }
  yield '\n]\n';
}

async function* heldRecords(app: Deps, { who, serviceId }: RecipientSearch): AsyncGenerator<HeldRecord> {
  for (const spelling of everySpelling(who)) yield* recordsOf(app, { who: spelling, serviceId });
}

async function* recordsOf(app: Deps, search: RecipientSearch): AsyncGenerator<HeldRecord> {
  const { db } = app;
  const { phone } = app.country;
  const { who, serviceId } = search;
  const messages: string[] = [];
  const planned: string[] = [];
  for await (const batch of findMessagesOf(db, search)) {
    for (const { id, service_id } of batch) {
      messages.push(id);
      yield { kind: 'notification', service_id, data: () => exportedMessage(app, service_id, id) };
    }
  }
  for await (const { message, content } of findPlanMessagesOf(app, search)) {
    const { encrypted_content: _, ...shown } = message;
    planned.push(message.id);
    yield record('plan_message', { ...shown, ...content });
  }
  const recipient = 'contact' in who ? who.contact : undefined;
  const texts = recipient === undefined ? [] : await findInboundTextsOf(db, recipient, serviceId);
  for (const text of texts) yield record('inbound_text', text);
  for await (const rows of findFileRowsOf(db, phone, search)) {
    for (const { is_contact_list, ...row } of rows)
      yield record(is_contact_list ? 'contact_list_row' : 'file_row', row);
  }
  if (recipient !== undefined) yield* recordsOfContact(app, recipient, serviceId);
  for (const complaint of await findComplaintsAbout(db, messages)) yield record('complaint', complaint);
  const subjects = new Set([...messages, ...planned, ...texts.map(({ id }) => id)]);
  for await (const callbacks of findCallbacksAbout(db, phone, { recipient, serviceId, subjects })) {
    for (const callback of callbacks) yield record('callback', callback);
  }
}

async function* recordsOfContact(
  app: Deps,
  recipient: string,
  serviceId: string | undefined,
): AsyncGenerator<HeldRecord> {
  const { db } = app;
  if (recipient.includes('@')) {
    for (const { shared_path: _, ...document } of await findDocumentsOf(app, recipient, serviceId)) {
      yield record('document', document);
    }
    const requests = await findUnsubscribeRequestsOf(db, { emailAddress: recipient, serviceId });
    for (const request of requests) yield record('unsubscribe_request', request);
    for (const entry of await findSuppressionsOf(db, recipient, serviceId)) yield record('suppressed_recipient', entry);
  }
  for (const entry of await findOptOutsOf(db, recipient, serviceId)) yield record('opted_out_number', entry);
  for (const guest of await findGuests(db, app.country.phone, recipient, serviceId)) yield record('guest_list', guest);
}

function record(kind: HeldKind, { service_id, ...data }: { service_id: string }): HeldRecord {
  return { kind, service_id, data: () => data };
}

/** Returns the message with its text, as the API shows it to the service. */
async function exportedMessage(app: Deps, serviceId: string, id: string): Promise<object> {
  const { response, record } = await getShownMessage(app, serviceId, id, app.config.urls.api);
  return { ...response, personalisation: record.personalisation };
}

async function readSearch(app: Deps, input: string, serviceId: string | undefined): Promise<RecipientSearch> {
  const who = readRecipient(app, input);
  if (serviceId !== undefined) await refuseUnlessExists(app.db, 'services', serviceId);
  return { who, serviceId };
}

function recordAccess(
  app: Deps,
  action: 'find' | 'export',
  { who, serviceId }: RecipientSearch,
  after?: HeldCounts,
): Promise<void> {
  const entry = { action, noun: 'recipient', thing_id: recipientKey(app, who), service_id: serviceId } as const;
  return inTransaction(app.db, (tx) => recordAuditEntry(tx, { ...entry, ...(after ? { after } : {}) }));
}

function noCounts(): HeldCounts {
  return Object.fromEntries(heldKinds.map((kind) => [kind, 0])) as HeldCounts;
}
