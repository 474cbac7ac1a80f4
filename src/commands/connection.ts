import { OperatorError } from '../platform/failure.ts';

/** Delays before further attempts. */
const retryDelays_ms = [1_000, 2_000, 5_000, 10_000];
const maxWait_ms = 60_000;

/** For idempotent requests. 409: the server is still processing an earlier attempt. */
export const repeatable = { statuses: new Set([409, 429, 502, 503, 504]), afterLostConnection: true };
/** For requests that the server may have processed without responding: they are only retried if the server refused them. */
export const notRepeatable = { statuses: new Set([429, 503]), afterLostConnection: false };

/** A connection to the server that a command calls, as an application would. */
export class Connection {
  readonly root: string;

  constructor(url: string) {
    if (!URL.canParse(url))
      throw new OperatorError(`${url} is not an address. Give --url one such as https://example.org`);
    this.root = url.replace(/\/+$/, '');
  }

  async retry(request: () => Promise<Response>, rule = repeatable): Promise<Response> {
    for (const delay_ms of retryDelays_ms) {
      const response = await request().catch((error) => {
        if (!isConnectionError(error)) throw error;
        if (!rule.afterLostConnection) throw this.unreachable(error);
      });
      if (response && !rule.statuses.has(response.status)) return response;
      await response?.body?.cancel();
      const wait_ms = Number(response?.headers.get('retry-after') ?? 0) * 1_000;
      if (wait_ms > maxWait_ms) break;
      await new Promise((resolve) => setTimeout(resolve, Math.max(delay_ms, wait_ms)));
    }
    return request().catch((error) => {
      throw isConnectionError(error) ? this.unreachable(error) : error;
    });
  }

  private unreachable(error: TypeError): OperatorError {
    const { cause } = error as { cause?: { code?: string; message?: string } };
    return new OperatorError(`Cannot reach ${this.root}: ${cause?.code ?? cause?.message ?? String(error)}`);
  }
}

function isConnectionError(error: unknown): error is TypeError {
  return error instanceof TypeError;
}
