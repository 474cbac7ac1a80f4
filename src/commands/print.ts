/** Standard output is for what a command was asked for; log lines go elsewhere. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
