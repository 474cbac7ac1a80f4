import { type RawBuilder, sql } from 'kysely';

declare const columns: unique symbol;

/**
 * A common table expression (CTE) that is part of a statement, with these columns among others. In the text of SQL it stands for its
 * name. A part of a statement takes those that it reads as parameters, so it cannot be used where one of them, or a column, is missing.
 */
export interface Cte<Column extends string> extends RawBuilder<unknown> {
  readonly [columns]: Readonly<Record<Column, true>>;
}

/** One statement of several CTEs: one round trip, and atomic. */
export class Statement {
  private readonly ctes: { name: string; query: RawBuilder<unknown> }[] = [];

  /** Adds a CTE. Those that it reads were added before. */
  with<Column extends string = never>(name: string, query: RawBuilder<unknown>): Cte<Column> {
    if (this.ctes.some((other) => other.name === name)) throw new Error(`The statement already has a part ${name}`);
    this.ctes.push({ name, query });
    return sql.raw(name) as unknown as Cte<Column>;
  }

  /** `name` is that of the prepared statement. Ends with the query whose rows are the result. */
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
