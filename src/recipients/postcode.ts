import { removeWhitespace } from './whitespace.ts';

// Every area that Royal Mail delivers to, including the Crown dependencies (GY, IM, JE) and forces post (BF). GIR (the
// one postcode GIR 0AA, a bank that closed in 2003) and Gibraltar's GX are not included.
const areas = `AB AL B BA BB BD BF BH BL BN BR BS BT BX CA CB CF CH CM CO CR CT CV CW DA DD DE DG DH DL DN DT DY E EC EH
  EN EX FK FY G GL GU GY HA HD HG HP HR HS HU HX IG IM IP IV JE KA KT KW KY L LA LD LE LL LN LS LU M ME MK ML N NE NG
  NN NP NR NW OL OX PA PE PH PL PO PR RG RH RM S SA SE SG SK SL SM SN SO SP SR SS ST SW SY TA TD TF TN TQ TR TS TW UB W
  WA WC WD WF WN WR WS WV YO ZE`;

// The last two letters are never C, I, K, M, O or V, which are easily misread.
const pattern = new RegExp(
  `^(?:${areas.split(/\s+/).join('|')})[0-9][0-9A-Z]?[0-9][ABD-HJLNP-UW-Z]{2}$`,
  // Without the u flag, so that no letter outside ASCII (the long s, the Kelvin sign) matches one inside it.
  'i',
);

// Leaves room for stray whitespace; longer input is rejected unread.
const maxInputLength = 100;

/** The postcode in the format for sorting machines, `SW1A 1AA`; undefined if the text is not a UK postcode. */
export function parsePostcode(text: string): string | undefined {
  if (text.length > maxInputLength) return undefined;
  const compact = removeWhitespace(text);
  if (!pattern.test(compact)) return undefined;
  const postcode = compact.toUpperCase();
  return `${postcode.slice(0, -3)} ${postcode.slice(-3)}`;
}
