import { Type } from 'typebox';
import type { PhoneRules } from '../../../../countries/phone-rules.ts';
import { T } from '../../../../language/sentence.tsx';
import { list, type Text, t } from '../../../../language/text.ts';
import { invalidField, notFound } from '../../../../platform/failure.ts';
import { isUuid } from '../../../../platform/id.ts';
import { normaliseOwnNumber } from '../../../../recipients/phone-number.ts';
import { removeWhitespace } from '../../../../recipients/whitespace.ts';
import {
  assignInboundNumber,
  createInboundNumber,
  listInboundNumbers,
  removeInboundNumber,
} from '../../../../services/inbound-numbers/inbound-numbers.ts';
import { updateService } from '../../../../services/service-update.ts';
import { findServicesByName, getService } from '../../../../services/services.ts';
import type { ConsoleApp } from '../../../console-app.ts';
import { pageUrl } from '../../../links.ts';
import { providerName } from '../../../message-labels.ts';
import type { Pages } from '../../../page.ts';
import { Field, Select } from '../../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { withPermission } from '../../settings/service-setting.ts';
import { ProviderTabs } from '../providers/provider-parts.tsx';

const here = '/operator/inbound-numbers';
const crumbs = [{ label: t('Inbound numbers'), to: here }];

/** The numbers on which services receive texts. */
export function inboundNumberPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'operator',
    below: 'Providers',
    name: t('Inbound numbers'),
    async show({ visitor }) {
      const numbers = await listInboundNumbers(app.db);
      const canChange = visitor.user.platform_admin;
      return {
        title: t('Inbound numbers'),
        lead: t('Services receive texts at these numbers. The next service that asks gets a free one.'),
        actions: canChange && (
          <ButtonLink to={`${here}/new`} look="primary">
            {t('Add a number')}
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            <ProviderTabs current="numbers" />
            {numbers.length === 0 ? (
              <Empty title={t('No numbers yet')}>
                {canChange
                  ? t('Add the numbers that you rent from a provider. Services can then receive texts.')
                  : t('A platform administrator can add the numbers that you rent from a provider.')}
              </Empty>
            ) : (
              <Table
                caption={t('Inbound numbers')}
                rows={numbers}
                keyOf={({ id }) => id}
                middle
                columns={[
                  { head: t('Number'), cell: ({ number }) => number },
                  { head: t('Provider'), cell: ({ provider }) => providerName(provider) },
                  {
                    head: t('Service'),
                    cell: ({ service }) =>
                      service ? (
                        <a href={pageUrl(`/operator/services/${service.id}`)} dir="auto">
                          {service.name}
                        </a>
                      ) : (
                        t('None')
                      ),
                  },
                  {
                    head: t('State'),
                    cell: ({ active, service, normalised_number }) => {
                      if (normalised_number === null) return <Status kind="failed">{t('Duplicate')}</Status>;
                      if (!active) return <Status kind="cancelled">{t('Off')}</Status>;
                      return service ? (
                        <Status kind="delivered">{t('In use')}</Status>
                      ) : (
                        <Status kind="accepted">{t('Free', { context: 'a number that no service has' })}</Status>
                      );
                    },
                  },
                  ...(canChange
                    ? [
                        {
                          head: t('Change'),
                          hidden: true as const,
                          cell: ({ id, number, service, active, normalised_number }: (typeof numbers)[number]) => {
                            if (service) {
                              return (
                                <Confirm
                                  label={t('Release')}
                                  action={t('Release {number}', { number })}
                                  to={pageUrl(`${here}/${id}/release`)}
                                >
                                  <T>
                                    {{ name: service.name }} will not receive texts any more, and another service can
                                    get the number. Replies to earlier texts would reach that service.
                                  </T>
                                </Confirm>
                              );
                            }
                            return (
                              active &&
                              normalised_number !== null && (
                                <ButtonLink to={`${here}/${id}/assign`} small>
                                  <T>
                                    Assign<span class="sr"> {{ number }}</span>
                                  </T>
                                </ButtonLink>
                              )
                            );
                          },
                        },
                      ]
                    : []),
                ]}
              />
            )}
          </div>
        ),
      };
    },
  });

  pages.add(`${here}/new`, {
    who: 'platform-admin',
    below: 'Providers',
    show: (_asked, formState) => ({
      title: t('Add a number'),
      crumbs,
      content: (
        <SaveForm back={here} action={t('Add the number')}>
          <Field
            formState={formState}
            name="number"
            label={t('Number')}
            hint={t('For example {exampleNumbers}, or a short code.', {
              exampleNumbers: exampleNumbers(app.country.phone),
            })}
            type="tel"
            autocomplete="off"
            short
          />
          <Select
            formState={formState}
            name="provider"
            label={t('Provider')}
            choices={app.config.sms.providers.map((value) => ({ value, label: providerName(value) }))}
            short
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({ number: Type.String({ maxLength: 255 }), provider: Type.String({ maxLength: 255 }) }),
    needs: { number: t('Enter a number.'), provider: t('Choose a provider.') },
    async act(_asked, { number: typed, provider }) {
      const number = removeWhitespace(typed);
      if (!/^\+?[0-9]{3,15}$/.test(number)) throw invalidField('number', t('Enter a number of 3 to 15 digits.'));
      if (!app.config.sms.providers.includes(provider))
        throw invalidField('provider', t('Choose a provider from the list.'));
      await createInboundNumber(app, { number, provider });
      return { to: here, notice: t('Number added.') };
    },
  });

  pages.add(`${here}/:number_id/assign`, {
    who: 'platform-admin',
    below: 'Providers',
    async show({ param }, formState) {
      const { number } = await numberOf(param('number_id'));
      return {
        title: t('Assign a number'),
        lead: t('{number} becomes a sender of the service, so people can reply to its texts.', { number }),
        crumbs,
        content: (
          <SaveForm back={here} action={t('Assign the number')}>
            <Field
              formState={formState}
              name="service"
              label={t('Service')}
              hint={t('Enter the whole name or the id.')}
              autocomplete="off"
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ service: Type.String({ maxLength: 255 }) }),
    needs: { service: t('Enter a service.') },
    async act({ param }, { service: wanted }) {
      const { id, service: user } = await numberOf(param('number_id'));
      if (user)
        throw invalidField('service', t('{name} already has this number. Release it first.', { name: user.name }));
      const service = await serviceOf(wanted);
      await assignInboundNumber(app, service.id, { inbound_number_id: id, is_default: false });
      await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', true) });
      return { to: here, notice: t('Number assigned.') };
    },
  });

  pages.add(`${here}/:number_id/release`, {
    who: 'platform-admin',
    show: () => ({ to: here }),
    form: Type.Object({}),
    async act({ param }) {
      const { service } = await numberOf(param('number_id'));
      if (service) await removeInboundNumber(app, service.id, false);
      return { to: here, notice: t('Number released.') };
    },
  });

  async function numberOf(id: string) {
    const found = (await listInboundNumbers(app.db)).find((number) => number.id === id);
    if (!found) throw notFound();
    return found;
  }

  /** Finds a service by its id, or by a name that only one active service has. */
  async function serviceOf(text: string) {
    const words = text.toLowerCase();
    const found = isUuid(text)
      ? [{ id: text }]
      : (await findServicesByName(app.db, text)).filter(({ name }) => name.toLowerCase() === words);
    const [one, ...others] = found;
    if (!one) throw invalidField('service', t('No service has this name. Enter the whole name or the id.'));
    if (others.length > 0) throw invalidField('service', t('Several services have this name. Enter the id.'));
    return getService(app.db, one.id);
  }
}

/** An example number, in national and international format. */
function exampleNumbers(phone: PhoneRules): Text {
  const [number] = phone.profile.examples;
  return list([removeWhitespace(number), normaliseOwnNumber(phone, number)], 'disjunction');
}
