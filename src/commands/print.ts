/** Standard output is reserved for the result of a command; logs go elsewhere. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
