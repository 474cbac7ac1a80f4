import type { ApiCaller } from '../../auth/api-caller.ts';
import { t } from '../../language/text.ts';
import { Failure, invalid, notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import type { Files } from '../../platform/storage/files.ts';
import type { Channel } from '../../protocol/channels.ts';
import type { CompiledTemplates } from '../../templates/compiled-templates.ts';
import type { Status } from '../notification.ts';
import { letterFiles } from '../tasks-for-others.ts';
import { listNotifications } from './list-notifications.ts';
import {
  costOf,
  matchingStatuses,
  type PublicNotification,
  publicNotification,
  type statusesForGc,
} from './public-notification.ts';
import { selectNotification, selectPricedNotifications } from './stored-notifications.sql.ts';

type Deps = Platform & { compiledTemplates: CompiledTemplates };

const pageSize = 250;

/** Any key of a service may read any of its notifications. */
export async function getPublicNotification(
  app: Deps,
  caller: ApiCaller,
  notificationId: string,
  root: string,
): Promise<PublicNotification> {
  const stored = await selectNotification(app.db, caller.service_id, notificationId);
  if (!stored) throw notFound();
  return publicNotification(app, stored, root);
}

export interface PublicFilter {
  reference?: string;
  status?: (typeof statusesForGc)[number][];
  template_type?: Channel[];
  include_jobs?: string;
  older_than?: string;
}

/** Whether the list may have to scan many messages. The newest ones, and those with a reference, are found at once. */
export function isSearch({ status, template_type, older_than }: PublicFilter): boolean {
  return status !== undefined || template_type !== undefined || older_than !== undefined;
}

/** Lists only notifications sent with keys of the caller's type; those of jobs only on request. */
export async function listPublicNotifications(
  app: Deps,
  caller: ApiCaller,
  filter: PublicFilter,
  root: string,
): Promise<PublicNotification[]> {
  const { ids } = await listNotifications(
    app,
    caller.service_id,
    {
      key_types: [caller.key_type],
      client_reference: filter.reference,
      statuses: filter.status?.length ? filter.status.flatMap(matchingStatuses) : undefined,
      types: filter.template_type?.length ? filter.template_type : undefined,
      without_jobs: filter.include_jobs?.toLowerCase() !== 'true',
      older_than: filter.older_than,
    },
    { size: pageSize },
  );
  const rows = await selectPricedNotifications(app.db, ids);
  return Promise.all(rows.map((stored) => publicNotification(app, stored, root)));
}

/** What messages cost, by id, in the currency of the country. Undefined until it is known, and without a price. */
export async function listCosts({ db, country }: Platform, ids: string[]): Promise<Map<string, number | undefined>> {
  const rows = await selectPricedNotifications(db, ids);
  return new Map(
    rows.map((stored) => {
      const { cost_in_pounds, price_known = true } = costOf(country, stored);
      return [stored.id, price_known ? (cost_in_pounds ?? undefined) : undefined];
    }),
  );
}

/** Returns the printable PDF, even of a cancelled letter or one that failed validation. */
export async function getLetterPdf(app: Platform, caller: ApiCaller, notificationId: string): Promise<Buffer> {
  const letter = await selectNotification(app.db, caller.service_id, notificationId);
  if (!letter) throw notFound();
  if (letter.notification_type !== 'letter') throw invalid(t('Notification is not a letter'));
  if (letter.status === 'technical-failure') {
    throw invalid('PDF not available for letters in status technical-failure');
  }
  return readLetterPdf(app.files, letter);
}

/** Returns an upload only after its virus scan. */
export async function readLetterPdf(files: Files, { id, status }: { id: string; status: Status }): Promise<Buffer> {
  if (status === 'virus-scan-failed') throw invalid('File did not pass the virus scan');
  const pdf =
    status === 'pending-virus-check'
      ? undefined
      : ((await files.get(letterFiles.finished(id))) ?? (await files.get(letterFiles.uploaded(id))));
  if (!pdf) throw new Failure('invalid', 'PDFNotReadyError', 'PDF not available yet, try again later');
  return pdf;
}
