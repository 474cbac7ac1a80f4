import { readFileSync } from 'node:fs';
import { t } from '../../../language/text.ts';
import { invalidField } from '../../../platform/failure.ts';
import { builtFile } from '../../layout/assets.ts';

const minLength = 8;
const maxLength = 255;

/** Throws a problem of the field `password`. */
export function refuseWeakPassword(password: string): void {
  if (password.length < minLength)
    throw invalidField('password', t('Enter a password of at least {minLength} characters.', { minLength }));
  if (password.length > maxLength)
    throw invalidField('password', t('Enter a password of at most {maxLength} characters.', { maxLength }));
  const plain = password.toLowerCase();
  const withoutEnding = plain.replace(/[\d!?.]+$/, '');
  if (isCommonPassword(plain)) {
    throw invalidField('password', t('Many people use this password. Choose another, such as three random words.'));
  }
  if (isCommonPassword(withoutEnding)) {
    throw invalidField(
      'password',
      t('Many people use this password with another ending. Choose another, such as three random words.'),
    );
  }
  if (new Set(plain).size < 4) {
    throw invalidField(
      'password',
      t('The password repeats a few characters. Choose another, such as three random words.'),
    );
  }
}

export const passwordHint = t('Use at least 8 characters. Three random words make a strong password.');

/** Additional passwords that people choose here. */
const ours = ['pennypost', 'notify123', 'government', 'changeit', 'welcome123'];

/** One string instead of a set of 18,000 takes a fifth of the memory, and a search takes a tenth of a millisecond. */
let list: string | undefined;

function isCommonPassword(password: string): boolean {
  list ??= readFileSync(builtFile('common-passwords.txt'), 'utf8');
  return ours.includes(password) || list.includes(`\n${password}\n`);
}
