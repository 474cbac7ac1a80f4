import { addDays } from '../../countries/calendar.ts';
import { forApi, t } from '../../language/text.ts';
import { timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { refuseUnlessExists, selectUnknownIds } from '../../platform/db/exists.ts';
import { invalid, invalidField, notFound } from '../../platform/failure.ts';
import { newId } from '../../platform/id.ts';
import type { Platform } from '../../platform/platform.ts';
import { withoutHiddenCharacters } from '../../protocol/hidden-characters.ts';
import { defaultRetentionDays, listRetentions } from '../../services/settings/data-retention.ts';
import { readLanguage, templateLanguages } from '../../templates/languages/languages.ts';
import { originalLines } from '../reports/job-report.ts';
import { problemsOf } from '../uploads/upload-record.ts';
import { deleteUpload, refuseUsedId, selectUpload, type UploadRow } from '../uploads/uploads.sql.ts';
import { getService, getUpload, type UploadDeps } from '../uploads/uploads.ts';
import {
  archiveContactList,
  type ContactListRow,
  copyAsUpload,
  insertContactList,
  markUploadSaved,
  selectContactLists,
} from './contact-lists.sql.ts';

export async function listContactLists(app: Platform, serviceId: string): Promise<ContactListRow[]> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  return selectContactLists(app.db, serviceId, await recentSince(app, serviceId));
}

export async function getContactList(app: Platform, serviceId: string, id: string): Promise<ContactListRow> {
  await refuseUnlessExists(app.db, 'services', serviceId);
  const [list] = await selectContactLists(app.db, serviceId, await recentSince(app, serviceId), id);
  if (!list) throw notFound();
  return list;
}

/** Jobs are recent while their messages are kept. */
async function recentSince({ db, clock, country: { calendar } }: Platform, serviceId: string) {
  const rules = await listRetentions(db, serviceId);
  const since = (type: 'sms' | 'email') => {
    const days = rules.find(({ notification_type }) => notification_type === type)?.days_of_retention;
    return timestamp(calendar.start(addDays(calendar.day(clock.now()), -(days ?? defaultRetentionDays))));
  };
  return { sms: since('sms'), email: since('email') };
}

interface NewContactList {
  /** The id of the upload. */
  id: string;
  original_file_name: string;
  template_type: 'sms' | 'email';
  /** The language of the people on the list. */
  language?: string | undefined;
  created_by: string;
}

/** Saves an upload that was checked as a contact list. Counts its rows itself and ignores the number in the request. */
export async function saveContactList(
  app: UploadDeps,
  serviceId: string,
  request: NewContactList,
): Promise<ContactListRow> {
  const service = await getService(app, serviceId);
  const [unknown] = await selectUnknownIds(app.db, [{ field: 'created_by', table: 'users', id: request.created_by }]);
  if (unknown) throw invalidField(unknown, 'No result found');
  const upload = await getUpload(app, service.id, request.id);
  if (upload.state === 'saved') throw invalid(t('This upload has already been saved'));
  const problems = await problemsOf(app, service, upload);
  if (!upload.is_contact_list || upload.summary === null || problems.length > 0) {
    throw invalid(
      forApi(
        "File is not valid, can't create contact list",
        t('This file cannot be saved as a list. Fix it and upload it again.'),
      ),
    );
  }
  if (upload.summary.channel !== request.template_type) {
    throw invalidField('template_type', `The file has recipients of the type ${upload.summary.channel}`);
  }
  await inTransaction(app.db, async (tx) => {
    if (!(await markUploadSaved(tx, upload.id))) throw invalid('This upload has already been saved');
    await insertContactList(tx, {
      id: upload.id,
      service_id: service.id,
      original_file_name: withoutHiddenCharacters(request.original_file_name),
      row_count: upload.row_count,
      template_type: request.template_type,
      language: service.permissions.has(templateLanguages) ? (readLanguage(request.language ?? '') ?? null) : null,
      created_by_id: request.created_by,
      created_at: timestamp(app.clock.now()),
    });
  });
  return getContactList(app, service.id, upload.id);
}

/** Deletes the list and its rows. Jobs that were created from it stay. */
export async function deleteContactList({ db, clock }: Platform, serviceId: string, id: string): Promise<void> {
  await inTransaction(db, async (tx) => {
    if (!(await archiveContactList(tx, serviceId, id, timestamp(clock.now())))) throw notFound();
    await deleteUpload(tx, id, 'saved');
  });
}

/** Returns the list as it was uploaded, as CSV. */
export async function originalOfContactList(app: Platform, serviceId: string, id: string) {
  const list = await getContactList(app, serviceId, id);
  const upload = await selectUpload(app.db, serviceId, id);
  if (!upload) throw notFound();
  const name = `${list.original_file_name.replace(/\.[^.]*$/, '')}.csv`;
  return { name, parts: originalLines(app.db, id, upload.header.names) };
}

/** Creates an upload with the rows of a list. It is checked like any other upload. */
export async function copyContactList(
  app: Platform,
  serviceId: string,
  contact_list_id: string,
  chosenId?: string,
): Promise<UploadRow> {
  await getContactList(app, serviceId, contact_list_id);
  await refuseUsedId(app.db, chosenId);
  const now = app.clock.now();
  const id = chosenId ?? newId(now);
  await inTransaction(app.db, async (tx) => {
    if (!(await copyAsUpload(tx, { id, contact_list_id, created_at: timestamp(now) }))) throw notFound();
  });
  const upload = await selectUpload(app.db, serviceId, id);
  if (!upload) throw notFound();
  return upload;
}
