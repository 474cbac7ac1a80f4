import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { TemplateVariant } from './languages.ts';

/** The texts of a version that has just been created. */
export async function insertVariants(
  tx: Db | Tx,
  { id, version }: { id: string; version: number },
  variants: readonly TemplateVariant[],
): Promise<void> {
  if (variants.length === 0) return;
  const rows = variants.map(({ language, subject, content }) => ({
    ...{ template_id: id, version, language, subject, content },
  }));
  await tx.insertInto('template_variants').values(rows).execute();
}

/** The next version of a template keeps the texts of the one before. */
export async function copyVariants(tx: Tx, templateIds: readonly string[]): Promise<void> {
  await sql`
    insert into template_variants (template_id, version, language, subject, content)
    select template.id, template.version, before.language, before.subject, before.content
    from templates template
    join template_variants before on before.template_id = template.id and before.version = template.version - 1
    where template.id = any (${templateIds}::uuid[])`.execute(tx);
}
