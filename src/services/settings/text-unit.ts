/** What limits of texts count. */
export const textUnits = ['messages', 'parts'] as const;
export type TextUnit = (typeof textUnits)[number];

/** The unit from a day on, and before it the other one; null: since ever. A day is counted in one unit. */
export interface UnitOfTexts {
  sms_limit_unit: TextUnit;
  /** A day of the calendar of limits. */
  sms_limit_unit_from: string | null;
}

/** What counts on a day. */
export function unitOn({ sms_limit_unit: unit, sms_limit_unit_from: from }: UnitOfTexts, day: string): TextUnit {
  if (from === null || day >= from) return unit;
  return unit === 'parts' ? 'messages' : 'parts';
}

/** A new unit counts from tomorrow on; who changes back on the same day changes nothing. */
export function changeUnit(
  current: UnitOfTexts,
  unit: TextUnit,
  { today, tomorrow }: { today: string; tomorrow: string },
): UnitOfTexts {
  if (unit === current.sms_limit_unit) return current;
  return { sms_limit_unit: unit, sms_limit_unit_from: unitOn(current, today) === unit ? today : tomorrow };
}
