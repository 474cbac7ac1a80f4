const rightToLeft = new Set(['Adlm', 'Arab', 'Hebr', 'Mand', 'Nkoo', 'Rohg', 'Syrc', 'Thaa']);

/** In which direction a language is written, by its BCP 47 tag. */
export function directionOf(language: string): 'ltr' | 'rtl' {
  const { script } = new Intl.Locale(language).maximize();
  return script !== undefined && rightToLeft.has(script) ? 'rtl' : 'ltr';
}
