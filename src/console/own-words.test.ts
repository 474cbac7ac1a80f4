import { expect, it } from 'vitest';
import { createCountry } from '../countries/country.ts';
import { gb } from '../countries/gb.ts';
import { invalidField } from '../platform/failure.ts';
import { refusalOfServiceName } from '../services/service-name.ts';
import { refusalOfMobileNumber } from '../users/user-formats.ts';
import { problemsOf } from './forms.ts';

const country = createCountry(gb);

it.each([
  [refusalOfMobileNumber(country, '0770'), 'Enter a mobile number with more digits. This one is too short.'],
  [
    refusalOfMobileNumber(country, '07700 900 123 456 789'),
    'Enter a mobile number with fewer digits. This one is too long.',
  ],
  [refusalOfMobileNumber(country, 'my phone'), 'Enter a mobile number in the correct format, such as 07700 900123.'],
  [refusalOfMobileNumber(country, '020 7946 0958'), 'Enter a mobile number. This one cannot get texts.'],
  [refusalOfServiceName('…'), 'Enter a name with a letter or a digit.'],
  ["Duplicate service name 'Bob's $1'", "Enter another name. A service is already called “Bob's $1”."],
  ['Choose a brand.', 'Choose a brand.'],
])('%s: %s', (ofApi = '', here) => {
  expect(String(problemsOf(country, invalidField('value', ofApi).said).get('value'))).toBe(here);
});
