import { open, writeFile } from 'node:fs/promises';
import { createCountry } from '../countries/country.ts';
import { addDaysWithoutPrinting } from '../letters/print/days-without-printing.ts';
import { readCalendarDays } from '../letters/print/icalendar.ts';
import { systemClock, timestamp } from '../platform/clock.ts';
import { type Command, print } from '../platform/command-line.ts';
import { type Actor, actAs } from '../platform/db/actor.ts';
import { openDatabase } from '../platform/db/pool.ts';
import { OperatorError } from '../platform/failure.ts';
import { createLog } from '../platform/log.ts';
import { drawGrid } from '../rendering/letter/grid.ts';
import { readConfig, readCountry } from './read-config.ts';
import { withDatabase } from './with-database.ts';

export const letters: Command = {
  more: [
    'grid writes a PDF with the outline of the address window and of all other parts of a first page. Print it at 100 %',
    'and put it into an envelope before the first letter is printed.',
  ],
  run: writeGrid,
};

async function writeGrid([action, file = '']: string[]): Promise<void> {
  if (action !== 'grid') throw new OperatorError(`Unknown action "${action}". Usage: pennypost letters grid <file>`);
  const { letter, name } = createCountry(readCountry().profile);
  await writeFile(file, await drawGrid(letter.geometry));
  const window = typeof letter.window === 'string' ? letter.window : 'a window of your own';
  print(`Wrote ${file}: ${letter.geometry.paper.name}, ${window}, ${name}.`);
}

export const holidays: Command = {
  more: [
    'import adds the whole days of an iCalendar file (.ics) to the days without printing, which the console lists under',
    'Letters. Days that have passed are left out, and days that are listed stay. Running processes learn of them at once.',
  ],
  run: importHolidays,
};

const maxFile_bytes = 1024 * 1024;

async function importHolidays([action, file = '']: string[]): Promise<void> {
  if (action !== 'import') {
    throw new OperatorError(`Unknown action "${action}". Usage: pennypost holidays import <file>`);
  }
  const days = readCalendarDays(await readText(file));
  const config = readConfig();
  await withDatabase(config, async (url) => {
    const { db, close } = openDatabase({ url, poolSize: 1, log: createLog('silent') });
    const app = { db, clock: systemClock, country: createCountry(config.country.profile) };
    const actor: Actor = { type: 'command', client: 'holidays import', at: timestamp(app.clock.now()) };
    try {
      const added = await actAs(actor, () => addDaysWithoutPrinting(app, days));
      const rest = days.length - added;
      print(`Added ${added} of ${days.length} days.${rest > 0 ? ' The others have passed or were listed.' : ''}`);
    } finally {
      await close();
    }
  });
}

/** Reads no more than a calendar of holidays can have, whatever the file contains. */
async function readText(path: string): Promise<string> {
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(maxFile_bytes + 1), 0, maxFile_bytes + 1, 0);
    if (bytesRead > maxFile_bytes) throw new OperatorError(`${path} is larger than 1 MB. Export fewer years.`);
    return buffer.toString('utf8', 0, bytesRead);
  } finally {
    await file.close();
  }
}
