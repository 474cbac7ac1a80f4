const minLength = 32;

interface Secrets {
  SECRET_KEY: string | undefined;
  SECRET_KEYS: string[];
  ADMIN_CLIENT_SECRETS: string[];
  FUNCTIONAL_TESTS_SECRETS: string[];
}

/**
 * A secret that can be brute-forced offline protects nothing. A short old key is only accepted by the command that
 * replaces it.
 */
export function shortSecrets(values: Partial<Secrets>, shortKeysMayRead: boolean): string[] {
  const { SECRET_KEY, SECRET_KEYS = [], ADMIN_CLIENT_SECRETS = [], FUNCTIONAL_TESTS_SECRETS = [] } = values;
  const keys = SECRET_KEYS.length > 0 ? SECRET_KEYS : [SECRET_KEY ?? []].flat();
  const name = SECRET_KEYS.length > 0 ? 'SECRET_KEYS' : 'SECRET_KEY';
  const inUse =
    'If the database uses a short key: SECRET_KEYS=<new>,<short> pennypost rekey, then keep only the new one.';
  return [
    ...(SECRET_KEY !== undefined && SECRET_KEYS.length > 0
      ? ['SECRET_KEY and SECRET_KEYS are both set: keep one']
      : []),
    ...tooShort(name, shortKeysMayRead ? keys.slice(0, 1) : keys).map((problem) => `${problem} ${inUse}`),
    ...tooShort('ADMIN_CLIENT_SECRETS', ADMIN_CLIENT_SECRETS),
    ...tooShort('FUNCTIONAL_TESTS_SECRETS', FUNCTIONAL_TESTS_SECRETS),
  ];
}

/** An error message for a setting with a short secret; empty if all are long enough. */
function tooShort(name: string, secrets: string[]): string[] {
  // Surrounding whitespace is a quoting mistake, not part of the secret.
  const short = secrets.map((secret) => secret.trim().length).find((length) => length < minLength);
  if (short === undefined) return [];
  const found = `must have at least ${minLength} characters${secrets.length > 1 ? ' each' : ''}, not ${short}`;
  return [`${name} ${found}: create one with \`openssl rand -hex 32\`.`];
}
