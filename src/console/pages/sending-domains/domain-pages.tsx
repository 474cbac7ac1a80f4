import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import { Failure, invalid, notFound } from '../../../platform/failure.ts';
import { OneOf } from '../../../protocol/fields.ts';
import { checkNow } from '../../../sending-domains/checking/check-domains.ts';
import { createNextKey, takeKeyIntoUse } from '../../../sending-domains/keys/dkim-keys.ts';
import { mayChangeDomains, refuseUnlessMayChange } from '../../../sending-domains/owners.ts';
import {
  addDomain,
  type DomainOwner,
  getDomain,
  makeDefault,
  retireDomain,
  type SendingDomain,
  updateSendingDomain,
} from '../../../sending-domains/sending-domains.ts';
import type { Who } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import type { MenuEntry } from '../../layout/menus.ts';
import { pageUrl } from '../../links.ts';
import type { Crumb, PageRequest, Pages } from '../../page.ts';
import { ButtonLink, Confirm, SaveForm } from '../../parts/form.tsx';
import { Status } from '../../parts/status.tsx';
import { Summary } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { AddFields, ChangeFields, fallbackLabel, holdLabel, readRecords, signer } from './domain-fields.tsx';
import { stateLabels } from './domain-labels.ts';
import { DomainChecks, DomainKeys, DomainRecords, MailRecords, StateOfDomain } from './domain-view.tsx';

interface DomainsOf<W extends Who> {
  /** The page that lists the domains. Pages of single domains are below it. */
  path: string;
  who: W;
  below: MenuEntry;
  /** The path parameter with the id of a domain. */
  param?: string;
  /** Returns the path with the parameters of this request. */
  at(request: PageRequest<W>): string;
  /** The owner whose domains are shown; undefined for all domains. */
  ownerOf(request: PageRequest<W>): DomainOwner | undefined;
  crumbs(request: PageRequest<W>): Crumb[];
  /** The owner of a new domain. */
  newOwner(request: PageRequest<W>): DomainOwner;
}

const tasks = ['check', 'new-key', 'use-key', 'use-domain', 'retire'] as const;
const ways = ['signed-here', 'relay', 'provider'] as const;

const notices: Record<(typeof tasks)[number], Text> = {
  check: t('Domain checked.'),
  'new-key': t('Key created. Publish its record.'),
  'use-key': t('New key in use.'),
  'use-domain': t('Domain chosen.'),
  retire: t('Domain retired.'),
};

/** Adds the page of one domain and the form that adds one; the same for services, organisations and operators. */
export function addDomainPages<const W extends Who>(pages: Pages, app: ConsoleApp, of: DomainsOf<W>): void {
  const { path, who, below, param = 'sending_domain_id' } = of;
  const settings = app.config.domains;

  pages.add(`${path}/add`, {
    who,
    below,
    name: t('Add a domain'),
    show(request, formState) {
      if (!mayChangeDomains(settings, personOf(request), of.newOwner(request))) {
        return {
          title: t('Add a domain'),
          crumbs: of.crumbs(request),
          content: <p>{t('To add a domain, ask the people who run this Pennypost.')}</p>,
        };
      }
      return {
        title: t('Add a domain'),
        lead: t('Emails come from the domain once you have published the records that we show next.'),
        crumbs: of.crumbs(request),
        content: (
          <SaveForm back={of.at(request)} action={t('Add domain')}>
            <AddFields app={app} formState={formState} />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({
      name: Type.String({ maxLength: 1_000 }),
      way: Type.Optional(Type.String({ maxLength: 100 })),
      selector: Type.Optional(Type.String({ maxLength: 100 })),
      records: Type.Optional(Type.String({ maxLength: 20_000 })),
    }),
    needs: { name: t('Enter a domain such as notify.council.example.') },
    async act(request, { name, way: chosen = '', selector, records }) {
      const [way, provider] = chosen.split(' ');
      const domain = await addDomain(app, of.newOwner(request), {
        ...{ name, provider, selector },
        way: ways.find((one) => one === way),
        records: records === undefined ? undefined : readRecords(records),
        created_by_id: personOf(request).id,
      });
      return { to: `${of.at(request)}/${domain.id}`, notice: t('Domain added. Publish its records.') };
    },
  });

  async function domainOf(request: PageRequest<W>): Promise<SendingDomain> {
    const domain = await getDomain(app.db, request.param(param));
    const owner = of.ownerOf(request);
    if (owner && !isOwnedBy(domain, owner)) throw notFound();
    return domain;
  }

  pages.add(`${path}/:${param}`, {
    who,
    below,
    async show(request) {
      const domain = await domainOf(request);
      const now = app.clock.now();
      const mayChange = mayChangeDomains(settings, personOf(request), ownerIn(domain));
      return {
        title: asIs(domain.name),
        crumbs: [...of.crumbs(request), { label: t('Domains'), to: of.at(request) }],
        actions: mayChange && domain.state !== 'retired' && <Do task="check">{t('Check now')}</Do>,
        scripts: ['copy'],
        content: (
          <div class="stack">
            <StateOfDomain domain={domain} fallback={app.config.email.domain} now={now} />
            {domain.state !== 'retired' && (
              <section class="stack stack--tight" aria-labelledby="records">
                <h2 id="records">{t('Records')}</h2>
                <p>
                  {t('Enter these records at the name servers of the domain.')} <MailRecords domain={domain} />
                </p>
                <DomainRecords domain={domain} />
              </section>
            )}
            <section class="card stack stack--tight" aria-labelledby="checks">
              <h2 id="checks">{t('Checks')}</h2>
              <p class="small muted">
                {domain.checked_at ? (
                  <T>
                    Last check: <Time at={domain.checked_at} now={now} />.
                  </T>
                ) : (
                  t('Not checked yet.')
                )}
              </p>
              <DomainChecks domain={domain} now={now} />
            </section>
            <section class="card stack stack--tight" aria-labelledby="keys">
              <h2 id="keys">{t('Key')}</h2>
              <DomainKeys domain={domain} now={now} mayChange={mayChange} />
            </section>
            {domain.state !== 'retired' && (
              <Choices
                domain={domain}
                app={app}
                change={mayChange ? `${of.at(request)}/${domain.id}/change` : undefined}
              />
            )}
          </div>
        ),
      };
    },
    form: Type.Object({ task: OneOf(tasks), key_id: Type.Optional(Type.String({ format: 'uuid' })) }),
    async act(request, { task, key_id }) {
      const domain = await domainOf(request);
      refuseUnlessMayChange(settings, personOf(request), ownerIn(domain));
      await change(app, domain.id, task, key_id);
      const list = of.at(request);
      return { to: task === 'retire' ? list : `${list}/${domain.id}`, notice: notices[task] };
    },
  });

  pages.add(`${path}/:${param}/change`, {
    who,
    below,
    async show(request, formState) {
      const domain = await domainOf(request);
      const at = `${of.at(request)}/${domain.id}`;
      return {
        title: t('Change the domain'),
        crumbs: [...of.crumbs(request), { label: asIs(domain.name), to: at }],
        content: (
          <SaveForm back={at}>
            <ChangeFields app={app} domain={domain} formState={formState} />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({
      return_path_domain: Type.Optional(Type.String({ maxLength: 1_000 })),
      records: Type.Optional(Type.String({ maxLength: 20_000 })),
      suspended: OneOf(['fall-back', 'hold']),
    }),
    needs: { suspended: t('Choose what happens to emails.') },
    async act(request, { return_path_domain, records, suspended }) {
      const domain = await domainOf(request);
      refuseUnlessMayChange(settings, personOf(request), ownerIn(domain));
      await updateSendingDomain(app, domain.id, {
        hold: suspended === 'hold',
        return_path_domain: return_path_domain ?? null,
        ...(domain.way === 'provider' && { records: readRecords(records ?? '') }),
      });
      return { to: `${of.at(request)}/${domain.id}`, notice: t('Domain changed.') };
    },
  });
}

function personOf({ visitor }: Pick<PageRequest, 'visitor'>) {
  if (!visitor) throw notFound();
  return visitor.user;
}

function ownerIn({ scope, service_id, organisation_id }: SendingDomain): DomainOwner {
  if (scope === 'service' && service_id) return { scope, service_id };
  return scope === 'organisation' && organisation_id ? { scope, organisation_id } : { scope: 'installation' };
}

function isOwnedBy(domain: SendingDomain, owner: DomainOwner): boolean {
  if (owner.scope === 'service') return domain.service_id === owner.service_id;
  return owner.scope === 'organisation' ? domain.organisation_id === owner.organisation_id : true;
}

async function change(
  app: ConsoleApp,
  id: string,
  task: (typeof tasks)[number],
  keyId: string | undefined,
): Promise<void> {
  switch (task) {
    case 'check':
      return checkNow(app, id).catch(showOnPage);
    case 'new-key':
      return createNextKey(app, id);
    case 'use-key':
      if (keyId === undefined) throw invalid(t('Choose a key.'));
      return takeKeyIntoUse(app, id, keyId);
    case 'use-domain':
      return makeDefault(app, id);
    case 'retire':
      return retireDomain(app, id);
  }
}

/** Shows a rate limit as a message on the page. */
function showOnPage(error: unknown): never {
  throw error instanceof Failure && error.kind === 'too-many' ? invalid(error.localised) : error;
}

function Do({ task, children }: { task: (typeof tasks)[number]; children: string }) {
  return (
    <form method="post">
      <input type="hidden" name="task" value={task} />
      <button class="button" type="submit">
        {children}
      </button>
    </form>
  );
}

interface ChoicesProps {
  domain: SendingDomain;
  app: Pick<ConsoleApp, 'config' | 'domainProviders'>;
  /** The page that changes the settings; undefined if the visitor cannot. */
  change: string | undefined;
}

/** Settings of a domain that its owner chooses. */
function Choices({ domain, app, change }: ChoicesProps) {
  const { hold, way, provider, return_path_domain } = domain;
  const usual = app.domainProviders.mailServer.returnPathDomain;
  const edit = change === undefined ? {} : { change };
  return (
    <section class="card stack" aria-labelledby="choices">
      <h2 id="choices">{t('Settings')}</h2>
      <Summary
        rows={[
          { label: t('Who signs the emails?'), value: signer(way, provider) },
          {
            label: t('Bounces go to'),
            value: return_path_domain ?? (way === 'provider' || !usual ? t('the provider') : usual),
            ...edit,
          },
          { label: t('If the domain is suspended'), value: hold ? holdLabel(app) : fallbackLabel(app), ...edit },
        ]}
      />
      {change !== undefined && (
        <div class="row">
          {!domain.is_chosen && <Do task="use-domain">{t('Use this domain')}</Do>}
          <Confirm
            label={t('Retire this domain')}
            action={t('Retire {name}', { name: domain.name })}
            to=""
            fields={{ task: 'retire' }}
          >
            {t('No emails will come from this domain. We erase its key after 7 days. You cannot undo this.')}
          </Confirm>
        </div>
      )}
    </section>
  );
}

/** A list entry: the name as a link, and the state. */
export function DomainLink({ domain, at }: { domain: Pick<SendingDomain, 'id' | 'name'>; at: string }) {
  return (
    <a class="breaks" href={pageUrl(`${at}/${domain.id}`)}>
      {domain.name}
    </a>
  );
}

export function DomainStatus({ state }: Pick<SendingDomain, 'state'>) {
  const { kind, word } = stateLabels[state];
  return <Status kind={kind}>{word}</Status>;
}

export function AddDomain({ at }: { at: string }) {
  return (
    <ButtonLink to={`${at}/add`} look="primary">
      {t('Add a domain')}
    </ButtonLink>
  );
}
