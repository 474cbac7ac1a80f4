import { T } from '../../../language/sentence.tsx';
import { t } from '../../../language/text.ts';
import { listOrganisationsAndServices } from '../../../users/users.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { pageUrl } from '../../links.ts';
import type { Pages } from '../../page.ts';
import { ButtonLink } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { findLastService } from '../../sessions/cookies.ts';
import { mayAddService } from './add-service.pages.tsx';

export function servicesPages(pages: Pages, app: ConsoleApp): void {
  pages.add('', {
    who: 'signed-in',
    async show({ visitor, http: request }) {
      const { services } = await listOrganisationsAndServices(app, visitor.user.id);
      const last = findLastService(app, request);
      const chosen = services.length === 1 ? services[0] : services.find(({ id }) => id === last);
      return { to: chosen ? `/services/${chosen.id}` : '/services' };
    },
  });

  pages.add('/services', {
    who: 'signed-in',
    menu: 'Your services',
    async show({ visitor }) {
      const { services, organisations } = await listOrganisationsAndServices(app, visitor.user.id);
      const mayAdd = await mayAddService(app, visitor.user);
      return {
        title: t('Your services'),
        actions: (
          <>
            <ButtonLink to="/services/join">{t('Join a service')}</ButtonLink>
            {mayAdd && (
              <ButtonLink to="/services/add" look="primary">
                {t('Add a service')}
              </ButtonLink>
            )}
          </>
        ),
        content: (
          <div class="stack">
            {services.length === 0 ? (
              <NoServices email={visitor.user.email_address} mayAdd={mayAdd} />
            ) : (
              <List services={services} />
            )}
            {organisations.length > 0 && <Organisations organisations={organisations} />}
          </div>
        ),
      };
    },
  });
}

function NoServices({ email, mayAdd }: { email: string; mayAdd: boolean }) {
  return (
    <Empty title={t('No services yet')}>
      {t('A service has its own templates, team and limits.')}{' '}
      {mayAdd ? (
        <T>
          <a href={pageUrl('/services/add')}>Add a service</a>, or ask the team of another to invite {{ email }}.
        </T>
      ) : (
        t('Ask the team of a service to invite {email}.', { email })
      )}
    </Empty>
  );
}

function List({ services }: { services: readonly { id: string; name: string; restricted: boolean }[] }) {
  return (
    <ul class="card list">
      {services.map(({ id, name, restricted }) => (
        <li key={id}>
          <a href={pageUrl(`/services/${id}`)} dir="auto">
            {name}
          </a>
          <span class={restricted ? 'badge tone-amber' : 'badge tone-green'}>
            {restricted ? t('Trial mode') : t('Live')}
          </span>
        </li>
      ))}
    </ul>
  );
}

function Organisations({
  organisations,
}: {
  organisations: readonly { id: string; name: string; count_of_live_services: number }[];
}) {
  return (
    <section class="stack" aria-labelledby="organisations">
      <h2 id="organisations">{t('Your organisations')}</h2>
      <ul class="card list">
        {organisations.map(({ id, name, count_of_live_services: live }) => (
          <li key={id}>
            <a href={pageUrl(`/organisations/${id}`)} dir="auto">
              {name}
            </a>
            <span class="muted">
              {t('{count, plural, one {# live service} other {# live services}}', { count: live })}
            </span>
          </li>
        ))}
      </ul>
    </section>
  );
}
