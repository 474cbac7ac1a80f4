import { invalidField } from '../../../platform/failure.ts';

const minLength = 8;
const maxLength = 255;

/**
 * Passwords that people choose most, of at least eight characters, from published lists. Longer ones that only repeat or
 * continue them are found by their beginning.
 */
const common = new Set(
  `password 12345678 123456789 1234567890 qwertyuiop qwerty123 iloveyou sunshine princess football baseball superman
  trustno1 jennifer starwars computer michelle corvette mercedes liverpool arsenal1 chelsea1 letmein1 welcome1 welcome123
  password1 password12 password123 passw0rd p@ssw0rd p@ssword admin123 administrator changeme changeit secret123 11111111
  00000000 88888888 87654321 abcd1234 abc12345 1q2w3e4r 1qaz2wsx zaq12wsx asdfghjkl qazwsxedc whatever internet samsung1
  pennypost notify123 government monkey123 dragon123 master123 charlie1 jordan23 freedom1 maverick shadow12`
    .split(/\s+/)
    .filter(Boolean),
);

/** Throws about the field `password`. */
export function refuseWeakPassword(password: string): void {
  if (password.length < minLength)
    throw invalidField('password', `The password must have at least ${minLength} characters.`);
  if (password.length > maxLength)
    throw invalidField('password', `The password must have at most ${maxLength} characters.`);
  const plain = password.toLowerCase();
  const isCommon = common.has(plain) || common.has(plain.replace(/[\d!?.]+$/, ''));
  if (isCommon || new Set(plain).size < 4) {
    throw invalidField('password', 'Many people use this password. Choose another, such as three words.');
  }
}

export const passwordHint = 'At least 8 characters. Long is better than complicated.';
