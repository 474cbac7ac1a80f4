import { Type } from 'typebox';
import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
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
import { Choices, Field, TextArea } from '../../parts/field.tsx';
import { ButtonLink, Confirm, SaveForm } from '../../parts/form.tsx';
import { Status } from '../../parts/status.tsx';
import { Time } from '../../parts/time.tsx';
import { DomainChecks, DomainKeys, DomainRecords, MailRecords, StateOfDomain } from './domain-view.tsx';
import { stateWords, wayWords } from './domain-words.ts';
import { readRecords } from './pasted-records.ts';

interface DomainsOf<W extends Who> {
  /** The page that lists the domains; those of one domain are below. */
  path: string;
  who: W;
  below: MenuEntry;
  /** What the path calls the id of a domain. */
  param?: string;
  /** The same path for this request. */
  at(request: PageRequest<W>): string;
  /** Whose domains they are; undefined: those of everybody. */
  ownerOf(request: PageRequest<W>): DomainOwner | undefined;
  crumbs(request: PageRequest<W>): Crumb[];
  /** What a new domain belongs to. */
  newOwner(request: PageRequest<W>): DomainOwner;
}

const tasks = ['check', 'new-key', 'use-key', 'use-domain', 'hold', 'fall-back', 'retire'] as const;

const notices: Record<(typeof tasks)[number], string> = {
  check: t('Domain checked.'),
  'new-key': t('Key made. Publish its record.'),
  'use-key': t('New key in use.'),
  'use-domain': t('Domain chosen.'),
  hold: t('Setting saved.'),
  'fall-back': t('Setting saved.'),
  retire: t('Domain retired.'),
};

/** The page of one domain, and the form that adds one: the same for services, organisations and operators. */
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
      const { sign, withKeys } = app.domainProviders;
      const ways = [
        ...(sign
          ? [{ value: 'signed-here', label: wayWords['signed-here'], hint: t('Pennypost makes the key.') }]
          : []),
        ...withKeys.map((name) => ({ value: `provider ${name}`, label: t('{name} signs the emails', { name }) })),
      ];
      return {
        title: t('Add a domain'),
        lead: t('Emails come from the domain once you have published the records that we show next.'),
        crumbs: of.crumbs(request),
        content: (
          <SaveForm back={of.at(request)} action={t('Add domain')}>
            <Field
              formState={formState}
              name="name"
              label={t('Domain')}
              hint={t('Such as notify.council.example. Use one that has no other mail.')}
              autocomplete="off"
            />
            {ways.length > 1 && (
              <Choices
                formState={formState}
                name="way"
                legend={t('Who signs the emails?')}
                kind="one"
                choices={ways}
                chosen={[ways[0]?.value ?? '']}
              />
            )}
            {withKeys.length > 0 && (
              <TextArea
                formState={formState}
                name="records"
                label={t('Records of the provider')}
                hint={t(
                  'Only if the provider signs and we cannot read them there. One per line: type, name and value.',
                )}
                rows={4}
              />
            )}
          </SaveForm>
        ),
      };
    },
    form: Type.Object({
      name: Type.String({ maxLength: 1_000 }),
      way: Type.Optional(Type.String({ maxLength: 100 })),
      records: Type.Optional(Type.String({ maxLength: 20_000 })),
    }),
    needs: { name: t('Enter a domain such as notify.council.example.') },
    async act(request, { name, way: chosen = '', records }) {
      const [way, provider] = chosen.split(' ');
      const domain = await addDomain(app, of.newOwner(request), {
        name,
        way: way === 'provider' || way === 'signed-here' ? way : undefined,
        provider,
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
        title: domain.name,
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
            {mayChange && domain.state !== 'retired' && <Choose domain={domain} fallback={app.config.email.domain} />}
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
      return checkNow(app, id).catch(sayOnPage);
    case 'new-key':
      return createNextKey(app, id);
    case 'use-key':
      if (keyId === undefined) throw invalid(t('Choose a key.'));
      return takeKeyIntoUse(app, id, keyId);
    case 'use-domain':
      return makeDefault(app, id);
    case 'hold':
    case 'fall-back':
      await updateSendingDomain(app, id, { hold: task === 'hold' });
      return;
    case 'retire':
      return retireDomain(app, id);
  }
}

/** Who is too fast sees the page again, with the sentence. */
function sayOnPage(error: unknown): never {
  throw error instanceof Failure && error.kind === 'too-many' ? invalid(error.detail) : error;
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

/** What its owner decides about a domain. */
function Choose({ domain, fallback }: { domain: SendingDomain; fallback: string }) {
  return (
    <section class="card stack" aria-labelledby="choose">
      <h2 id="choose">{t('If the domain is suspended')}</h2>
      <p>
        {domain.hold
          ? t('Emails wait until it is right again, but not longer than three days.')
          : t('Emails come from {fallback}.', { fallback })}
      </p>
      <Do task={domain.hold ? 'fall-back' : 'hold'}>
        {domain.hold ? t('Send from {fallback} instead', { fallback }) : t('Let emails wait instead')}
      </Do>
      {domain.scope !== 'installation' && <Do task="use-domain">{t('Use this domain for new emails')}</Do>}
      <Confirm
        label={t('Retire this domain')}
        action={t('Retire {name}', { name: domain.name })}
        to=""
        fields={{ task: 'retire' }}
      >
        {t('No email will come from it. Its key is erased after 7 days. You cannot undo this.')}
      </Confirm>
    </section>
  );
}

/** In a list: the name, which leads to the page, and the state. */
export function DomainLink({ domain, at }: { domain: Pick<SendingDomain, 'id' | 'name'>; at: string }) {
  return <a href={pageUrl(`${at}/${domain.id}`)}>{domain.name}</a>;
}

export function DomainStatus({ state }: Pick<SendingDomain, 'state'>) {
  const { kind, word } = stateWords[state];
  return <Status kind={kind}>{word}</Status>;
}

export function AddDomain({ at }: { at: string }) {
  return (
    <ButtonLink to={`${at}/add`} look="primary">
      {t('Add a domain')}
    </ButtonLink>
  );
}
