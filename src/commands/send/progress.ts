import type { WriteStream } from 'node:tty';

const barWidth = 30;
/** In a log file, a line for each tenth is enough. */
const linesOfLog = 10;

type Output = Pick<WriteStream, 'write'> & { isTTY?: boolean };

/** A bar that is redrawn on a terminal, and plain lines elsewhere. */
export class Progress {
  private readonly output: Output;
  private shown = '';

  constructor(output: Output) {
    this.output = output;
  }

  show(activity: string, done: number, total: number): void {
    const share = total === 0 ? 1 : Math.min(1, done / total);
    if (this.output.isTTY) this.redraw(`${activity} ${bar(share)} ${percent(share)} ${amount(done, total)}`);
    else this.log(activity, Math.floor(share * linesOfLog) / linesOfLog);
  }

  /** Leaves an empty line for what is printed next. */
  end(): void {
    if (this.output.isTTY && this.shown !== '') this.output.write('\r\u001b[K');
    this.shown = '';
  }

  private redraw(line: string): void {
    if (line === this.shown) return;
    this.shown = line;
    this.output.write(`\r\u001b[K${line}`);
  }

  private log(activity: string, share: number): void {
    const line = `${activity}: ${percent(share)}`;
    if (line === this.shown) return;
    this.shown = line;
    this.output.write(`${line}\n`);
  }
}

function bar(share: number): string {
  const filled = Math.round(share * barWidth);
  return `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
}

const percent = (share: number) => `${Math.floor(share * 100)}%`.padStart(4);
const amount = (done: number, total: number) => `${done.toLocaleString('en-GB')} of ${total.toLocaleString('en-GB')}`;
