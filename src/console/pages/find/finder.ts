import { t } from '../../../language/text.ts';
import type { Service } from '../../../services/services.ts';
import { reachable } from '../../access/find-page.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { DeclaredPage } from '../../page.ts';
import type { Visitor } from '../../sessions/sessions.ts';
import type { Viewer } from '../../viewer.ts';

/** A search, its visitor and its scope. */
export interface Finder {
  app: ConsoleApp;
  /** All pages, which declare who may open them. */
  pages: readonly DeclaredPage[];
  visitor: Visitor;
  viewer: Viewer;
  /** The open service. */
  service: Service | undefined;
  text: string;
}

/** Whether the visitor may open a page of the open service. The path is relative to the service. */
export function mayOpen({ pages, visitor, service }: Finder, path: string): boolean {
  return reachable(pages, visitor.user, `/services/${service?.id}${path}`, service) !== undefined;
}

interface Result {
  label: string;
  /** The path below /console. */
  to: string;
  about?: string;
}

export interface Group {
  title: string;
  results: Result[];
  /** The number of results not shown, with the path of a page that shows all. */
  more?: { label: string; to?: string };
}

const maxShown = 20;

export function groupOf<Thing>(title: string, things: readonly Thing[], resultOf: (thing: Thing) => Result): Group {
  const results = things.slice(0, maxShown).map(resultOf);
  const left = things.length - results.length;
  if (left === 0) return { title, results };
  return {
    title,
    results,
    more: {
      label: t(
        '{left, plural, one {There is # more. Enter a longer part of the name.} other {There are # more. Enter a longer part of the name.}}',
        { left },
      ),
    },
  };
}
