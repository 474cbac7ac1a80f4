import { invalidField } from '../../../platform/failure.ts';
import { isCommonPassword } from './common-passwords.ts';

const minLength = 8;
const maxLength = 255;

/** Throws about the field `password`. */
export function refuseWeakPassword(password: string): void {
  if (password.length < minLength)
    throw invalidField('password', `The password must have at least ${minLength} characters.`);
  if (password.length > maxLength)
    throw invalidField('password', `The password must have at most ${maxLength} characters.`);
  const plain = password.toLowerCase();
  const withoutEnding = plain.replace(/[\d!?.]+$/, '');
  if (isCommonPassword(plain)) {
    throw invalidField('password', 'Many people use this password. Choose another, such as three words.');
  }
  if (isCommonPassword(withoutEnding)) {
    throw invalidField(
      'password',
      'Many people use this password with another ending. Choose another, such as three words.',
    );
  }
  if (new Set(plain).size < 4) {
    throw invalidField('password', 'The password repeats a few characters. Choose another, such as three words.');
  }
}

export const passwordHint = 'At least 8 characters, and not one that many people use. Long is better than complicated.';
