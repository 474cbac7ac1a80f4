/**
 * Adds the numbers of rows that agree in all other fields, as rows of the same day from several stores. Keeps the order in which the
 * rows first appear.
 */
export function addUp<Row extends object>(rows: readonly Row[]): Row[] {
  const sums = new Map<string, Row>();
  for (const row of rows) {
    const key = JSON.stringify(Object.entries(row).filter(([, value]) => typeof value !== 'number'));
    const sum = sums.get(key);
    if (!sum) sums.set(key, { ...row });
    else for (const name of numbersOf(row)) sum[name] = ((sum[name] as number) + (row[name] as number)) as never;
  }
  return [...sums.values()];
}

function numbersOf<Row extends object>(row: Row): (keyof Row)[] {
  return (Object.keys(row) as (keyof Row)[]).filter((name) => typeof row[name] === 'number');
}
