const inPounds = new Intl.NumberFormat('en-GB', { style: 'currency', currency: 'GBP' });

/** "£1,204.20" */
export function pounds(amount: number): string {
  return inPounds.format(amount);
}

/** "2.4p" for less than a pound, "£1.20" otherwise: the price of one message. */
export function price(amount: number): string {
  return amount >= 1 ? pounds(amount) : `${Number((amount * 100).toFixed(2))}p`;
}

/** "1,204" */
export function count(amount: number): string {
  return amount.toLocaleString('en-GB');
}

/** "820 bytes", "12 kB" */
export function dataSize(bytes: number): string {
  return bytes < 1_000 ? several(bytes, 'byte') : `${count(Math.round(bytes / 1_000))} kB`;
}

/** "1 part", "1,204 parts" */
export function several(amount: number, noun: string): string {
  return `${count(amount)} ${noun}${amount === 1 ? '' : 's'}`;
}
