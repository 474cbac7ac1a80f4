import { removeWhitespace } from './whitespace.ts';

// Every area Royal Mail delivers to, Crown dependencies (GY, IM, JE) and forces post (BF) included. GIR (the one
// postcode GIR 0AA, a bank that closed in 2003) and Gibraltar's GX are not.
const AREAS = `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH
  EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG
  NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W
  WA WC WD WF WN WR WS WV YO ZE`;

// The last two letters are never C, I, K, M, O or V: they are misread too easily.
const pattern = new RegExp(
  `^(?:${AREAS.split(/\s+/).join('|')})[0-9][0-9A-Z]?[0-9][ABD-HJLNP-UW-Z]{2}$`,
  // Without the flag u, so that no letter outside ASCII (the long s, the Kelvin sign) counts as one inside it.
  'i',
);

// With room for stray white space; what is longer is not worth the time to read it.
const LONGEST_INPUT = 100;

/** The postcode as sorting machines want it, `SW1A 1AA`; undefined when the text is not a UK postcode. */
export function parsePostcode(text: string): string | undefined {
  if (text.length > LONGEST_INPUT) return undefined;
  const compact = removeWhitespace(text);
  if (!pattern.test(compact)) return undefined;
  const postcode = compact.toUpperCase();
  return `${postcode.slice(0, -3)} ${postcode.slice(-3)}`;
}
