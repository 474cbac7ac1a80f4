export type Cmyk = [cyan: number, magenta: number, yellow: number, black: number];

type Rgb = [number, number, number];

/** The appearance of each overprint of solid inks on coated paper; index bits: 1 cyan, 2 magenta, 4 yellow, 8 black. */
const overprints: readonly Rgb[] = [
  [255, 255, 255],
  [0, 174, 239],
  [237, 2, 140],
  [46, 48, 146],
  [255, 241, 1],
  [0, 165, 79],
  [238, 29, 35],
  [54, 53, 57],
  [35, 31, 32],
  [0, 4, 36],
  [21, 0, 0],
  [0, 0, 1],
  [25, 26, 0],
  [0, 4, 0],
  [23, 0, 0],
  [0, 0, 0],
];

const darkestGrey = 33;

/**
 * Converts screen colours to percentages of CMYK inks. The plain formula (cyan = 1 - red, ...) turns brand greens into teals on paper,
 * because real inks are not ideal. Here the appearance of a mix is the average of the sixteen solid overprints, weighted by the paper that
 * each covers (Neugebauer's model), and the mix closest to the requested colour is searched. Greys, and near-greys such as an off-black,
 * use black ink only: no colour cast, no wet paper.
 */
export function pressColor(red: number, green: number, blue: number): Cmyk {
  if (Math.max(red, green, blue) - Math.min(red, green, blue) <= 8) {
    return [0, 0, 0, percent(clamp((255 - (red + green + blue) / 3) / (255 - darkestGrey)))];
  }
  const wanted: Rgb = [red, green, blue];
  const inks: Cmyk = [1 - red / 255, 1 - green / 255, 1 - blue / 255, 1 - Math.max(red, green, blue) / 255];
  // The appearance is linear in each ink, so the best amount of one ink, with the others fixed, has a closed form.
  for (let sweep = 0; sweep < 30; sweep++) {
    for (const ink of [0, 1, 2] as const) {
      const without = appearance(inks, ink, 0);
      const full = appearance(inks, ink, 1);
      const step = difference(full, without);
      inks[ink] = clamp(dot(difference(wanted, without), step) / (dot(step, step) || 1));
    }
  }
  return inks.map(percent) as Cmyk;
}

function appearance(inks: Cmyk, changed: number, amount: number): Rgb {
  const seen: Rgb = [0, 0, 0];
  overprints.forEach((color, index) => {
    let share = 1;
    inks.forEach((ink, bit) => {
      const coverage = bit === changed ? amount : ink;
      share *= (index >> bit) & 1 ? coverage : 1 - coverage;
    });
    for (const channel of [0, 1, 2] as const) seen[channel] += share * color[channel];
  });
  return seen;
}

const difference = (a: Rgb, b: Rgb): Rgb => [a[0] - b[0], a[1] - b[1], a[2] - b[2]];
const dot = (a: Rgb, b: Rgb): number => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
const clamp = (share: number): number => Math.min(1, Math.max(0, share));
const percent = (share: number): number => Math.round(share * 10_000) / 100;
