import { type RawBuilder, sql } from 'kysely';

declare const columns: unique symbol;

/**
 * A common table expression (CTE) of a statement, with at least these columns. In SQL text it stands for its name. A part of a statement
 * takes the CTEs that it reads as parameters, so the compiler rejects it where one of them, or a column, is missing.
 */
export interface Cte<Column extends string> extends RawBuilder<unknown> {
  readonly [columns]: Readonly<Record<Column, true>>;
}

/** Builds one statement of several CTEs: one round trip, and atomic. */
export class Statement {
  private readonly ctes: { name: string; query: RawBuilder<unknown> }[] = [];

  /** Adds a CTE. Add those that it reads first. */
  with<Column extends string = never>(name: string, query: RawBuilder<unknown>): Cte<Column> {
    if (this.ctes.some((other) => other.name === name)) throw new Error(`The statement already has a part ${name}`);
    this.ctes.push({ name, query });
    return sql.raw(name) as unknown as Cte<Column>;
  }

  /** Returns the statement, prepared as `name`. `query` selects the result. */
  prepared<Row>(name: string, query: RawBuilder<unknown>): RawBuilder<Row> {
    return sql<Row>`${sql.raw(`/* prepared: ${name} */`)}
    ${this.ending(query)}`;
  }

  ending<Row>(query: RawBuilder<unknown>): RawBuilder<Row> {
    const parts = this.ctes.map((cte) => sql`${sql.raw(cte.name)} as (${cte.query})`);
    return sql<Row>`with ${sql.join(parts, sql`, `)}
    ${query}`;
  }
}
