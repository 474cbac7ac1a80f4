import { Type } from 'typebox';
import { isDay } from '../../countries/calendar.ts';
import type { Money } from '../../countries/money.ts';
import { type Text, t } from '../../language/text.ts';
import { invalidField } from '../../platform/failure.ts';
import { maxInteger } from '../../protocol/fields.ts';
import { unitOf } from '../money.ts';
import { Field, type FieldProps } from './field.tsx';

/** The form value of these fields: a text, which `readNumber`, `readPrice` or `readDay` parses. */
export const TypedValue = Type.String({ maxLength: 20 });

type ValueFieldProps = Omit<FieldProps, 'type' | 'short' | 'value'>;

/** A whole number, which `readNumber` reads. */
export function NumberField({ value, ...props }: ValueFieldProps & { value?: number }) {
  return <Field {...props} value={value === undefined ? undefined : String(value)} inputmode="numeric" short />;
}

interface NumberRule {
  field: string;
  min?: number;
  max?: number;
  /** Accepts digits only. Otherwise people may type thousands separators. */
  plain?: boolean;
  /** Replaces the message that names the limits. */
  problem?: Text;
}

export function readNumber(text: string, { field, min = 0, max = maxInteger, plain, problem }: NumberRule): number {
  const digits = plain ? text : text.replaceAll(/[\s,.]/g, '');
  const value = /^\d+$/.test(digits) ? Number(digits) : Number.NaN;
  if (value >= min && value <= max) return value;
  const outside =
    max === maxInteger
      ? t('Enter a whole number from {min}.', { min })
      : t('Enter a whole number from {min} to {max, number}.', { min, max });
  throw invalidField(field, problem ?? outside);
}

/** An amount of money, which `readPrice` reads. */
export function MoneyField(props: ValueFieldProps) {
  return <Field {...props} short />;
}

export function readPrice(text: string, { field, money }: { field: string; money: Money }): number {
  const price = money.read(text);
  if (price !== undefined) return price;
  const { plain, maxPrice } = money;
  throw invalidField(
    field,
    t('Enter {unit}, such as {example}, at most {max}.', {
      unit: unitOf(money),
      example: plain(0.0227),
      max: plain(maxPrice),
    }),
  );
}

/** A day, which `readDay` reads. */
export function DayField({ value, ...props }: ValueFieldProps & { value?: string }) {
  return <Field {...props} value={value} type="date" short />;
}

/** Returns the day as it was typed: year, month and day. */
export function readDay(text: string, { field }: { field: string }): string {
  if (isDay(text) && text > '2000') return text;
  throw invalidField(field, t('Enter a day as year, month and day, such as 2027-04-01.'));
}
