import type { Calendar } from '../../../countries/calendar.ts';
import { T } from '../../../language/sentence.tsx';
import { joined, type Text, t } from '../../../language/text.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { Icon } from '../../layout/icon.tsx';
import { pageUrl } from '../../links.ts';
import { channelLabels, channelTabs } from '../../message-labels.ts';
import { several } from '../../money.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { maxPlaces } from '../../parts/place-choice.tsx';
import { Stamp } from '../../parts/status.tsx';
import { Segments } from '../../parts/tabs.tsx';
import { TemplateText } from '../../parts/text.tsx';
import { dayAndMonth, Time } from '../../parts/time.tsx';
import { useViewer } from '../../viewer.ts';
import { type Folder, listPath, templatePath } from './library.ts';
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
  /** The day of its last use, if within the last week. */
  used: string | undefined;
  /** The path of its folder, in search results. */
  path: string;
}

export interface ListedFolder extends Folder {
  templates: number;
  folders: number;
}

export interface ListedDraft {
  id: string;
  /** Empty until the writer has typed one. */
  name: string;
  channel: Channel;
  updated_at: string;
}

/** The templates that a person has begun and not saved. */
export function DraftList({
  serviceId,
  drafts,
  now,
}: {
  serviceId: string;
  drafts: readonly ListedDraft[];
  now: Date;
}) {
  if (drafts.length === 0) return null;
  return (
    <section class="card" aria-labelledby="drafts">
      <div class="card-head">
        <h2 id="drafts">{t('Your unsaved drafts')}</h2>
        <span class="small muted">{t('Only you can see them. We keep them for 7 days.')}</span>
      </div>
      <ul class="list">
        {drafts.map(({ id, name, channel, updated_at }) => (
          <li key={id}>
            <Stamp channel={channelLabels[channel].stamp} />
            <a href={pageUrl(`${listPath(serviceId)}/new/${channel}?draft=${id}`)} dir="auto">
              {name.trim() || t('Template without a name')}
            </a>
            <span class="muted">
              <Time at={updated_at} now={now} />
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}

interface ListProps {
  list: ListQuery;
  folders: readonly ListedFolder[];
  templates: readonly ListedTemplate[];
  /** The size of the team, to compare with the number of people who see a folder. */
  people: number;
  canChoose: boolean;
  now: Date;
}

/** Lists folders first, then templates. */
export function TemplateTable({ list, folders, templates, people, canChoose, now }: ListProps) {
  return (
    <div class="table-wrap">
      <table class="table table--hover table--middle">
        <caption class="sr">{t('Templates and folders')}</caption>
        <thead>
          <tr>
            <th scope="col">{t('Name')}</th>
            <th scope="col">{t('Preview')}</th>
            <th scope="col">{t('Version')}</th>
            <th scope="col">{t('Used')}</th>
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
                      aria-label={t('Choose folder {name}', { name: folder.name })}
                    />
                  )}
                  <span class="row stamp-place">
                    <Icon name="folder" />
                  </span>
                  <a href={listUrl(list, { folder: folder.id, findToken: '' })} dir="auto">
                    {folder.name}
                  </a>
                </span>
              </th>
              <td data-label={t('Has')}>
                <span class="muted">{describeFolder(folder, people)}</span>
              </td>
              <td data-label={t('Version')}>
                <span class="muted">–</span>
              </td>
              <td data-label={t('Used')}>
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
  const { calendar } = useViewer().country;
  const { id, name, template_type, version, beginning, author_name, path } = template;
  return (
    <tr>
      <th scope="row">
        <span class="row row--tight">
          {canChoose && (
            <input type="checkbox" name="templates[]" value={id} aria-label={t('Choose {name}', { name })} />
          )}
          <Stamp channel={channelLabels[template_type].stamp} />
          <span>
            <a href={pageUrl(templatePath(list.service_id, id))} dir="auto">
              {name}
            </a>
            {path && (
              <small>
                <T>in {{ path }}</T>
              </small>
            )}
          </span>
        </span>
      </th>
      <td data-label={t('Preview')}>
        <span class="muted" dir="auto">
          <TemplateText text={beginning.length < 160 ? beginning : `${beginning}…`} />
        </span>
      </td>
      <td data-label={t('Version')}>
        <T>
          v{{ version }}{' '}
          <small>
            {{ authorName: author_name }}, <Time at={template.updated_at ?? template.created_at} now={now} />
          </small>
        </T>
      </td>
      <td data-label={t('Used')}>{formatUse(calendar, template.used, now)}</td>
    </tr>
  );
}

function describeFolder({ templates, folders, users_with_permission }: ListedFolder, people: number): Text {
  const seen = users_with_permission.length;
  const content = [
    ...(templates > 0 || folders === 0 ? [several(templates, 'template')] : []),
    ...(folders > 0 ? [several(folders, 'folder')] : []),
  ];
  const who = seen >= people ? t('seen by everybody') : t('seen by {seen} of {people}', { seen, people });
  return joined([...content, who], ', ');
}

function formatUse(calendar: Calendar, day: string | undefined, now: Date) {
  if (day === undefined) return <span class="muted">{t('Not used this week')}</span>;
  return day === calendar.day(now) ? t('today') : dayAndMonth(calendar, calendar.start(day));
}

export function EmptyList({ list, canEdit }: { list: ListQuery; canEdit: boolean }) {
  const isFiltered = list.find !== '' || list.channel !== undefined || list.archived;
  if (isFiltered) {
    return (
      <Empty title={list.archived ? t('No archived templates') : t('Nothing found')}>
        {list.find !== ''
          ? t('No template has these words in its name or texts. Try fewer words.')
          : t('No template matches. Choose another channel.')}
      </Empty>
    );
  }
  return (
    <Empty title={list.folder === null ? t('No templates yet') : t('This folder is empty')}>
      {t('A template is a message with placeholders, such as ((name)), for something that changes for each person.')}
      {!canEdit && <> {t('Ask someone who can edit templates to write one.')}</>}
      {canEdit && (
        <span class="row">
          <ButtonLink
            to={`${listPath(list.service_id)}/new${list.folder === null ? '' : `?folder=${list.folder}`}`}
            look="primary"
          >
            {list.folder === null ? t('Write the first one') : t('Write a template')}
          </ButtonLink>
        </span>
      )}
    </Empty>
  );
}

export function ListToolbar({ list }: { list: ListQuery }) {
  return (
    <div class="toolbar">
      <Segments name={t('Channel')} tabs={channelTabs(list.channel, (channel) => listUrl(list, { channel }))} />
      <search aria-label={t('Templates')}>
        <form class="row" method="post" action={listUrl(list, { findToken: '' })}>
          <label class="sr" for="find">
            {t('Name, id or words')}
          </label>
          <input
            class="input input--small input--short"
            id="find"
            name="find"
            type="search"
            value={list.find}
            placeholder={t('Name, id or words')}
            autocomplete="off"
          />
          <button class="button button--small" type="submit" name="do" value="find">
            {t('Find')}
          </button>
          {list.find !== '' && <a href={listUrl(list, { findToken: '' })}>{t('Show all')}</a>}
        </form>
      </search>
    </div>
  );
}

interface ChosenProps {
  folders: readonly { id: string; path: string }[];
  canMoveUp: boolean;
}

/** Actions for the selected rows. */
export function SelectionBar({ folders, canMoveUp }: ChosenProps) {
  const canMove = folders.length > 0 || canMoveUp;
  return (
    <div class="card-head small">
      <b>{t('Selected rows')}</b>
      <div class="row">
        {canMove && folders.length < maxPlaces && <MoveTo folders={folders} />}
        {folders.length >= maxPlaces && (
          <button class="button button--small" type="submit" name="do" value="choose-folder">
            {t('Move…')}
          </button>
        )}
        <button class="button button--small" type="submit" name="do" value="copy">
          {t('Copy…')}
        </button>
        <button class="button button--small button--danger" type="submit" name="do" value="archive">
          {t('Archive…')}
        </button>
      </div>
    </div>
  );
}

function MoveTo({ folders }: Pick<ChosenProps, 'folders'>) {
  return (
    <>
      <label class="sr" for="move_to">
        {t('Move to')}
      </label>
      <select class="input input--small input--short" id="move_to" name="move_to">
        <option value="">{t('Top level')}</option>
        {folders.map(({ id, path }) => (
          <option key={id} value={id}>
            {path}
          </option>
        ))}
      </select>
      <button class="button button--small" type="submit" name="do" value="move">
        {t('Move')}
      </button>
    </>
  );
}
