import type { Harness } from '../../harness.ts';
import type { ConsoleVisitor } from '../console-visitor.ts';
import type { ConsoleWorld, Role } from '../console-world.ts';

type Form = Record<string, string | string[]>;

/** One way to send the form of a page. */
export interface Action {
  /** The path of the page, as it is declared. */
  path: string;
  /** What the audit log calls the thing that changes; undefined where nothing that is audited changes, and `why` says so. */
  noun?: string;
  why?: string;
  by?: Role | ConsoleVisitor;
  form?: Form;
  file?: { field: string; name: string; content: string | Uint8Array<ArrayBuffer> };
  /** Other values of parameters in the path than those of the world. */
  ids?: Record<string, string>;
  query?: string;
  /** What must be there first; its result replaces parts of the action. */
  prepare?: () => Promise<Partial<Action>>;
}

export type Actions = (harness: Harness, world: ConsoleWorld) => Action[];

/** The action changes something: an entry must say what. */
export const changes = (noun: string, path: string, more: Omit<Action, 'path' | 'noun'> = {}): Action => ({
  noun,
  path,
  ...more,
});

/** The action changes nothing that is audited. With a form it is sent, to prove it. */
export const without = (why: string, path: string, more: Omit<Action, 'path' | 'why'> = {}): Action => ({
  why,
  path,
  ...more,
});
