/** Standard output is reserved for the result of a command; logs go elsewhere. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** For a person who waits. A nightly backup would mail each of these lines. */
export function printProgress(text: string): void {
  if (process.stdout.isTTY) print(text);
}
