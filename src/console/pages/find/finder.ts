import type { Service } from '../../../services/services.ts';
import { may } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { DeclaredPage } from '../../page.ts';
import type { Visitor } from '../../sessions/sessions.ts';

/** Who looks for what, and where. */
export interface Finder {
  app: ConsoleApp;
  /** All pages, which say who may open them. */
  pages: readonly DeclaredPage[];
  visitor: Visitor;
  /** The service that is open. */
  service: Service | undefined;
  text: string;
}

export function mayOpen({ pages, visitor, service }: Finder, path: string): boolean {
  const page = pages.find((declared) => declared.path === path);
  return page !== undefined && may(page.who, visitor.user, service) === 'yes';
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
  /** What is not shown, with the path of a page that shows all. */
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
    more: { label: `There are ${left.toLocaleString('en-GB')} more. Enter a longer part of the name.` },
  };
}
