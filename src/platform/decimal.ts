/** A whole number times an exact decimal, rounded once: as PostgreSQL computes it and converts the result. */
export function times(count: number, decimal: string): number {
  const [whole = '0', fraction = ''] = decimal.split('.');
  const digits = String(BigInt(whole + fraction) * BigInt(count)).padStart(fraction.length + 1, '0');
  const point = digits.length - fraction.length;
  return Number(`${digits.slice(0, point)}.${digits.slice(point)}0`);
}

/** `part` of `whole` in percent with two decimals, rounded half up. */
export function percentage(part: number, whole: number): number {
  const hundredths = (BigInt(part) * 20_000n + BigInt(whole)) / (2n * BigInt(whole));
  return Number(hundredths) / 100;
}
