/** Numbers are stored with the country code, without its plus. */
export function shownNumber(number: string): string {
  if (!/^\d+$/.test(number)) return number;
  return number.startsWith('44') ? number.replace(/^44(\d{4})/, '0$1 ') : `+${number}`;
}
