/** Returns the name of an archived row. The UTC timestamp keeps the old name readable and frees it for reuse. */
export function archivedName(name: string, now: Date): string {
  const [day, time] = now.toISOString().slice(0, 19).split('T');
  return `_archived_${day}-${time}_${name}`;
}
