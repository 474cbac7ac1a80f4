/** Returns only the fields that differ, so that a request without changes creates no new version. */
export function changedFields<Row extends object>(row: Row, given: Partial<Row>): Partial<Row> {
  const differs = ([field, value]: [string, unknown]) => value !== undefined && value !== row[field as keyof Row];
  return Object.fromEntries(Object.entries(given).filter(differs)) as Partial<Row>;
}
