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
