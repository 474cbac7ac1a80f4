import type { ApiCaller } from '../../auth/api-caller.ts';
import { type Db, inTransaction, type Tx } from '../../platform/db/database.ts';
import { Failure, invalid } from '../../platform/failure.ts';
import type { Platform } from '../../platform/platform.ts';
import { moveTemplates } from '../folders/template-folders.sql.ts';
import type { CurrentTemplateRow } from '../template-row.ts';
import { updateWholeTemplate } from '../template-update.ts';
import { selectServiceName } from '../templates.sql.ts';
import { createTemplateIn, getTemplate, refuseUnlessFolderExists } from '../templates.ts';
import { categoryFields } from './template-categories.ts';

/** The length of the column. */
const maxName = 255;

export interface ManagedTemplate {
  row: CurrentTemplateRow;
  service_name: string;
}

interface NewManagedTemplate {
  name: string;
  template_type: 'sms' | 'email';
  content: string;
  template_category_id: string;
  subject?: string;
  parent_folder_id?: string | null;
}

type ManagedChange = Partial<Omit<NewManagedTemplate, 'template_type'>>;

export function refuseUnlessTemplateManager({ manage_templates }: ApiCaller): void {
  if (manage_templates) return;
  throw new Failure('forbidden', 'ForbiddenError', 'This API key does not have permission to manage templates.');
}

/** Finds archived templates too. */
export async function getManagedTemplate(db: Db, { service_id }: ApiCaller, id: string): Promise<ManagedTemplate> {
  return managed(db, await getTemplate(db, service_id, id));
}

export function createManagedTemplate(
  app: Platform,
  { service_id }: ApiCaller,
  request: NewManagedTemplate,
  created_by: string,
): Promise<ManagedTemplate> {
  return withPlainTexts(app, async (tx) => {
    const { template_category_id, parent_folder_id, ...fields } = request;
    const category = categoryFields(template_category_id);
    refuseLongName(request);
    const parent = parent_folder_id ? { parent_folder_id } : {};
    const made = { country: app.country, now: app.clock.now() };
    return createTemplateIn(tx, service_id, { ...fields, ...category, ...parent, created_by }, made);
  });
}

export function updateManagedTemplate(
  app: Platform,
  { service_id }: ApiCaller,
  id: string,
  request: ManagedChange,
  created_by: string,
): Promise<ManagedTemplate> {
  return withPlainTexts(app, async (tx) => {
    const { template_category_id, parent_folder_id, ...fields } = request;
    await getTemplate(tx, service_id, id);
    const category = template_category_id === undefined ? {} : categoryFields(template_category_id);
    refuseLongName(request);
    if (parent_folder_id !== undefined) await refuseUnlessFolderExists(tx, service_id, parent_folder_id);
    await updateWholeTemplate(
      tx,
      service_id,
      id,
      { ...fields, ...category, created_by },
      { country: app.country, now: app.clock.now() },
    );
    if (parent_folder_id !== undefined) await moveTemplates(tx, [id], parent_folder_id);
    return getTemplate(tx, service_id, id);
  });
}

export function archiveManagedTemplate(
  app: Platform,
  { service_id }: ApiCaller,
  id: string,
  created_by: string,
): Promise<ManagedTemplate> {
  return withPlainTexts(app, async (tx) => {
    const { archived } = await getTemplate(tx, service_id, id);
    if (archived) throw invalid('Template is already archived.');
    return updateWholeTemplate(
      tx,
      service_id,
      id,
      { archived: true, created_by },
      { country: app.country, now: app.clock.now() },
    );
  });
}

function refuseLongName({ name }: { name?: string }): void {
  // The message is GC Notify's, which also allows 255.
  if (name !== undefined && name.length > maxName) throw invalid('Template name must be less than 255 characters');
}

async function managed(db: Db | Tx, row: CurrentTemplateRow): Promise<ManagedTemplate> {
  return { row, service_name: await selectServiceName(db, row.service) };
}

/** Converts errors of fields into plain messages without field names, as GC Notify responds. */
async function withPlainTexts(
  { db }: Platform,
  work: (tx: Tx) => Promise<CurrentTemplateRow>,
): Promise<ManagedTemplate> {
  try {
    return await inTransaction(db, async (tx) => managed(tx, await work(tx)));
  } catch (error) {
    if (!(error instanceof Failure) || typeof error.detail === 'string') throw error;
    const text = Object.values(error.detail).flat().join('; ');
    throw new Failure(error.kind, 'BadRequestError', text, { cause: error });
  }
}
