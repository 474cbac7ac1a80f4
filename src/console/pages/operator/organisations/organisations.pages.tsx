import { Type } from 'typebox';
import { createOrganisation, organisationTypes, searchOrganisations } from '../../../../organisations/organisations.ts';
import { OneOf } from '../../../../protocol/fields.ts';
import { reachable } from '../../../access/reachable.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { keepSearch, readSearch } from '../../../kept-search.ts';
import { Icon } from '../../../layout/icon.tsx';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Choices } from '../../../parts/choices.tsx';
import { Field } from '../../../parts/field.tsx';
import { ListSearch } from '../../../parts/list-search.tsx';
import { OffsetPager, pageNumber, pageSize } from '../../../parts/offset-pager.tsx';
import { SaveForm } from '../../../parts/save-form.tsx';
import { Table } from '../../../parts/table.tsx';
import { typeNames } from '../../organisations/settings-fields.ts';

const path = '/operator/organisations';

/** Every organisation. */
export function operatorOrganisationPages(pages: Pages, app: ConsoleApp): void {
  pages.add(path, {
    who: 'operator',
    menu: 'Organisations',
    async show({ visitor, query }) {
      const kept = query('find');
      const text = readSearch(app, visitor, kept);
      const page = pageNumber(query('page'));
      const which = { text, skip: (page - 1) * pageSize, limit: pageSize };
      const { organisations, total } = await searchOrganisations(app.db, which);
      const add = reachable(pages.all, visitor.user, `${path}/add`);
      return {
        title: 'Organisations',
        lead: 'An organisation has services, people who see all of them, and brands.',
        actions: add && (
          <a class="button button--primary" href={add}>
            <Icon name="plus" small />
            Add an organisation
          </a>
        ),
        content: (
          <div class="stack">
            <ListSearch
              name="Organisations"
              label="Name of an organisation"
              path={`/console${path}`}
              find={text}
              found={`${count(total)} found`}
            />
            {organisations.length === 0 ? (
              <div class="empty">
                <h2>No organisation found</h2>
                <p>Search for another part of the name, or add an organisation.</p>
              </div>
            ) : (
              <Table
                caption="Organisations"
                rows={organisations}
                keyOf={({ id }) => id}
                columns={[
                  {
                    head: 'Organisation',
                    cell: ({ id, name, active }) => (
                      <>
                        <a href={`/console/organisations/${id}`}>{name}</a>{' '}
                        {!active && <span class="badge">Archived</span>}
                      </>
                    ),
                  },
                  {
                    head: 'Type',
                    cell: ({ organisation_type: type }) =>
                      type ? typeNames[type] : <span class="muted">Not said</span>,
                  },
                  {
                    head: 'Domains',
                    cell: ({ domains }) => domains.slice(0, 3).join(', ') + (domains.length > 3 ? ' …' : ''),
                  },
                  {
                    head: 'Live services',
                    cell: ({ count_of_live_services }) => count(count_of_live_services),
                    numeric: true,
                  },
                ]}
              />
            )}
            <OffsetPager
              page={page}
              total={total}
              to={(other) =>
                `/console${path}?${new URLSearchParams({ ...(text && { find: kept }), page: String(other) })}`
              }
            />
          </div>
        ),
      };
    },
    onlyReads: true,
    form: Type.Object({ find: Type.Optional(Type.String({ maxLength: 255 })) }),
    act({ visitor }, { find = '' }) {
      return { to: `${path}${find && `?${new URLSearchParams({ find: keepSearch(app, visitor, find) })}`}` };
    },
  });

  pages.add(`${path}/add`, {
    who: 'platform-admin',
    below: 'Organisations',
    show: (_asked, formState) => ({
      title: 'Add an organisation',
      crumbs: [{ label: 'Organisations', to: path }],
      content: (
        <SaveForm action="Add" back={path}>
          <Field formState={formState} name="name" label="Name" autocomplete="off" />
          <Choices
            formState={formState}
            name="type"
            legend="Type"
            hint="It decides how many texts a service of the organisation can send for free."
            kind="one"
            choices={organisationTypes.map((value) => ({ value, label: typeNames[value] }))}
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({
      name: Type.String({ minLength: 1, maxLength: 255 }),
      type: OneOf(organisationTypes),
    }),
    needs: { name: 'Enter a name.', type: 'Choose a type.' },
    async act(_asked, { name, type }) {
      const { id } = await createOrganisation(app, { name, crown: false, organisation_type: type });
      return { to: `/organisations/${id}/settings`, notice: `${name} is added.` };
    },
  });
}
