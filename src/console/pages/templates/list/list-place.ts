import { isUuid } from '../../../../platform/id.ts';
import { type Channel, channels } from '../../../../protocol/channels.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { readSearch } from '../../../kept-search.ts';
import type { Asked } from '../../../page.ts';
import { listPath } from '../library.ts';

/** What part of the list is shown. */
export interface ListPlace {
  service_id: string;
  folder: string | null;
  channel: Channel | undefined;
  find: string;
  /** As in the address. */
  kept: string;
  archived: boolean;
  page: number;
}

export function listPlaceOf(app: ConsoleApp, { service, visitor, query }: Asked<{ service: 'any' }>): ListPlace {
  const kept = query('find');
  const page = Number(query('page') || 1);
  return {
    service_id: service.id,
    folder: isUuid(query('folder')) ? query('folder') : null,
    channel: channels.find((channel) => channel === query('channel')),
    find: readSearch(app, visitor, kept),
    kept,
    archived: query('archived') === 'yes',
    page: Number.isInteger(page) && page > 0 && page < 1_000 ? page : 1,
  };
}

export function addressOf(place: ListPlace, change: Partial<ListPlace> = {}): string {
  const { service_id, folder, channel, kept, archived, page } = { ...place, page: 1, ...change };
  return `/console${listPath(service_id, {
    folder: folder ?? undefined,
    channel,
    find: kept,
    archived: archived ? 'yes' : undefined,
    page: page > 1 ? String(page) : undefined,
  })}`;
}
