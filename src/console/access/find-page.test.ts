import { expect, it } from 'vitest';
import { type DeclaredPage, Pages } from '../page.ts';
import { findPage } from './find-page.ts';

const id = '4f46df42-f795-4cc4-83bb-65ca312f49cc';

function declared(...paths: string[]): readonly DeclaredPage[] {
  const pages = new Pages();
  for (const path of paths) pages.add(path, { who: 'anyone', show: () => ({ to: path }) });
  return pages.all;
}

function find(pages: readonly DeclaredPage[], address: string) {
  const found = findPage(pages, address);
  return found && [found.page.path, found.params];
}

it('a fixed segment takes precedence over a parameter, wherever it was declared', () => {
  const pages = declared('/keys/:name', '/keys/new', '/:place/list', '/keys/:name/list', '');
  expect(find(pages, '/keys/new')).toEqual(['/keys/new', {}]);
  expect(find(pages, '/keys/old')).toEqual(['/keys/:name', { name: 'old' }]);
  expect(find(pages, '/other/list')).toEqual(['/:place/list', { place: 'other' }]);
  expect(find(pages, '/keys/new/list')).toEqual(['/keys/:name/list', { name: 'new' }]);
  expect(find(pages, '')).toEqual(['', {}]);
  expect(find(pages, '/keys')).toBeUndefined();
  expect(find(pages, '/keys/new/list/more')).toBeUndefined();
});

it('the query, empty segments and escapes do not matter', () => {
  const pages = declared('/reports/:report', '/services/:service_id');
  expect(find(pages, '/reports//caf%C3%A9%2Fbar/?day=1')).toEqual(['/reports/:report', { report: 'café/bar' }]);
  expect(find(pages, `/services/${id}?x=/a`)).toEqual(['/services/:service_id', { service_id: id }]);
});

it('an id that is no UUID matches no page', () => {
  const pages = declared('/services/:service_id', '/services/add');
  expect(find(pages, '/services/1')).toBeUndefined();
  expect(find(pages, `/services/${id}x`)).toBeUndefined();
  expect(find(pages, '/services/add')).toEqual(['/services/add', {}]);
});
