import { Type } from 'typebox';
import { declared, t } from '../../../../language/text.ts';
import { labelOfType, OrganisationTypes } from '../../../../organisations/organisation-types.ts';
import { createOrganisation, searchOrganisations } from '../../../../organisations/organisations.ts';
import { Name } from '../../../../protocol/fields.ts';
import { reachable } from '../../../access/find-page.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { Icon } from '../../../layout/icon.tsx';
import { pageUrl } from '../../../links.ts';
import { addListPage } from '../../../list-page.tsx';
import { count } from '../../../money.ts';
import type { Pages } from '../../../page.ts';
import { Choices, Field } from '../../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../../parts/form.tsx';
import { Table } from '../../../parts/table.tsx';

const path = '/operator/organisations';

export function operatorOrganisationPages(pages: Pages, app: ConsoleApp): void {
  addListPage(pages, app, {
    path,
    menu: 'Organisations',
    lead: () => t('An organisation has services, brands, and people who can see all of its services.'),
    actions: ({ visitor }) =>
      reachable(pages.all, visitor.user, `${path}/add`) && (
        <ButtonLink to={`${path}/add`} look="primary">
          <Icon name="plus" small />
          {t('Add an organisation')}
        </ButtonLink>
      ),
    searchLabel: t('Name of an organisation'),
    async read({ text, skip, limit }) {
      const { organisations, total } = await searchOrganisations(app.db, { text, skip, limit });
      return { rows: organisations, total };
    },
    empty: {
      title: t('No organisations found'),
      text: t('Search for another part of the name, or add an organisation.'),
    },
    list: (organisations) => (
      <Table
        caption={t('Organisations')}
        rows={organisations}
        keyOf={({ id }) => id}
        columns={[
          {
            head: t('Organisation'),
            cell: ({ id, name, active }) => (
              <>
                <a href={pageUrl(`/organisations/${id}`)} dir="auto">
                  {name}
                </a>{' '}
                {!active && <span class="badge">{t('Archived')}</span>}
              </>
            ),
          },
          {
            head: t('Type'),
            cell: ({ organisation_type: type }) =>
              type ? labelOfType(app.country, type) : <span class="muted">{t('Not known')}</span>,
          },
          {
            head: t('Domains'),
            cell: ({ domains }) => domains.slice(0, 3).join(', ') + (domains.length > 3 ? ' …' : ''),
          },
          {
            head: t('Live services'),
            cell: ({ count_of_live_services }) => count(count_of_live_services),
            numeric: true,
          },
        ]}
      />
    ),
  });

  pages.add(`${path}/add`, {
    who: 'platform-admin',
    below: 'Organisations',
    show: (_asked, formState) => ({
      title: t('Add an organisation'),
      crumbs: [{ label: t('Organisations'), to: path }],
      content: (
        <SaveForm action={t('Add')} back={path}>
          <Field formState={formState} name="name" label={t('Name')} autocomplete="off" />
          <Choices
            formState={formState}
            name="type"
            legend={t('Type')}
            hint={t('The type decides how many texts a service of the organisation can send for free.')}
            kind="one"
            choices={app.country.organisations.types.map(({ id, label }) => ({ value: id, label: declared(label) }))}
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({
      name: Name,
      type: OrganisationTypes(app.country),
    }),
    needs: { name: t('Enter a name.'), type: t('Choose a type.') },
    async act(_asked, { name, type }) {
      const { id } = await createOrganisation(app, { name, crown: false, organisation_type: type });
      return { to: `/organisations/${id}/settings`, notice: t('Organisation added.') };
    },
  });
}
