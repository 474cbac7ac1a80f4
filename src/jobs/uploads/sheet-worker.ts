import type { MessagePort } from 'node:worker_threads';
import type { SpreadsheetLimits } from '../../recipients/spreadsheet/limits.ts';
import type { Header, RowBatch } from '../../recipients/spreadsheet/sheet.ts';
import { openSpreadsheet } from '../../recipients/spreadsheet/spreadsheet.ts';
import { SpreadsheetError } from '../../recipients/spreadsheet/spreadsheet-error.ts';
import type { FileErrorKind } from '../../recipients/spreadsheet/spreadsheet-problems.ts';

export { checkRows } from './check-rows.ts';

export type WorkbookMessage =
  | { header: Header }
  | { batch: RowBatch }
  | { end: true }
  | { error: { kind: FileErrorKind; detail: Readonly<Record<string, string | number>> } };

/** Reads a workbook and sends one batch for each message that it receives; ends early when the port is closed. */
export async function readWorkbook(
  port: MessagePort,
  fileName: string,
  bytes: Uint8Array,
  limits: SpreadsheetLimits,
): Promise<void> {
  const requests = new Requests(port);
  const send = (message: WorkbookMessage) => port.postMessage(message);
  try {
    const { header, batches } = await openSpreadsheet(fileName, once(bytes), { limits });
    if (!(await requests.next())) return;
    send({ header });
    for await (const batch of batches) {
      if (!(await requests.next())) return;
      send({ batch });
    }
    if (await requests.next()) send({ end: true });
  } catch (error) {
    if (!(error instanceof SpreadsheetError)) throw error;
    const { kind, detail } = error;
    if (await requests.next()) send({ error: { kind, detail } });
  } finally {
    port.close();
  }
}

async function* once(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  yield bytes;
}

/** Counts requests, so that one which arrives early is not lost. */
class Requests {
  private count = 0;
  private closed = false;
  private wake: (() => void) | undefined;

  constructor(port: MessagePort) {
    port.on('message', () => {
      this.count++;
      this.wake?.();
    });
    port.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  /** False when there will be no more. */
  async next(): Promise<boolean> {
    while (this.count === 0 && !this.closed) {
      await new Promise<void>((resolve) => {
        this.wake = resolve;
      });
    }
    this.count--;
    return !this.closed;
  }
}
