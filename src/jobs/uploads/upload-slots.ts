import { Failure } from '../../platform/failure.ts';

/** Files that are received or checked at once. Each takes a few megabytes, and a slow client keeps its slot for a minute. */
const maxOfProcess = 24;
const maxOfService = 4;

/** Limits how many files one process handles at once, so that neither memory nor one service gets out of hand. */
export class UploadSlots {
  private readonly byService = new Map<string, number>();
  private total = 0;

  /** Throws when there is no slot. */
  async run<T>(serviceId: string, work: () => Promise<T>): Promise<T> {
    const used = this.byService.get(serviceId) ?? 0;
    if (used >= maxOfService) throw tooManyOfService();
    if (this.total >= maxOfProcess) throw tooManyFiles();
    this.byService.set(serviceId, used + 1);
    this.total += 1;
    try {
      return await work();
    } finally {
      this.total -= 1;
      const left = (this.byService.get(serviceId) ?? 0) - 1;
      if (left > 0) this.byService.set(serviceId, left);
      else this.byService.delete(serviceId);
    }
  }
}

const headers = { 'retry-after': '5' };

function tooManyOfService(): Failure {
  const message = `${maxOfService} files of this service are being received or checked. Try again when one of them is done`;
  return new Failure('too-many', 'TooManyRequestsError', message, { headers });
}

export function tooManyFiles(): Failure {
  return new Failure('unavailable', 'ServiceUnavailableError', 'Too many files at once, try again shortly', {
    headers,
  });
}
