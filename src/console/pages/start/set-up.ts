import { t } from '../../../language/text.ts';
import { minute_ms } from '../../../platform/clock.ts';
import { Failure } from '../../../platform/failure.ts';
import type { Platform } from '../../../platform/platform.ts';
import { sameSecret } from '../../../platform/secrets/secrets.ts';

/** I, O, 0 and 1 are missing because they look alike. */
const alphabet = 'ABCDEFGHJKLMNPQRSTUVWXYZ23456789';
const length = 12;

/**
 * Lets the operator, and no other visitor, create the first account. Derived from SECRET_KEY: all processes have the same, a
 * restart keeps it, and it is stored nowhere. It has no use once a platform administrator exists.
 */
export function setUpCode({ secrets }: Platform): string {
  const bytes = Buffer.from(secrets.digest('set-up', 'code'), 'base64url').subarray(0, length);
  const letters = [...bytes].map((byte) => alphabet[byte % alphabet.length]).join('');
  return letters.replaceAll(/(.{4})(?!$)/g, '$1-');
}

const maxTries = 10;

/** Counts the tries of all visitors together: a code of 60 bits needs no more than that. */
export class SetUpTries {
  private readonly app: Platform;
  private times: number[] = [];

  constructor(app: Platform) {
    this.app = app;
  }

  isRight(typed: string): boolean {
    const now = this.app.clock.now().getTime();
    this.times = this.times.filter((time) => time > now - minute_ms);
    if (this.times.length >= maxTries) throw new Failure('too-many', 'RateLimitError', t('Too many tries'));
    this.times.push(now);
    return sameSecret(plain(typed), plain(setUpCode(this.app)));
  }
}

function plain(code: string): string {
  return code.toUpperCase().replaceAll(/[^A-Z0-9]/g, '');
}

/** The code is in the fragment, which browsers do not send: it reaches no log. */
export function setUpPath(app: Platform): string {
  return `/start#${setUpCode(app)}`;
}
