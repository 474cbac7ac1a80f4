import type { DeclaredPage } from '../../../../src/console/page.ts';
import type { Harness } from '../../harness.ts';
import { ConsoleVisitor, type Page } from '../console-visitor.ts';
import type { ConsoleWorld } from '../console-world.ts';
import { accountActions } from './account-actions.ts';
import type { Action, Actions } from './action.ts';
import { messageActions } from './message-actions.ts';
import { operatorActions } from './operator-actions.ts';
import { sendingActions } from './sending-actions.ts';
import { serviceActions } from './service-actions.ts';
import { settingActions } from './setting-actions.ts';

/** The actions that send the form of every page, in an order in which each finds what it needs. */
export const everyAction: Actions = (harness, world) =>
  [accountActions, messageActions, serviceActions, sendingActions, settingActions, operatorActions].flatMap((list) =>
    list(harness, world),
  );

/** Sends the form of an action to its page. */
export function sendAction(
  harness: Harness,
  world: ConsoleWorld,
  pages: ReadonlyMap<string, DeclaredPage>,
  { path, by = 'stranger', form = {}, file, ids, query = '' }: Action,
  headers: Record<string, string> = {},
): Promise<Page> {
  const page = pages.get(path);
  if (!page) throw new Error(`There is no page with a form at ${path}`);
  const browser = by instanceof ConsoleVisitor ? by : (world.visitors.get(by)?.browser ?? new ConsoleVisitor(harness));
  const url = `${world.urlOf(page, ids)}${query}`;
  const sent = { 'sec-fetch-site': 'same-origin', ...headers };
  if (!file && !page.file) return browser.post(url, form, sent);
  const single = Object.fromEntries(Object.entries(form).map(([name, value]) => [name, String(value)]));
  return browser.postFile(url, single, file ?? { field: page.file?.name ?? '', name: '', content: '' }, sent);
}
