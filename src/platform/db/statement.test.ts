import { sql } from 'kysely';
import { describe, expect, it } from 'vitest';
import { useHarness } from '../../../test/kit/harness.ts';
import { type Cte, Statement } from './statement.ts';

function addDoubled(statement: Statement, numbers: Cte<'id' | 'value'>): Cte<'id' | 'doubled'> {
  return statement.with('doubled', sql`select id, value * 2 as doubled from ${numbers}`);
}

describe('a statement of several parts', () => {
  const harness = useHarness();

  it('gives each part the names of those that it reads', async () => {
    const statement = new Statement();
    const numbers = statement.with<'id' | 'value'>('numbers', sql`select 1 as id, ${21}::int as value`);
    const doubled = addDoubled(statement, numbers);
    const query = statement.prepared<{ doubled: number }>('doubled', sql`select doubled from ${doubled}`);
    expect(query.compile(harness.app.db).sql).toMatch(/^\/\* prepared: doubled \*\/\s+with numbers as \(/);
    expect((await query.execute(harness.app.db)).rows).toEqual([{ doubled: 42 }]);
  });

  it('does not compile where a part or a column is missing', () => {
    const statement = new Statement();
    const ids = statement.with<'id'>('ids', sql`select 1 as id`);
    // @ts-expect-error It has no column `value`.
    addDoubled(statement, ids);
    // @ts-expect-error A name is not a part.
    expect(() => addDoubled(statement, 'ids')).toThrow();
  });

  it('refuses two parts of the same name', () => {
    const statement = new Statement();
    statement.with('ids', sql`select 1 as id`);
    expect(() => statement.with('ids', sql`select 2 as id`)).toThrow('already has a part ids');
  });
});
