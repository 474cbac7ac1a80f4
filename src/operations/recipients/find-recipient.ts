import { recordAuditEntry } from '../../auth/audit-entry.ts';
import { findComplaintsAbout } from '../../complaints/complaints.ts';
import { findCallbacksAbout } from '../../delivery/callbacks/callback-history.ts';
import { findDocumentsOf } from '../../documents/documents.ts';
import { findInboundTextsOf } from '../../inbound/inbound-texts.ts';
import { findFileRowsOf } from '../../jobs/uploads/erase-rows.ts';
import { findMessagesOf } from '../../notifications/erasure/erase-messages.ts';
import { getShownMessage } from '../../notifications/history/shown-message.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists } from '../../platform/db/exists.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Urls } from '../../platform/settings.ts';
import { getService } from '../../services/services.ts';
import { findGuests } from '../../services/settings/guest-list.ts';
import { findSuppressionsOf } from '../../services/suppression/suppression-list.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import { findUnsubscribeRequestsOf } from '../../unsubscribe/unsubscribe-reports.ts';
import { readRecipient, recipientKey, type Sought } from './recipient-key.ts';

/** Where something about a recipient can be held. */
export const heldKinds = [
  'notification',
  'inbound_text',
  'file_row',
  'contact_list_row',
  'document',
  'unsubscribe_request',
  'suppressed_recipient',
  'complaint',
  'guest_list',
  'callback',
] as const;
type HeldKind = (typeof heldKinds)[number];

/** One thing that is held about a recipient. */
interface HeldRecord {
  kind: HeldKind;
  service_id: string;
  /** What is exported. */
  data(): object | Promise<object>;
}

export type HeldCounts = Record<HeldKind, number>;

export interface Held {
  total: HeldCounts;
  services: { service_id: string; service_name: string; counts: HeldCounts }[];
}

type Deps = Platform & { compiledTemplates: CompiledTemplates; config: { urls: Urls } };

/** Counts what is held about a recipient, of one service or of all; the audit log says who looked. */
export async function findRecipient(app: Deps, input: string, serviceId?: string): Promise<Held> {
  const sought = await readSought(app, input, serviceId);
  const byService = new Map<string, HeldCounts>();
  const total = noCounts();
  for await (const { kind, service_id } of heldRecords(app, sought)) {
    const counts = byService.get(service_id) ?? noCounts();
    counts[kind] += 1;
    total[kind] += 1;
    byService.set(service_id, counts);
  }
  await recordAccess(app, 'find', sought, total);
  const services = await Promise.all(
    [...byService].map(async ([service_id, counts]) => {
      const { name } = await getService(app.db, service_id);
      return { service_id, service_name: name, counts };
    }),
  );
  return { total, services: services.sort((a, b) => a.service_name.localeCompare(b.service_name, 'en')) };
}

/** Everything that is held, as JSON that is written while it is sent. */
export async function exportRecipient(app: Deps, input: string, serviceId?: string): Promise<AsyncGenerator<string>> {
  const sought = await readSought(app, input, serviceId);
  await recordAccess(app, 'export', sought);
  return jsonOf(app, sought);
}

async function* jsonOf(app: Deps, sought: Sought): AsyncGenerator<string> {
  yield '[';
  let separator = '\n';
  for await (const { kind, service_id, data } of heldRecords(app, sought)) {
    yield `${separator}${JSON.stringify({ kind, service_id, ...(await data()) })}`;
    separator = ',\n';
  }
  yield '\n]\n';
}

async function* heldRecords(app: Deps, sought: Sought): AsyncGenerator<HeldRecord> {
  const { db } = app;
  const { who, serviceId } = sought;
  const messages: string[] = [];
  for await (const batch of findMessagesOf(db, sought)) {
    for (const { id, service_id } of batch) {
      messages.push(id);
      yield { kind: 'notification', service_id, data: () => exportedMessage(app, service_id, id) };
    }
  }
  const recipient = 'contact' in who ? who.contact : undefined;
  const texts = recipient === undefined ? [] : await findInboundTextsOf(db, recipient, serviceId);
  for (const text of texts) yield record('inbound_text', text);
  for await (const rows of findFileRowsOf(db, sought)) {
    for (const { is_contact_list, ...row } of rows)
      yield record(is_contact_list ? 'contact_list_row' : 'file_row', row);
  }
  if (recipient !== undefined) yield* recordsOfContact(app, recipient, serviceId);
  for (const complaint of await findComplaintsAbout(db, messages)) yield record('complaint', complaint);
  const subjects = new Set([...messages, ...texts.map(({ id }) => id)]);
  for await (const callbacks of findCallbacksAbout(db, { recipient, serviceId, subjects })) {
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
  for (const guest of await findGuests(db, recipient, serviceId)) yield record('guest_list', guest);
}

function record(kind: HeldKind, { service_id, ...data }: { service_id: string }): HeldRecord {
  return { kind, service_id, data: () => data };
}

/** As the API shows it to the service, with its text. */
async function exportedMessage(app: Deps, serviceId: string, id: string): Promise<object> {
  const { response, record } = await getShownMessage(app, serviceId, id, app.config.urls.api);
  return { ...response, personalisation: record.personalisation };
}

async function readSought(app: Deps, input: string, serviceId: string | undefined): Promise<Sought> {
  const who = readRecipient(input);
  if (serviceId !== undefined) await refuseUnlessExists(app.db, 'services', serviceId);
  return { who, serviceId };
}

function recordAccess(
  app: Deps,
  action: 'find' | 'export',
  { who, serviceId }: Sought,
  after?: HeldCounts,
): Promise<void> {
  const entry = { action, noun: 'recipient', thing_id: recipientKey(app, who), service_id: serviceId } as const;
  return inTransaction(app.db, (tx) => recordAuditEntry(tx, { ...entry, ...(after ? { after } : {}) }));
}

function noCounts(): HeldCounts {
  return Object.fromEntries(heldKinds.map((kind) => [kind, 0])) as HeldCounts;
}
