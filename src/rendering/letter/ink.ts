import { pressColor } from './press-color.ts';

/** `print` is for the printer, `preview` for the screen. */
export type LetterPurpose = 'print' | 'preview';

type InkColor = [number, number, number] | [number, number, number, number];

export interface Ink {
  black: InkColor;
  white: InkColor;
  grey: InkColor;
  highlight: InkColor;
  fromRgb(channels: number[]): InkColor;
}

/**
 * Printers need CMYK: text in pure black ink needs one plate and stays sharp. Screens show CMYK muted, so previews keep
 * the original colours.
 */
export function inkFor(purpose: LetterPurpose): Ink {
  return purpose === 'print' ? printInk : previewInk;
}

const printInk = ink(cachedPressColor());
const previewInk = ink(([red = 0, green = 0, blue = 0]) => [red, green, blue]);

function ink(fromRgb: Ink['fromRgb']): Ink {
  return {
    black: fromRgb([0, 0, 0]),
    white: fromRgb([255, 255, 255]),
    grey: fromRgb([177, 180, 182]),
    highlight: fromRgb([255, 221, 0]),
    fromRgb,
  };
}

/** Cached, because the search for inks took as long as the rest of a letter, and letters reuse the same few colours. */
function cachedPressColor(): Ink['fromRgb'] {
  const cache = new Map<string, InkColor>();
  return ([red = 0, green = 0, blue = 0]) => {
    const name = `${red} ${green} ${blue}`;
    let color = cache.get(name);
    if (!color) {
      // A drawing with many shades is not a logo. Clearing the cache keeps it small.
      if (cache.size >= 1_000) cache.clear();
      color = pressColor(red, green, blue);
      cache.set(name, color);
    }
    return color;
  };
}
