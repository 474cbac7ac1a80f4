import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl, withQuery } from '../../links.ts';
import { channelLabels } from '../../message-labels.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Stamp } from '../../parts/status.tsx';
import { Table } from '../../parts/table.tsx';
import type { ListQuery } from '../templates/list-query.ts';

/** Returns the path of the list with `changes`. A different list starts at its first page. */
export function sendPath(list: ListQuery, changes: Partial<ListQuery> = {}): string {
  const { service_id, folder, channel, findToken: find, page } = { ...list, page: 1, ...changes };
  return withQuery(`/services/${service_id}/send`, {
    folder: folder ?? undefined,
    channel,
    find,
    page: page > 1 ? page : undefined,
  });
}

export const sendUrl = (list: ListQuery, changes: Partial<ListQuery> = {}) => pageUrl(sendPath(list, changes));

export function countFound(total: number): Text {
  return t('{count, plural, =0 {No templates found.} one {# template found.} other {# templates found.}}', {
    count: total,
  });
}

interface Folder {
  id: string;
  name: string;
}

interface Template extends Folder {
  template_type: Channel;
  folder: string | null;
}

interface ChoiceTableProps {
  list: ListQuery;
  folders: readonly Folder[];
  templates: readonly Template[];
  /** The folder names of templates that a search found in several folders. */
  paths: ReadonlyMap<string, string>;
}

/** Lists folders first, then templates with the ways to send them. */
export function ChoiceTable({ list, folders, templates, paths }: ChoiceTableProps) {
  const path = `/services/${list.service_id}`;
  return (
    <Table<Folder | Template>
      caption={t('Templates')}
      rows={[...folders, ...templates]}
      keyOf={({ id }) => id}
      middle
      columns={[
        {
          head: t('Template'),
          cell: (row) => (
            <span class="row row--tight">
              {'template_type' in row ? (
                <>
                  <Stamp channel={channelLabels[row.template_type].stamp} />
                  <span dir="auto">
                    {row.name}
                    {row.folder !== null && paths.has(row.folder) && (
                      <small>
                        <T>in {{ get: paths.get(row.folder) }}</T>
                      </small>
                    )}
                  </span>
                </>
              ) : (
                <>
                  <span class="row stamp-place">
                    <Icon name="folder" />
                  </span>
                  <a href={sendUrl(list, { folder: row.id, findToken: '' })} dir="auto">
                    {row.name}
                  </a>
                </>
              )}
            </span>
          ),
        },
        {
          head: t('Send to'),
          hidden: true,
          cell: (row) =>
            'template_type' in row && (
              <>
                <ButtonLink to={`${path}/send/${row.id}`} small>
                  <T>
                    One person<span class="sr"> with {{ name: row.name }}</span>
                  </T>
                </ButtonLink>{' '}
                <ButtonLink to={`${path}/files/new/${row.id}`} small>
                  <T>
                    Upload a list<span class="sr"> with {{ name: row.name }}</span>
                  </T>
                </ButtonLink>
              </>
            ),
        },
      ]}
    />
  );
}
