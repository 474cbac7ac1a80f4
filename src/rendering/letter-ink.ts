import { pressColor } from './press-color.ts';

/** `print`: what goes to the printer. `preview`: what people see on a screen before. */
export type LetterPurpose = 'print' | 'preview';

export type InkColor = [number, number, number] | [number, number, number, number];

export type Ink = {
  black: InkColor;
  white: InkColor;
  grey: InkColor;
  highlight: InkColor;
  fromRgb(channels: number[]): InkColor;
};

/**
 * Printers want CMYK: text in pure black ink needs one plate and stays sharp. Screens show CMYK muted, so previews keep
 * the colours as they were given.
 */
export function inkFor(purpose: LetterPurpose): Ink {
  const fromRgb = ([red = 0, green = 0, blue = 0]: number[]): InkColor =>
    purpose === 'print' ? pressColor(red, green, blue) : [red, green, blue];
  return {
    black: fromRgb([0, 0, 0]),
    white: fromRgb([255, 255, 255]),
    grey: fromRgb([177, 180, 182]),
    highlight: fromRgb([255, 221, 0]),
    fromRgb,
  };
}
