import { londonDay, londonInstant } from '../../../../platform/calendar.ts';
import type { Channel } from '../../../../protocol/channels.ts';
import { Icon } from '../../../layout/icon.tsx';
import { Stamp } from '../../../parts/status.tsx';
import { TemplateText } from '../../../parts/template-text.tsx';
import { dayAndMonth, Time } from '../../../parts/time.tsx';
import { channelWords, type Folder, templatePath } from '../library.ts';
import { type ListQuery, listUrl } from './list-query.ts';

export interface ListedTemplate {
  id: string;
  name: string;
  template_type: Channel;
  version: number;
  created_at: string;
  updated_at: string | null;
  beginning: string;
  author_name: string;
  /** London day, within the last week. */
  used: string | undefined;
  /** Where a search found it. */
  path: string;
}

export interface ListedFolder extends Folder {
  templates: number;
  folders: number;
}

interface ListProps {
  list: ListQuery;
  folders: readonly ListedFolder[];
  templates: readonly ListedTemplate[];
  /** Of the team, to compare with those who see a folder. */
  people: number;
  canChoose: boolean;
  now: Date;
}

/** Folders first, then templates. */
export function TemplateTable({ list, folders, templates, people, canChoose, now }: ListProps) {
  return (
    <div class="table-wrap">
      <table class="table table--hover table--middle">
        <caption class="sr">Templates and folders</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Begins</th>
            <th scope="col">Version</th>
            <th scope="col">Used</th>
          </tr>
        </thead>
        <tbody>
          {folders.map((folder) => (
            <tr key={folder.id}>
              <th scope="row">
                <span class="row row--tight">
                  {canChoose && (
                    <input
                      type="checkbox"
                      name="folders[]"
                      value={folder.id}
                      aria-label={`Choose folder ${folder.name}`}
                    />
                  )}
                  <span class="row stamp--small">
                    <Icon name="folder" />
                  </span>
                  <a href={listUrl(list, { folder: folder.id, kept: '' })}>{folder.name}</a>
                </span>
              </th>
              <td data-label="Has">
                <span class="muted">{folderInWords(folder, people)}</span>
              </td>
              <td data-label="Version">
                <span class="muted">–</span>
              </td>
              <td data-label="Used">
                <span class="muted">–</span>
              </td>
            </tr>
          ))}
          {templates.map((template) => (
            <TemplateRow key={template.id} list={list} template={template} canChoose={canChoose} now={now} />
          ))}
        </tbody>
      </table>
    </div>
  );
}

type RowProps = Pick<ListProps, 'list' | 'canChoose' | 'now'> & { template: ListedTemplate };

function TemplateRow({ list, template, canChoose, now }: RowProps) {
  const { id, name, template_type, version, beginning, author_name, path } = template;
  return (
    <tr>
      <th scope="row">
        <span class="row row--tight">
          {canChoose && <input type="checkbox" name="templates[]" value={id} aria-label={`Choose ${name}`} />}
          <Stamp channel={channelWords[template_type].stamp} small />
          <span>
            <a href={`/console${templatePath(list.service_id, id)}`}>{name}</a>
            {path && <small>in {path}</small>}
          </span>
        </span>
      </th>
      <td data-label="Begins">
        <span class="muted">
          <TemplateText text={beginning.length < 160 ? beginning : `${beginning}…`} />
        </span>
      </td>
      <td data-label="Version">
        v{version}{' '}
        <small>
          {author_name}, <Time at={template.updated_at ?? template.created_at} now={now} />
        </small>
      </td>
      <td data-label="Used">{usedInWords(template.used, now)}</td>
    </tr>
  );
}

const several = (count: number, noun: string) => `${count.toLocaleString('en-GB')} ${noun}${count === 1 ? '' : 's'}`;

function folderInWords({ templates, folders, users_with_permission }: ListedFolder, people: number): string {
  const seen = users_with_permission.length;
  const content = [
    ...(templates > 0 || folders === 0 ? [several(templates, 'template')] : []),
    ...(folders > 0 ? [several(folders, 'folder')] : []),
  ];
  const who = seen >= people ? 'seen by everybody' : `seen by ${seen} of ${people}`;
  return [...content, who].join(', ');
}

function usedInWords(day: string | undefined, now: Date) {
  if (day === undefined) return <span class="muted">not this week</span>;
  return day === londonDay(now) ? 'today' : dayAndMonth(londonInstant(day));
}
