import type { ComponentChildren } from 'preact';
import { type Static, type TObject, Type } from 'typebox';
import { asIs, declared, joined, type Text, t } from '../../../language/text.ts';
import { hasCrownBodies, labelOfType, OrganisationTypes } from '../../../organisations/organisation-types.ts';
import { archiveOrganisation, getOrganisation, type Organisation } from '../../../organisations/organisations.ts';
import { invalidField } from '../../../platform/failure.ts';
import { Name } from '../../../protocol/fields.ts';
import { updateOrganisationAndServices } from '../../../services/organisations/organisation-services.ts';
import { reachable } from '../../access/find-page.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { Choices, Field, TextArea } from '../../parts/field.tsx';
import { SaveForm } from '../../parts/form.tsx';
import { Summary } from '../../parts/table.tsx';
import { addSettingPage, OneText, oneText, type Setting, YesNo, yesOrNo } from '../../setting-page.tsx';
import { organisationView, pathOf } from './organisation-view.tsx';

const yesNo = (value: boolean | null) => (value === null ? t('Not set') : value ? t('Yes') : t('No'));
const joining = 'can_ask_to_join_a_service';
const maxDomains = 200;

interface OrganisationSetting<S extends TObject> extends Setting<Organisation, S> {
  change(form: Static<S>): Parameters<typeof updateOrganisationAndServices>[2];
}

/** Settings of an organisation that the operator controls. */
export function organisationSettingPages(pages: Pages, app: ConsoleApp): void {
  const switches = everySwitch.filter(({ field }) => field !== 'crown' || hasCrownBodies(app.country));
  const settingsOf = (organisation: { id: string }) => `${pathOf(organisation)}/settings`;

  pages.add('/organisations/:organisation_id/settings', {
    who: 'operator',
    below: 'Organisations',
    async show({ param, visitor }) {
      const organisation = await getOrganisation(app.db, param('organisation_id'));
      const mayChange = visitor.user.platform_admin && organisation.active;
      const row = (label: Text, value: ComponentChildren, path: string) => ({
        label,
        value,
        ...(mayChange ? { change: `${settingsOf(organisation)}/${path}` } : {}),
      });
      const { name, organisation_type: type, domains } = organisation;
      const brands = `/operator/organisations/${organisation.id}/brands`;
      const maySeeBrands = organisation.active && reachable(pages.all, visitor.user, brands);
      return organisationView(pages, {
        organisation,
        visitor,
        at: '/settings',
        content: (
          <>
            <section class="card" aria-label={t('Settings')}>
              <Summary
                rows={[
                  row(t('Name'), name, 'name'),
                  row(t('Type'), type ? labelOfType(app.country, type) : t('Not set'), 'type'),
                  row(t('Domains'), domains.length > 0 ? domains.join(', ') : t('None'), 'domains'),
                  {
                    label: t('Brands'),
                    value: t('The brands its services can choose'),
                    ...(maySeeBrands ? { change: brands } : {}),
                  },
                  row(
                    t('People can ask to join a service'),
                    yesNo(organisation.permissions.includes(joining)),
                    'joining',
                  ),
                  ...switches.map(({ title, field, path }) => row(title, yesNo(organisation[field]), path)),
                  ...textSettings.map(({ title, field, path }) => row(title, organisation[field] ?? t('None'), path)),
                ]}
              />
            </section>
            {mayChange && (
              <p>
                <a href={pageUrl(`${settingsOf(organisation)}/archive`)}>{t('Archive this organisation')}</a>
              </p>
            )}
          </>
        ),
      });
    },
  });

  function addSetting<S extends TObject>({ path, change, ...setting }: OrganisationSetting<S>): void {
    addSettingPage(pages, {
      ...setting,
      path: `/organisations/:organisation_id/settings/${path}`,
      who: 'platform-admin',
      below: 'Organisations',
      owner: ({ param }) => getOrganisation(app.db, param('organisation_id')),
      summary: (organisation) => ({ label: asIs(organisation.name), to: settingsOf(organisation) }),
      async save({ id, active }, form) {
        if (!active) throw invalidField('', t('This organisation is archived.'));
        await updateOrganisationAndServices(app, id, change(form));
        return undefined;
      },
    });
  }

  addSetting({
    path: 'name',
    title: t('Name of the organisation'),
    fields: ({ name }, formState) => (
      <Field formState={formState} name="name" label={t('Name')} value={name} autocomplete="off" />
    ),
    form: Type.Object({ name: Name }),
    needs: { name: t('Enter a name.') },
    change: ({ name }) => ({ name }),
  });

  addSetting({
    path: 'type',
    title: t('Type of the organisation'),
    lead: t('All services of the organisation get this type, and the free texts that go with it this financial year.'),
    fields: ({ organisation_type }, formState) => (
      <Choices
        formState={formState}
        name="type"
        legend={t('Type')}
        kind="one"
        choices={app.country.organisations.types.map(({ id, label }) => ({ value: id, label: declared(label) }))}
        chosen={organisation_type ? [organisation_type] : []}
      />
    ),
    form: Type.Object({ type: OrganisationTypes(app.country) }),
    needs: { type: t('Choose a type.') },
    change: ({ type }) => ({ organisation_type: type }),
  });

  addSetting({
    path: 'domains',
    title: t('Domains'),
    lead: t(
      'A service belongs to the organisation if the person who adds it has an email address at one of these domains.',
    ),
    fields: ({ domains }, formState) => (
      <TextArea
        formState={formState}
        name="domains"
        label={t('Domains, one on each line')}
        rows={6}
        value={domains.join('\n')}
      />
    ),
    form: Type.Object({ domains: Type.Optional(Type.String({ maxLength: 20_000 })) }),
    change: ({ domains = '' }) => ({ domains: readDomains(domains) }),
  });

  addSetting({
    path: 'joining',
    title: t('People can ask to join a service'),
    lead: t('People with an email address of the organisation can see its services and ask to join their teams.'),
    fields: ({ permissions }, formState) => (
      <YesNo formState={formState} legend={t('Can ask to join')} isYes={permissions.includes(joining)} />
    ),
    ...yesOrNo,
    change: ({ value }) => ({ permissions: value === 'yes' ? [joining] : [] }),
  });

  for (const { path, field, title, lead } of switches) {
    addSetting({
      path,
      title,
      lead,
      fields: (organisation, formState) => (
        <YesNo formState={formState} legend={title} isYes={organisation[field] ?? false} />
      ),
      ...yesOrNo,
      change: ({ value }) => ({ [field]: value === 'yes' }),
    });
  }

  for (const { path, field, title, maxLength } of textSettings) {
    addSetting({
      path,
      title,
      fields: (organisation, formState) => (
        <OneText formState={formState} label={title} maxLength={maxLength} value={organisation[field]} />
      ),
      ...oneText(maxLength),
      change: ({ value }) => ({ [field]: value ?? null }),
    });
  }

  pages.add('/organisations/:organisation_id/settings/archive', {
    who: 'platform-admin',
    below: 'Organisations',
    async show({ param }) {
      const organisation = await getOrganisation(app.db, param('organisation_id'));
      return {
        title: t('Archive {name}?', { name: organisation.name }),
        crumbs: [{ label: asIs(organisation.name), to: settingsOf(organisation) }],
        content: (
          <SaveForm action={t('Archive')} danger back={settingsOf(organisation)}>
            <p>
              {t(
                'Its domains and default brands are removed, and its name can be used again. The organisation must have no active services, no members and no open invitations. You cannot undo this.',
              )}
            </p>
          </SaveForm>
        ),
      };
    },
    form: Type.Object({}),
    async act({ param }) {
      const { id, name } = await getOrganisation(app.db, param('organisation_id'));
      await archiveOrganisation(app, id);
      return { to: '/operator/organisations', notice: t('{name} archived.', { name }) };
    },
  });
}

function readDomains(text: string): string[] {
  const domains = [
    ...new Set(
      text
        .toLowerCase()
        .split(/[\s,;]+/)
        .filter(Boolean),
    ),
  ];
  if (domains.length > maxDomains)
    throw invalidField('domains', t('Enter at most {maxDomains} domains.', { maxDomains }));
  const wrong = domains.filter((domain) => !/^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$/.test(domain) || domain.length > 255);
  if (wrong.length > 0) {
    const named = joined(
      wrong.map((domain) => t('“{text}”', { text: domain.slice(0, 100) })),
      ', ',
    );
    throw invalidField('domains', t('Enter only what follows the @, such as example.org. Check {named}.', { named }));
  }
  return domains;
}

/** Texts about the organisation that only operators see, except the notes for requests to go live. */
const textSettings = [
  {
    path: 'go-live-notes',
    field: 'request_to_go_live_notes',
    title: t('Notes for requests to go live'),
    maxLength: 10_000,
  },
  { path: 'notes', field: 'notes', title: t('Notes'), maxLength: 10_000 },
  { path: 'billing-names', field: 'billing_contact_names', title: t('Billing contacts'), maxLength: 2_000 },
  {
    path: 'billing-addresses',
    field: 'billing_contact_email_addresses',
    title: t('Email addresses of billing contacts'),
    maxLength: 2_000,
  },
  { path: 'purchase-order', field: 'purchase_order_number', title: t('Purchase order number'), maxLength: 255 },
  { path: 'billing-reference', field: 'billing_reference', title: t('Billing reference'), maxLength: 255 },
  {
    path: 'agreement-name',
    field: 'agreement_signed_on_behalf_of_name',
    title: t('Agreement signed on behalf of'),
    maxLength: 255,
  },
] as const;

/** Settings that are on or off. */
const everySwitch = [
  {
    path: 'self-approval',
    field: 'can_approve_own_go_live_requests',
    title: t('Decides about requests to go live itself'),
    lead: t('Members who can make services live decide about the services of the organisation, without you.'),
  },
  {
    path: 'agreement',
    field: 'agreement_signed',
    title: t('Agreement signed'),
    lead: t('Whether the organisation has signed an agreement with you. We do not tell anyone about a change.'),
  },
  {
    path: 'crown',
    field: 'crown',
    title: t('Crown body'),
    lead: t('For organisations of the government of the United Kingdom. Its services become Crown bodies, too.'),
  },
] as const;
