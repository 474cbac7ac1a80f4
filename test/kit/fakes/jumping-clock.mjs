// Preloaded into a process of the product: shifts its wall clock by the milliseconds in CLOCK_FILE, which it reads again
// at every SIGUSR2. Timers are not affected, as when the clock of a machine is set.
import { readFileSync } from 'node:fs';

const RealDate = Date;
let offset_ms = readOffset();

globalThis.Date = class extends RealDate {
  constructor(...values) {
    if (values.length === 0) super(RealDate.now() + offset_ms);
    else super(...values);
  }

  static now() {
    return RealDate.now() + offset_ms;
  }
};

process.on('SIGUSR2', () => {
  offset_ms = readOffset();
});

function readOffset() {
  return Number(readFileSync(process.env.CLOCK_FILE, 'utf8'));
}
