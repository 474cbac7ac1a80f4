import type { FastifyReply, FastifyRequest } from 'fastify';
import type { ComponentChildren } from 'preact';
import type { Static, TObject } from 'typebox';
import type { Text } from '../language/text.ts';
import type { Organisation } from '../organisations/organisations.ts';
import type { FormFile } from '../platform/http/body/multipart.ts';
import type { Service } from '../services/services.ts';
import type { OfOrganisation, OfService, Who } from './access/may.ts';
import type { MenuEntry } from './layout/menus.ts';
import type { Visitor } from './sessions/sessions.ts';
import type { Viewer } from './viewer.ts';

/** What a page knows about the request for it. */
// biome-ignore lint/style/useConsistentTypeDefinitions: with an interface, TypeScript compares who may open the page, not what is known.
export type PageRequest<W extends Who = Who> = {
  http: FastifyRequest;
  reply: FastifyReply;
  visitor: W extends 'anyone' ? Visitor | undefined : Visitor;
  viewer: Viewer;
  service: W extends OfService ? Service : undefined;
  organisation: W extends OfOrganisation ? Organisation : undefined;
  param(name: string): string;
  /** The first value of a query parameter, or an empty text. */
  query(name: string): string;
};

/** What was typed into a form, and what is wrong with it; both empty until it is sent. */
export interface FormState {
  typed: ReadonlyMap<string, string | string[]>;
  /** Sentences by field, in the order of the form. The empty name is the form itself. */
  problems: ReadonlyMap<string, string>;
}

/** A page above this one. */
export interface Crumb {
  label: Text;
  /** Below /console. */
  to: string;
}

export interface View {
  /** The heading of the page, and the beginning of the browser's title. */
  title: Text;
  /** What the page is about, where the heading does not say it: begins the browser's title. */
  about?: Text;
  /** A sentence or two below the heading. */
  lead?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  crumbs?: Crumb[];
  content: ComponentChildren;
  status?: number;
  /** `door`: outside of the frame with its menus, as for signing in. Default for those who are not signed in. */
  frame?: 'door' | 'shell';
  /** Browser modules that this page needs, by file name in `browser/`, without ending. */
  scripts?: string[];
}

export interface Redirection {
  /** Below /console. */
  to: string;
  /** Shown once on top of that page. */
  notice?: Text;
}

/** A response that is not a page: a fragment, a file. */
export interface Sent {
  sent: FastifyReply;
}

type Result<T> = T | Promise<T>;

interface Shows<W extends Who> {
  /** A page cannot be declared without saying who may open it. */
  who: W;
  /** A part that open pages ask for again and again: those requests share the rights of a visitor for a few seconds. */
  live?: true;
  /** Its entry in the menus. */
  menu?: MenuEntry;
  /** What people call it when they look for it, where it has no entry in a menu. */
  name?: Text;
  /** Who sees the entry, if fewer than may open the page. */
  listedFor?: Who;
  /** The entry that is marked as the current one: for pages below another. */
  below?: MenuEntry;
  show(request: PageRequest<W>, formState: FormState): Result<View | Redirection | Sent>;
}

/** The file that a form takes, in the last field of the form. */
export interface FileRule {
  /** The name of its field. */
  name: string;
  max_bytes: number;
  /** The sentence for a form without a file; leave it out where the file is optional. */
  needs?: Text;
}

type FileOf<F extends FileRule | undefined> = F extends { needs: string }
  ? FormFile
  : F extends FileRule
    ? FormFile | undefined
    : undefined;

interface Acts<W extends Who, S extends TObject, F extends FileRule | undefined> {
  /** The fields of its form; a wrong one shows the sentence that the API would respond with. */
  form: S;
  /** The form changes nothing, as a search: whoever may look may send it. */
  onlyReads?: true;
  file?: F;
  /** How large a form without a file may be, where the default of 256 KiB is not enough. */
  bodyLimit?: number;
  /** Sentences for fields that must not be empty. */
  needs?: { [Name in keyof Static<S>]?: Text };
  /**
   * Rules that the schema cannot express, for forms of several fields. Called with the fields that the schema accepts, also
   * when others are wrong. It throws, and `checkAll` throws about several fields; all problems are shown at once.
   */
  check?(request: PageRequest<W>, form: Partial<Static<S>>): Result<unknown>;
  /**
   * Called with a valid form. An invalid one, and a Failure about fields, shows the page again with what was typed.
   */
  act(request: PageRequest<W>, form: Static<S>, file: FileOf<F>): Result<View | Redirection | Sent>;
}

export interface DeclaredPage extends Shows<Who>, Partial<Acts<Who, TObject, FileRule | undefined>> {
  path: string;
}

/** Collects the pages; the routes, the menus and the tests derive from the list. */
export class Pages {
  readonly all: DeclaredPage[] = [];

  add<const W extends Who, S extends TObject, const F extends FileRule | undefined = undefined>(
    path: string,
    page: Shows<W> & Partial<Acts<W, S, F>>,
  ): void {
    if ((page.form === undefined) !== (page.act === undefined)) throw new Error(`${path} needs both: form and act`);
    // The routes call each page only with what its `who` and `form` have checked.
    this.all.push({ path, ...(page as unknown as Omit<DeclaredPage, 'path'>) });
  }
}

export type PageModule<App> = (pages: Pages, app: App) => void;
