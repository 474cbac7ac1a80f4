import type { InternationalRate } from '../countries/phone-rules.ts';

// Prefix 44 means Jersey, Guernsey and the Isle of Man; UK numbers are never looked up here.
const prefixesByMultiplier: readonly (readonly [number, string])[] = [
  [1, '1 48 66 82 86 90 239 264 299 389 423 506 686 853'],
  [
    2,
    `30 33 34 36 39 40 41 43 44 45 46 47 53 55 56 57 58 61 64 65 81 91 246 298 350 351 352 353 354 356 357 358 370 371
     372 373 385 420 421 503 598 672 673 677 680 681 691 692 852 886 1684 1721`,
  ],
  [3, '27 31 32 52 54 244 254 262 266 267 291 297 355 376 387 500 595 687 689 971 973 1242 1809 1829 1849'],
  [4, '84 220 226 230 248 253 258 359 377 382 386 505 507 508 590 591 593 594 596 676 678 682 968 995'],
  [5, '49 51 63 232 237 238 243 252 263 374 380 383 501 502 504 670 679 685 966 1268 1284'],
  [6, '98 212 213 222 224 231 235 240 375 592 597 674 675 960 967 972 974 1264 1345 1473 1649 1664 1869'],
  [7, '20 60 221 223 228 229 236 242 255 256 268 269 381 599 965 976 993 1246 1441 1758 1767 1784 1868 1876'],
  [8, '211 227 233 234 241 245 249 250 257 260 265 378 509 683 690 855 856 962 977 996'],
  [9, '95 216 218 251 880 961 963 964 970 994'],
  [10, '7 93 225 975 992'],
  [12, '62 92 94 261 998'],
];

const prefixesWithoutReceipts = `1 52 54 56 57 84 86 211 222 228 229 231 236 238 239 240 245 246 249 252 253 257 262 263 266
  269 297 298 299 373 378 383 504 505 508 509 593 594 595 596 597 670 672 674 676 677 678 680 681 682 683 685 686 690
  691 692 886 960 967 970 975 993 1242 1246 1441 1684 1721 1809 1829 1849 1868`;

const numericSenderPrefixes = `1 27 32 36 51 52 53 54 55 56 57 58 60 64 81 82 86 98 218 350 359 373 377 502 507 590 593
  598 855 856 886 961 963 976 977 1242 1246 1664 1684 1809 1829 1849`;

const words = (text: string): string[] => text.split(/\s+/);

function buildRates(): ReadonlyMap<string, InternationalRate> {
  const withoutReceipts = new Set(words(prefixesWithoutReceipts));
  const numericSenderOnly = new Set(words(numericSenderPrefixes));
  return new Map(
    prefixesByMultiplier.flatMap(([multiplier, prefixes]) =>
      words(prefixes).map((prefix) => [
        prefix,
        {
          multiplier,
          receiptsHonoured: !withoutReceipts.has(prefix),
          numericSenderOnly: numericSenderOnly.has(prefix),
        },
      ]),
    ),
  );
}

let rates: ReadonlyMap<string, InternationalRate> | undefined;

/** Returns undefined for an unsupported prefix. */
export function findInternationalRate(prefix: string): InternationalRate | undefined {
  rates ??= buildRates();
  return rates.get(prefix);
}
