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

/** The request for a page. */
// biome-ignore lint/style/useConsistentTypeDefinitions: with an interface, TypeScript compares who may open the page, not what is known.
export type PageRequest<W extends Who = Who> = {
  http: FastifyRequest;
  reply: FastifyReply;
  visitor: W extends 'anyone' ? Visitor | undefined : Visitor;
  viewer: Viewer;
  service: W extends OfService ? Service : undefined;
  organisation: W extends OfOrganisation ? Organisation : undefined;
  param(name: string): string;
  /** Returns the first value of a query parameter, or an empty text. */
  query(name: string): string;
};

/** What was typed into a form, and its problems; both empty until it is submitted. */
export interface FormState {
  typed: ReadonlyMap<string, string | string[]>;
  /** Messages by field, in the order of the form. The empty name stands for the whole form. */
  problems: ReadonlyMap<string, string>;
}

/** A breadcrumb: a page above this one. */
export interface Crumb {
  label: Text;
  /** Below /console. */
  to: string;
}

export interface View {
  /** The heading of the page, and the beginning of the browser's title. */
  title: Text;
  /** The subject of the page, if the heading does not name it. The browser's title begins with it. */
  about?: Text;
  /** One or two sentences below the heading. */
  lead?: ComponentChildren;
  /** Buttons beside the heading. */
  actions?: ComponentChildren;
  crumbs?: Crumb[];
  content: ComponentChildren;
  status?: number;
  /** `standalone`: outside the frame with its menus, as for signing in. The default for people who are not signed in. */
  frame?: 'standalone' | 'shell';
  /** Names of browser modules that this page needs: files in `browser/`, without extension. */
  scripts?: string[];
}

export interface Redirection {
  /** Below /console. */
  to: string;
  /** Shown once at the top of that page. */
  notice?: Text;
}

/** A response that is not a page, such as a fragment or a file. */
export interface Sent {
  sent: FastifyReply;
}

type Result<T> = T | Promise<T>;

interface Shows<W extends Who> {
  /** Required, so that no page can be declared without saying who may open it. */
  who: W;
  /** A live part. Since open pages poll it, its requests share the rights of a visitor for a few seconds. */
  live?: true;
  /** Its entry in the menus. */
  menu?: MenuEntry;
  /** The name by which people can search for a page without a menu entry. */
  name?: Text;
  /** Who sees the entry, if not everybody who may open the page. */
  listedFor?: Who;
  /** The menu entry to mark as current, for pages below another one. */
  below?: MenuEntry;
  show(request: PageRequest<W>, formState: FormState): Result<View | Redirection | Sent>;
}

/** The file of a form. Its field must be the last one. */
export interface FileRule {
  /** The name of its field. */
  name: string;
  max_bytes: number;
  /** The error message for a form without a file; omitted if the file is optional. */
  needs?: Text;
}

type FileOf<F extends FileRule | undefined> = F extends { needs: string }
  ? FormFile
  : F extends FileRule
    ? FormFile | undefined
    : undefined;

interface Acts<W extends Who, S extends TObject, F extends FileRule | undefined> {
  /** The fields of the form. An invalid one shows the error message of the API. */
  form: S;
  /** The form changes nothing, for example a search: everybody who may view the page may submit it. */
  onlyReads?: true;
  file?: F;
  /** The maximum size of a form without a file, if the default of 256 KiB is not enough. */
  bodyLimit?: number;
  /** Error messages for empty required fields. */
  needs?: { [Name in keyof Static<S>]?: Text };
  /**
   * Rules about several fields, which the schema cannot express. Called with the fields that the schema accepts, even if others are
   * invalid. Throws its problems; `checkAll` throws those of several fields. All problems are shown at once.
   */
  check?(request: PageRequest<W>, form: Partial<Static<S>>): Result<unknown>;
  /** Called with a valid form. An invalid form, or a Failure about fields, shows the page again with what was typed. */
  act(request: PageRequest<W>, form: Static<S>, file: FileOf<F>): Result<View | Redirection | Sent>;
}

export interface DeclaredPage extends Shows<Who>, Partial<Acts<Who, TObject, FileRule | undefined>> {
  path: string;
}

/** Collects the pages. The routes, the menus and the tests derive from the list. */
export class Pages {
  readonly all: DeclaredPage[] = [];

  add<const W extends Who, S extends TObject, const F extends FileRule | undefined = undefined>(
    path: string,
    page: Shows<W> & Partial<Acts<W, S, F>>,
  ): void {
    if ((page.form === undefined) !== (page.act === undefined)) throw new Error(`${path} needs both: form and act`);
    // The routes call each page only after checking its `who` and `form`.
    this.all.push({ path, ...(page as unknown as Omit<DeclaredPage, 'path'>) });
  }
}

export type PageModule<App> = (pages: Pages, app: App) => void;
