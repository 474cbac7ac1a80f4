/** What the limits on text messages count. */
export const textUnits = ['messages', 'parts'] as const;
export type TextUnit = (typeof textUnits)[number];

/** The unit from a day on; earlier days use the other unit. A null day means that the unit never changed. Each day uses one unit. */
export interface TextUnitSetting {
  sms_limit_unit: TextUnit;
  /** In the calendar of the limits. */
  sms_limit_unit_from: string | null;
}

/** Returns the unit that counts on a day. */
export function unitOn({ sms_limit_unit: unit, sms_limit_unit_from: from }: TextUnitSetting, day: string): TextUnit {
  if (from === null || day >= from) return unit;
  return unit === 'parts' ? 'messages' : 'parts';
}

/** A new unit applies from tomorrow. Changing back on the same day cancels the change. */
export function changeUnit(
  current: TextUnitSetting,
  unit: TextUnit,
  { today, tomorrow }: { today: string; tomorrow: string },
): TextUnitSetting {
  if (unit === current.sms_limit_unit) return current;
  return { sms_limit_unit: unit, sms_limit_unit_from: unitOn(current, today) === unit ? today : tomorrow };
}
