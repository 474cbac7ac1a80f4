import { type RawBuilder, sql } from 'kysely';
import { postageSlots } from '../../countries/postage.ts';
import type { Tx } from '../../platform/db/database.ts';
import { letterKinds } from '../notification.ts';

/** The classes of letters that are counted, or still here and may be. */
export async function selectUsedClasses(tx: Tx): Promise<string[]> {
  const { rows } = await sql<{ postage: string }>`
    select postage from usage_counts where notification_type = 'letter'
    union
    select postage from notifications where notification_type = 'letter' and postage is not null
    order by 1`.execute(tx);
  return rows.map(({ postage }) => postage);
}

const slotCount = sql.lit(postageSlots);

/** Letters of all services by class and sheets, as usage reads them: from the totals, and what they do not contain yet. */
export async function selectLettersByClass(
  tx: Tx,
  slots: Readonly<Record<string, number>>,
): Promise<{ postage: string | null; sheets: number; letters: number }[]> {
  const { rows } = await sql<{ postage: string | null; sheets: number; letters: number }>`
    with classes as (
      select key as postage, value::integer as place from jsonb_each_text(${JSON.stringify(slots)}::jsonb)
    ), counted as (
      select of_kind.* from service_usage_spans
      cross join lateral unnest(letter_kinds, letter_counts) as of_kind (kind, number) where span = 'day'
      union all
      select of_kind.* from usage_not_folded
      cross join lateral unnest(letter_kinds, letter_counts) as of_kind (kind, number)
    )
    select postage, (kind - 1) / ${slotCount} as sheets, sum(number)::float8 as letters
    from counted left join classes on place = (kind - 1) % ${slotCount} + 1
    group by 1, 2
    having sum(number) <> 0
    order by 1, 2`.execute(tx);
  return rows;
}

/** Moves the letters of each slot to another: `from[slot]` is where they are, null if the slot is empty afterwards. */
export async function moveSlots(tx: Tx, from: ReadonlyMap<number, number>): Promise<void> {
  const places = letterKinds.map((kind): RawBuilder<unknown> => {
    const slot = ((kind - 1) % postageSlots) + 1;
    const source = from.get(slot);
    return source === undefined ? sql`0` : sql`letters[${sql.lit(kind - slot + source)}]`;
  });
  await sql`lock table service_usage_spans in share row exclusive mode`.execute(tx);
  await sql`
    update service_usage_spans set letters = array[${sql.join(places)}]::integer[]
    where cardinality(letter_kinds) > 0`.execute(tx);
}
