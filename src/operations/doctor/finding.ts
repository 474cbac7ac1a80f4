import { setTimeout as sleep } from 'node:timers/promises';
import type { Timestamp } from '../../platform/clock.ts';

export interface Finding {
  name: string;
  ok: boolean;
  /** The result, and if there is a problem, how to fix it. */
  description: string;
  /** The provider, if the check is about one. */
  provider?: string;
  /** Since when the check has failed, if known. */
  since?: Timestamp | undefined;
  /** The problem delays no message. */
  is_minor?: boolean;
  /** Nothing is wrong, but an operator should know. */
  is_warning?: boolean;
  /** The check timed out, so its result is unknown. */
  is_unfinished?: boolean;
}

export function finding(name: string, ok: boolean, found: string, todo = ''): Finding {
  return { name, ok, description: ok ? found : `${found}: ${todo}` };
}

const maxCheck_ms = 5_000;

class Unfinished extends Error {}

/** Throws if the check does not finish in time. */
export async function inTime<Result>(check: Promise<Result>): Promise<Result> {
  const tooLate = sleep(maxCheck_ms, undefined, { ref: false }).then(() => {
    const seconds = maxCheck_ms / 1_000;
    throw new Unfinished(
      `the check did not finish within ${seconds} s: the server is slow, a firewall drops the connection, or this machine is busy`,
    );
  });
  return Promise.race([check, tooLate]);
}

/** Messages of OpenSSL and Node about certificates of unknown authorities. */
const untrusted = /self.signed.cert|unable.to.(verify|get).*(certificate|issuer|leaf)/i;

/** Returns the finding of a check that threw. `found` describes the problem, unless the check timed out. */
export function failedFinding(name: string, found: string, error: unknown): Finding {
  const message = error instanceof Error ? error.message : String(error);
  const reason = untrusted.test(message)
    ? `${message}, or name its certificate authority in NODE_EXTRA_CA_CERTS`
    : message;
  return error instanceof Unfinished
    ? { name, ok: false, description: reason, is_unfinished: true }
    : finding(name, false, found, reason);
}
