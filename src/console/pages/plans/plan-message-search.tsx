import { asIs, t } from '../../../language/text.ts';
import { Icon } from '../../layout/icon.tsx';

interface SearchProps {
  /** The address of the list. */
  path: string;
  reference: string;
  plan_id: string | undefined;
  plans: readonly { id: string; name: string }[];
}

/** A search is posted: a reference may name a person, so it stays out of addresses. */
export function PlanMessageSearch({ path, reference, plan_id, plans }: SearchProps) {
  const choices = [
    { id: '', label: t('All plans') },
    ...plans.map(({ id, name }) => ({ id, label: asIs(name) })),
    ...(plan_id === undefined || plans.some(({ id }) => id === plan_id)
      ? []
      : [{ id: plan_id, label: t('Archived plan') }]),
  ];
  return (
    <search aria-label={t('Messages with a channel plan')}>
      <form class="filter" method="post" action={path} noValidate>
        <div class="find find--wide">
          <label class="sr" for="find">
            {t('Find a message by its whole reference')}
          </label>
          <Icon name="search" />
          <input
            class="input"
            id="find"
            name="find"
            type="search"
            value={reference}
            placeholder={t('Whole reference')}
            autocomplete="off"
            spellcheck={false}
            maxLength={1000}
          />
        </div>
        <div class="row">
          <label class="sr" for="plan">
            {t('Plan')}
          </label>
          <select class="input" id="plan" name="plan">
            {choices.map(({ id, label }) => (
              <option key={id} value={id} selected={id === (plan_id ?? '')}>
                {label}
              </option>
            ))}
          </select>
          <button class="button button--primary" type="submit">
            {t('Find')}
          </button>
          {(reference !== '' || plan_id !== undefined) && (
            <a class="button" href={path}>
              {t('Show all')}
            </a>
          )}
        </div>
      </form>
    </search>
  );
}
