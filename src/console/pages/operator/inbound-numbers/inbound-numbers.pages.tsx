import { Type } from 'typebox';
import { invalidField, notFound } from '../../../../platform/failure.ts';
import { isUuid } from '../../../../platform/id.ts';
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
import { providerName } from '../../../message-words.ts';
import type { Pages } from '../../../page.ts';
import { Field, Select } from '../../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm } from '../../../parts/form.tsx';
import { Empty } from '../../../parts/notice.tsx';
import { Status } from '../../../parts/status.tsx';
import { Table } from '../../../parts/table.tsx';
import { withPermission } from '../../settings/service-setting.ts';
import { ProviderTabs } from '../providers/provider-parts.tsx';

const here = '/operator/inbound-numbers';
const crumbs = [{ label: 'Inbound numbers', to: here }];

/** The numbers at which services receive texts. */
export function inboundNumberPages(pages: Pages, app: ConsoleApp): void {
  pages.add(here, {
    who: 'operator',
    below: 'Providers',
    name: 'Inbound numbers',
    async show({ visitor }) {
      const numbers = await listInboundNumbers(app.db);
      const mayChange = visitor.user.platform_admin;
      return {
        title: 'Inbound numbers',
        lead: 'Services receive texts at these. A free one is given to the next service that asks.',
        actions: mayChange && (
          <ButtonLink to={`${here}/new`} look="primary">
            Add a number
          </ButtonLink>
        ),
        content: (
          <div class="stack">
            <ProviderTabs current="numbers" />
            {numbers.length === 0 ? (
              <Empty title="No number yet">
                Add those that you rent from a provider, then services can receive texts.
              </Empty>
            ) : (
              <Table
                caption="Inbound numbers"
                rows={numbers}
                keyOf={({ id }) => id}
                middle
                columns={[
                  { head: 'Number', cell: ({ number }) => number },
                  { head: 'Provider', cell: ({ provider }) => providerName(provider) },
                  {
                    head: 'Service',
                    cell: ({ service }) =>
                      service ? <a href={pageUrl(`/operator/services/${service.id}`)}>{service.name}</a> : 'None',
                  },
                  {
                    head: 'State',
                    cell: ({ active, service, normalised_number }) => {
                      if (normalised_number === null) return <Status kind="failed">Duplicate</Status>;
                      if (!active) return <Status kind="cancelled">Off</Status>;
                      return service ? <Status kind="delivered">In use</Status> : <Status kind="accepted">Free</Status>;
                    },
                  },
                  ...(mayChange
                    ? [
                        {
                          head: 'Change',
                          hidden: true as const,
                          cell: ({ id, number, service, active, normalised_number }: (typeof numbers)[number]) => {
                            if (service) {
                              return (
                                <Confirm
                                  label="Release"
                                  action={`Release ${number}`}
                                  to={pageUrl(`${here}/${id}/release`)}
                                >
                                  {service.name} receives no texts any more, and another service can get the number.
                                  Answers to earlier texts would reach that service.
                                </Confirm>
                              );
                            }
                            return (
                              active &&
                              normalised_number !== null && (
                                <ButtonLink to={`${here}/${id}/assign`} small>
                                  Assign<span class="sr"> {number}</span>
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
      title: 'Add a number',
      crumbs,
      content: (
        <SaveForm back={here} action="Add the number">
          <Field
            formState={formState}
            name="number"
            label="Number"
            hint="With or without country code, such as 07700900123 or 447700900123, or a short code."
            type="tel"
            autocomplete="off"
            short
          />
          <Select
            formState={formState}
            name="provider"
            label="Provider"
            choices={app.config.sms.providers.map((value) => ({ value, label: providerName(value) }))}
            short
          />
        </SaveForm>
      ),
    }),
    form: Type.Object({ number: Type.String({ maxLength: 255 }), provider: Type.String({ maxLength: 255 }) }),
    needs: { number: 'Enter a number.', provider: 'Choose a provider.' },
    async act(_asked, { number: typed, provider }) {
      const number = removeWhitespace(typed);
      if (!/^\+?[0-9]{3,15}$/.test(number)) throw invalidField('number', 'Enter digits only, 3 to 15 of them.');
      if (!app.config.sms.providers.includes(provider)) throw invalidField('provider', 'Choose one of the list.');
      await createInboundNumber(app, { number, provider });
      return { to: here, notice: 'The number is added.' };
    },
  });

  pages.add(`${here}/:number_id/assign`, {
    who: 'platform-admin',
    below: 'Providers',
    async show({ param }, formState) {
      const { number } = await numberOf(param('number_id'));
      return {
        title: 'Assign a number',
        lead: `${number} becomes a sender of the service, so that people can answer its texts.`,
        crumbs,
        content: (
          <SaveForm back={here} action="Assign the number">
            <Field
              formState={formState}
              name="service"
              label="Service"
              hint="Its whole name, or its id."
              autocomplete="off"
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ service: Type.String({ maxLength: 255 }) }),
    needs: { service: 'Enter a service.' },
    async act({ param }, { service: wanted }) {
      const { id, number, service: user } = await numberOf(param('number_id'));
      if (user) throw invalidField('service', `${user.name} has the number. Release it first.`);
      const service = await serviceOf(wanted);
      await assignInboundNumber(app, service.id, { inbound_number_id: id, is_default: false });
      await updateService(app, service.id, { permissions: withPermission(service, 'inbound_sms', true) });
      return { to: here, notice: `${service.name} receives texts at ${number}.` };
    },
  });

  pages.add(`${here}/:number_id/release`, {
    who: 'platform-admin',
    show: () => ({ to: here }),
    form: Type.Object({}),
    async act({ param }) {
      const { number, service } = await numberOf(param('number_id'));
      if (!service) return { to: here, notice: `${number} is free already.` };
      await removeInboundNumber(app, service.id, false);
      return { to: here, notice: `${number} is free. ${service.name} receives no texts any more.` };
    },
  });

  async function numberOf(id: string) {
    const found = (await listInboundNumbers(app.db)).find((number) => number.id === id);
    if (!found) throw notFound();
    return found;
  }

  /** By id, or by a name that only one active service has. */
  async function serviceOf(text: string) {
    const words = text.toLowerCase();
    const found = isUuid(text)
      ? [{ id: text }]
      : (await findServicesByName(app.db, text)).filter(({ name }) => name.toLowerCase() === words);
    const [one, ...others] = found;
    if (!one) throw invalidField('service', 'There is no service with this name.');
    if (others.length > 0) throw invalidField('service', 'Several services have this name: enter the id.');
    return getService(app.db, one.id);
  }
}
