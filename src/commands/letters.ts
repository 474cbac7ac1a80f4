import { writeFile } from 'node:fs/promises';
import { createCountry } from '../countries/country.ts';
import { type Command, print } from '../platform/command-line.ts';
import { OperatorError } from '../platform/failure.ts';
import { drawGrid } from '../rendering/letter/grid.ts';
import { readCountry } from './read-config.ts';

export const letters: Command = {
  more: [
    'grid writes a PDF with the outline of the address window and of all other parts of a first page. Print it at 100 %',
    'and put it into an envelope before the first letter is printed.',
  ],
  run,
};

async function run([action, file = '']: string[]): Promise<void> {
  if (action !== 'grid') throw new OperatorError(`Unknown action "${action}". Usage: pennypost letters grid <file>`);
  const { letter, name } = createCountry(readCountry().profile);
  await writeFile(file, await drawGrid(letter.geometry));
  const window = typeof letter.window === 'string' ? letter.window : 'a window of your own';
  print(`Wrote ${file}: ${letter.geometry.paper.name}, ${window}, ${name}.`);
}
