import type { Harness } from '../../harness.ts';
import type { ConsoleVisitor } from '../console-visitor.ts';
import type { ConsoleWorld, Role } from '../console-world.ts';

type Form = Record<string, string | string[]>;

/** One way to send the form of a page. */
export interface Action {
  /** The path of the page, as it is declared. */
  path: string;
  /** The name of the changed thing in the audit log. Undefined if nothing that is audited changes; `why` says why. */
  noun?: string;
  why?: string;
  by?: Role | ConsoleVisitor;
  form?: Form;
  file?: { field: string; name: string; content: string | Uint8Array<ArrayBuffer> };
  /** Values of parameters in the path that differ from those of the world. */
  ids?: Record<string, string>;
  query?: string;
  /** Prepares what the action needs. Its result replaces parts of the action. */
  prepare?: () => Promise<Partial<Action>>;
}

export type Actions = (harness: Harness, world: ConsoleWorld) => Action[];

/** Creates an action that changes something and must have an audit entry. */
export const changes = (noun: string, path: string, more: Omit<Action, 'path' | 'noun'> = {}): Action => ({
  noun,
  path,
  ...more,
});

/** Creates an action that changes nothing that is audited. If it has a form, the test sends it to prove that. */
export const without = (why: string, path: string, more: Omit<Action, 'path' | 'why'> = {}): Action => ({
  why,
  path,
  ...more,
});
