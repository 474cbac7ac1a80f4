import { type Static, Type } from 'typebox';

const Link = Type.Optional(Type.String({ format: 'uri-reference' }));

/** Links to other pages of a list, where they exist. */
export const PageLinks = Type.Object({ prev: Link, next: Link, last: Link });

/** The links keep the other parameters of the request. */
export function pageLinks(
  path: string,
  query: Record<string, string | readonly string[] | undefined>,
  { page, pages }: { page: number; pages: number },
): Static<typeof PageLinks> {
  const link = (number: number) => {
    const parameters = new URLSearchParams();
    for (const [name, value] of Object.entries(query)) {
      if (name === 'page') continue;
      for (const single of [value].flat()) if (single !== undefined) parameters.append(name, single);
    }
    parameters.append('page', String(number));
    return `${path}?${parameters}`;
  };
  return {
    ...(page > 1 ? { prev: link(page - 1) } : {}),
    ...(page < pages ? { next: link(page + 1), last: link(pages) } : {}),
  };
}
