export const maxPages = 10;

/** Letters are printed on both sides. */
export const sheetsOf = (page_count: number): number => Math.ceil(page_count / 2);
