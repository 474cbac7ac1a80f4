import type { VNode } from 'preact';
import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { type Text, t } from '../../../language/text.ts';
import { OneOf } from '../../../protocol/fields.ts';
import type { Service } from '../../../services/services.ts';
import { pageUrl } from '../../links.ts';
import type { FormState, PageRequest, Pages, Redirection, View } from '../../page.ts';
import { Choices } from '../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { Table } from '../../parts/table.tsx';
import { settingsOf, team } from './service-setting.ts';

interface Row {
  id: string;
  is_default: boolean;
}

interface Change {
  value: string;
  is_default: boolean;
}

/** What the pages say about one sender. */
interface SenderTexts {
  add: Text;
  added: Text;
  change: Text;
  saved: Text;
  archive: Text;
  archived: Text;
  /** The error if the value is missing. */
  enter: Text;
}

/** What a channel calls its senders, and its rules. */
interface SenderKind<R extends Row> {
  /** The path of the list, below /settings. */
  path: string;
  /** The parameter of the path that is the id of a sender. */
  param: string;
  title: Text;
  lead: Text;
  texts: SenderTexts;
  /** Shown instead of an empty list. */
  none: { title: Text; text: Text };
  list(serviceId: string): Promise<R[]>;
  get(serviceId: string, id: string): Promise<R>;
  valueOf(row: R): string;
  note?(row: R): Text | undefined;
  /** Returns the form field, whose name is `value`. */
  field(formState: FormState, value: string | undefined): VNode;
  /** Throws the error for a value that is not valid. */
  check(value: string): void;
  /** Whether the value itself can be changed, or removed. */
  isFixed?(row: R): boolean;
  create(request: PageRequest<typeof team>, change: Change): Promise<Redirection | undefined>;
  update(serviceId: string, id: string, change: Change): Promise<unknown>;
  archive(serviceId: string, id: string): Promise<unknown>;
}

const Form = Type.Object({ value: Type.String({ maxLength: 2_000 }), is_default: Type.Array(OneOf(['yes'])) });

/** The list of the senders of a channel, and pages to add, change and archive one. */
export function addSenderPages<R extends Row>(pages: Pages, kind: SenderKind<R>): void {
  const { path, texts, title } = kind;
  const listOf = (service: { id: string }) => `${settingsOf(service)}/${path}`;
  const crumbs = (service: Service) => [
    { label: t('Settings'), to: settingsOf(service) },
    { label: title, to: listOf(service) },
  ];

  pages.add(`/services/:service_id/settings/${path}`, {
    who: team,
    below: 'Settings',
    name: title,
    async show({ service }) {
      const rows = await kind.list(service.id);
      return {
        title,
        lead: kind.lead,
        crumbs: [{ label: t('Settings'), to: settingsOf(service) }],
        actions: (
          <ButtonLink to={`${listOf(service)}/add`} look="primary">
            {texts.add}
          </ButtonLink>
        ),
        content:
          rows.length === 0 ? (
            <Empty title={kind.none.title}>{kind.none.text}</Empty>
          ) : (
            <SenderTable kind={kind} rows={rows} to={listOf(service)} />
          ),
      };
    },
  });

  pages.add(`/services/:service_id/settings/${path}/add`, {
    who: team,
    below: 'Settings',
    show: async ({ service }, formState) => {
      const isFirst = (await kind.list(service.id)).length === 0;
      return {
        title: texts.add,
        crumbs: crumbs(service),
        content: (
          <SaveForm action={t('Add')} back={listOf(service)}>
            {kind.field(formState, undefined)}
            <Default formState={formState} isDefault={isFirst} />
          </SaveForm>
        ),
      };
    },
    form: Form,
    needs: { value: texts.enter },
    async act(request, { value, is_default }) {
      kind.check(value);
      const isDefault = is_default.length > 0;
      const elsewhere = await kind.create(request, { value, is_default: isDefault });
      return elsewhere ?? { to: listOf(request.service), notice: texts.added };
    },
  });

  const senderView = async ({ service, param }: PageRequest<typeof team>, formState: FormState): Promise<View> => {
    const row = await kind.get(service.id, param(kind.param));
    const isFixed = kind.isFixed?.(row) ?? false;
    return {
      title: texts.change,
      crumbs: crumbs(service),
      content: (
        <div class="stack">
          <SaveForm back={listOf(service)} to={pageUrl(`${listOf(service)}/${row.id}`)}>
            {isFixed ? (
              <input type="hidden" name="value" value={kind.valueOf(row)} />
            ) : (
              kind.field(formState, kind.valueOf(row))
            )}
            {isFixed && <p dir="auto">{kind.valueOf(row)}</p>}
            <Default formState={formState} isDefault={row.is_default} />
          </SaveForm>
          {!isFixed && !row.is_default && (
            <Confirm label={t('Archive')} action={texts.archive} to={pageUrl(`${listOf(service)}/${row.id}/archive`)}>
              {t('Templates that use it will use the default instead.')}
            </Confirm>
          )}
        </div>
      ),
    };
  };

  pages.add(`/services/:service_id/settings/${path}/:${kind.param}`, {
    who: team,
    below: 'Settings',
    show: senderView,
    form: Form,
    needs: { value: texts.enter },
    async act({ service, param }, { value, is_default }) {
      const row = await kind.get(service.id, param(kind.param));
      if (value !== kind.valueOf(row)) kind.check(value);
      await kind.update(service.id, row.id, { value, is_default: is_default.length > 0 });
      return { to: listOf(service), notice: texts.saved };
    },
  });

  pages.add(`/services/:service_id/settings/${path}/:${kind.param}/archive`, {
    who: team,
    below: 'Settings',
    // The form is on the page of the sender; a refusal is shown there.
    async show(request, { problems }) {
      if (problems.size > 0) return senderView(request, { typed: new Map(), problems });
      const { id } = await kind.get(request.service.id, request.param(kind.param));
      return { to: `${listOf(request.service)}/${id}` };
    },
    form: Type.Object({}),
    async act({ service, param }) {
      await kind.archive(service.id, param(kind.param));
      return { to: listOf(service), notice: texts.archived };
    },
  });
}

function Default({ formState, isDefault }: { formState: FormState; isDefault: boolean }) {
  return (
    <Choices
      formState={formState}
      name="is_default"
      legend={t('Default')}
      kind="several"
      choices={[{ value: 'yes', label: t('Use by default') }]}
      chosen={isDefault ? ['yes'] : []}
    />
  );
}

interface SenderTableProps<R extends Row> {
  kind: SenderKind<R>;
  rows: readonly R[];
  to: string;
}

function SenderTable<R extends Row>({ kind, rows, to }: SenderTableProps<R>) {
  return (
    <Table
      caption={kind.title}
      rows={rows}
      keyOf={({ id }) => id}
      columns={[
        {
          head: t('Value'),
          cell: (row) => (
            <>
              <span class="lines" dir="auto">
                {kind.valueOf(row)}
              </span>{' '}
              {row.is_default && <span class="badge tone-blue">{t('Default')}</span>}
              {kind.note?.(row) && <small>{kind.note(row)}</small>}
            </>
          ),
        },
        { head: t('Id'), cell: ({ id }) => <code>{id}</code> },
        {
          head: t('Actions'),
          hidden: true,
          cell: (row) => (
            <a href={pageUrl(`${to}/${row.id}`)}>
              <T>
                Change<span class="sr"> {{ valueOf: kind.valueOf(row) }}</span>
              </T>
            </a>
          ),
        },
      ]}
    />
  );
}
