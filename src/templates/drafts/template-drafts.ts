import { day_ms, earlier, timestamp } from '../../platform/clock.ts';
import { inTransaction } from '../../platform/db/database.ts';
import { notFound } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import {
  type DraftRow,
  deleteDraft,
  deleteDraftsBefore,
  deleteDraftsBeyond,
  selectDraft,
  selectNewestDraft,
  upsertDraft,
} from './template-drafts.sql.ts';

export type StoredDraft = DraftRow;

const maxDraftsOfPerson = 20;
const retentionDays = 7;

/** Only the person who writes a draft changes it. */
export async function keepDraft(app: Platform, draft: Omit<DraftRow, 'updated_at'>): Promise<void> {
  await inTransaction(app.db, async (tx) => {
    const isStored = await upsertDraft(tx, { ...draft, updated_at: timestamp(app.clock.now()) });
    if (!isStored) throw notFound();
    await deleteDraftsBeyond(tx, draft.user_id, maxDraftsOfPerson);
  });
}

export async function getDraft({ db }: Platform, which: { id: string; service_id: string }): Promise<StoredDraft> {
  const draft = await selectDraft(db, which);
  if (!draft) throw notFound();
  return draft;
}

/** The newest that a person has of a template. */
export const findDraftOf = ({ db }: Platform, which: { service_id: string; user_id: string; template_id: string }) =>
  selectNewestDraft(db, which);

export const discardDraft = ({ db }: Platform, which: { id: string; user_id: string }) => deleteDraft(db, which);

export async function deleteOldDrafts({ db, clock }: Platform): Promise<void> {
  await deleteDraftsBefore(db, timestamp(earlier(clock.now(), retentionDays * day_ms)));
}
