import { sql } from 'kysely';
import type { Db, Tx } from '../../platform/db/database.ts';
import type { TemplateVariant } from './languages.ts';

/** Inserts the texts of a version that has just been created. */
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

/**
 * Adds an audit entry for the texts in other languages that differ from the previous version. The trigger's entry only has the columns of
 * the template itself. Like triggers, this records only changes by people and admin clients.
 */
export async function recordChangedVariants(tx: Tx, templateIds: readonly string[]): Promise<void> {
  const ofVersion = (version: ReturnType<typeof sql>) =>
    sql`(select language, concat_ws(E'\n\n', subject, content) as text from template_variants
      where template_id = template.id and version = ${version})`;
  const texts = (of: 'former' | 'present') =>
    sql`jsonb_object_agg('text_' || language, audited_value('text', to_jsonb(${sql.ref(`${of}.text`)}), '{}'))`;
  await sql`
    select add_audit_entry('update', 'template', template.id::text, template.service_id, null, changed.before, changed.after)
    from templates template
    cross join lateral (
      select ${texts('former')} as before, ${texts('present')} as after
      from ${ofVersion(sql`template.version - 1`)} as former
      full join ${ofVersion(sql`template.version`)} as present using (language)
      where former.text is distinct from present.text
    ) as changed
    where template.id = any (${templateIds}::uuid[]) and changed.before is not null
      and coalesce(current_setting('pennypost.actor', true), '') <> ''`.execute(tx);
}

/** Copies the texts of the previous version to the new one. */
export async function copyVariants(tx: Tx, templateIds: readonly string[]): Promise<void> {
  await sql`
    insert into template_variants (template_id, version, language, subject, content, seeded)
    select template.id, template.version, before.language, before.subject, before.content, before.seeded
    from templates template
    join template_variants before on before.template_id = template.id and before.version = template.version - 1
    where template.id = any (${templateIds}::uuid[])`.execute(tx);
}

/** Returns the texts of the newest version in language order; undefined if somebody changed or removed a seeded one. */
export async function selectSeededVariants(tx: Tx, templateId: string): Promise<TemplateVariant[] | undefined> {
  const rows = await tx
    .selectFrom('template_variants as variant')
    .innerJoin('templates as template', 'template.id', 'variant.template_id')
    .where('template.id', '=', templateId)
    .select(['variant.language', 'variant.subject', 'variant.content', 'variant.seeded'])
    .select(sql<boolean>`variant.version = template.version`.as('newest'))
    .orderBy(sql`variant.language collate "C"`)
    .execute();
  const newest = rows.filter((row) => row.newest);
  const isChanged = newest.some(({ seeded }) => !seeded) || (rows.length > 0 && newest.length === 0);
  return isChanged ? undefined : newest.map(({ language, subject, content }) => ({ language, subject, content }));
}

/** Marks the texts of the newest version as seeded: the next release may replace them until somebody changes one. */
export async function markVariantsSeeded(tx: Tx, templateId: string): Promise<void> {
  await sql`
    update template_variants variant set seeded = true from templates template
    where template.id = ${templateId} and variant.template_id = template.id and variant.version = template.version`.execute(
    tx,
  );
}
