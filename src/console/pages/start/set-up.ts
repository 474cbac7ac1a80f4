import { t } from '../../../language/text.ts';
import { minute_ms } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';

/** Without I, O, 0 and 1, which look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 12;

/**
 * Allows only the operator to create the first account. Derived from SECRET_KEY, so that all processes have the same code, a restart keeps
 * it, and it is not stored. It is useless once a platform administrator exists.
 */
export function setUpCode({ secrets }: Platform): string {
  const bytes = Buffer.from(secrets.digest('set-up', 'code'), 'base64url').subarray(0, length);
  const letters = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  return letters.replaceAll(/(.{4})(?!$)/g, '$1-');
}

const maxTries = 10;

/** Counts the attempts of all visitors together, which is enough for a code of 60 bits. */
export class SetUpTries {
  private readonly app: Platform;
  private times: number[] = [];

  constructor(app: Platform) {
    this.app = app;
  }

  isRight(typed: string): boolean {
    const now = this.app.clock.now().getTime();
    this.times = this.times.filter((time) => time > now - minute_ms);
    if (this.times.length >= maxTries) throw new Failure('too-many', 'RateLimitError', t('Too many attempts'));
    this.times.push(now);
    return sameSecret(plain(typed), plain(setUpCode(this.app)));
  }
}

function plain(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** The code is in the URL fragment, which browsers do not send, so it reaches no log. */
export function setUpPath(app: Platform): string {
  return `/start#${setUpCode(app)}`;
}
