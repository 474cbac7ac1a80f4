import { Type } from 'typebox';
import { findOptOuts, getOptOut, liftOptOut, listOptOuts, type OptOutRow } from '../../../inbound/opt-outs/opt-outs.ts';
import { T } from '../../../language/sentence.tsx';
import { asIs, type Text, t } from '../../../language/text.ts';
import { isUuid } from '../../../platform/id.ts';
import { may, type OfService } from '../../access/may.ts';
import type { ConsoleApp } from '../../console-app.ts';
import { keepSearch, readSearch } from '../../links.ts';
import type { FormState, PageRequest, Pages } from '../../page.ts';
import { TextArea } from '../../parts/field.tsx';
import { ButtonLink, SaveForm } from '../../parts/form.tsx';
import { Empty } from '../../parts/notice.tsx';
import { pageSize } from '../../parts/pager.tsx';
import { formatPhoneNumber, maskedNumber } from '../../parts/phone-number.ts';
import { Table } from '../../parts/table.tsx';
import { Time } from '../../parts/time.tsx';
import { SearchedList } from './searched-list.tsx';
import { settingsOf, team } from './service-setting.ts';

/** Those who see messages see whole numbers, others the end of each. */
const readers = { service: 'messages' } as const;
const who = { service: ['messages', 'manage'] } as const satisfies OfService;

/** Numbers that asked for no more texts of the service. A number is in forms only, or encrypted in the address of a page. */
export function optOutPages(pages: Pages, app: ConsoleApp): void {
  const here = '/services/:service_id/settings/text/opt-outs';
  const listOf = (service: { id: string }) => `${settingsOf(service)}/text/opt-outs`;

  function rowFor({ service, visitor }: PageRequest<OfService>): (entry: OptOutRow) => Row {
    const seesNumbers = may(readers, visitor.user, service) === 'yes';
    const { phone } = app.country;
    return ({ id, user_number, sender, reason, keyword, created_at }) => ({
      ...{ id, reason, keyword, created_at },
      number: seesNumbers ? formatPhoneNumber(phone, user_number) : maskedNumber(user_number),
      sender: sender === '*' ? t('All senders') : asIs(formatPhoneNumber(phone, sender)),
    });
  }

  pages.add(here, {
    who,
    below: 'Settings',
    name: t('Opt-outs from texts'),
    async show(request, formState) {
      const { service, visitor, query } = request;
      const sought = readSearch(app, visitor, query('q'));
      const older_than = isUuid(query('older_than')) ? query('older_than') : undefined;
      const { entries, hasOlder } =
        sought === ''
          ? await listOptOuts(app.db, service.id, { older_than, size: pageSize })
          : { entries: await findOptOuts(app, service.id, sought), hasOlder: false };
      const mayLift = may(team, visitor.user, service) === 'yes';
      return {
        title: t('Opt-outs from texts'),
        lead: t('We send no texts to these numbers: the person replied STOP, or a provider told us that they did.'),
        crumbs: mayLift ? [{ label: t('Settings'), to: settingsOf(service) }] : [],
        content: (
          <OptOutList
            entries={entries.map(rowFor(request))}
            {...{ hasOlder, formState, sought, mayLift }}
            list={listOf(service)}
            olderThan={older_than}
            now={app.clock.now()}
          />
        ),
      };
    },
    form: Type.Object({ phone_number: Type.Optional(Type.String({ maxLength: 100 })) }),
    onlyReads: true,
    async act({ service, visitor }, { phone_number = '' }) {
      if (phone_number !== '') await findOptOuts(app, service.id, phone_number);
      return { to: `${listOf(service)}?${new URLSearchParams({ q: keepSearch(app, visitor, phone_number) })}` };
    },
  });

  pages.add(`${here}/:opt_out_id`, {
    who: team,
    below: 'Settings',
    async show(request, formState) {
      const { service, param } = request;
      const { number } = rowFor(request)(await getOptOut(app.db, service.id, param('opt_out_id')));
      return {
        title: t('Send texts to {number} again', { number }),
        lead: t('Do this only if the person asked you to. They can also reply START to your number.'),
        crumbs: [
          { label: t('Settings'), to: settingsOf(service) },
          { label: t('Opt-outs from texts'), to: listOf(service) },
        ],
        content: (
          <SaveForm back={listOf(service)} action={t('Send texts again')} danger>
            <TextArea
              formState={formState}
              name="reason"
              label={t('How did the person ask for it?')}
              hint={t('The audit log keeps what you write. Do not enter the number or the name of the person.')}
              rows={3}
            />
          </SaveForm>
        ),
      };
    },
    form: Type.Object({ reason: Type.String({ minLength: 1, maxLength: 1_000 }) }),
    needs: { reason: t('Enter how the person asked for it.') },
    async act({ service, param }, { reason }) {
      const { user_number } = await getOptOut(app.db, service.id, param('opt_out_id'));
      await liftOptOut(app, service.id, `+${user_number}`, reason);
      return { to: listOf(service), notice: t('Opt-out lifted. Your service can send texts to the number again.') };
    },
  });
}

const reasonLabels: Record<OptOutRow['reason'], (keyword: string) => Text> = {
  keyword: (keyword) => t('Replied {keyword}', { keyword }),
  provider: () => t('A provider refused texts'),
};

/** An opt-out as this person may see it. */
interface Row extends Pick<OptOutRow, 'id' | 'reason' | 'keyword' | 'created_at'> {
  number: string;
  sender: Text;
}

interface ListProps {
  entries: readonly Row[];
  hasOlder: boolean;
  formState: FormState;
  /** The number that was searched for. */
  sought: string;
  /** The path of the list, below /console. */
  list: string;
  olderThan: string | undefined;
  mayLift: boolean;
  now: Date;
}

function OptOutList(props: ListProps) {
  const { entries, sought, olderThan } = props;
  if (entries.length === 0 && sought === '' && olderThan === undefined) {
    return (
      <Empty title={t('Nobody has opted out')}>
        {t('Numbers appear here when people reply STOP to a text of your service.')}
      </Empty>
    );
  }
  return (
    <SearchedList
      {...props}
      field={{ name: 'phone_number', label: t('Find a number'), hint: t('Enter the whole number.') }}
      absent={t('This number has not opted out.')}
      shown={t('{count, plural, one {# number} other {# numbers}}', { count: entries.length })}
    >
      <Entries {...props} />
    </SearchedList>
  );
}

function Entries({ entries, list, mayLift, now }: ListProps) {
  return (
    <Table
      caption={t('Numbers that opted out, newest first')}
      middle
      rows={entries}
      keyOf={({ id }) => id}
      columns={[
        { head: t('Phone number'), cell: ({ number }) => number },
        { head: t('Reason'), cell: ({ reason, keyword }) => reasonLabels[reason](keyword) },
        { head: t('Opted out of'), cell: ({ sender }) => sender },
        { head: t('Since'), cell: ({ created_at }) => <Time at={created_at} now={now} /> },
        ...(mayLift
          ? [
              {
                head: t('Actions'),
                hidden: true as const,
                cell: ({ id, number }: Row) => (
                  <ButtonLink to={`${list}/${id}`} small>
                    <T>
                      Send again<span class="sr"> to {{ number }}</span>
                    </T>
                  </ButtonLink>
                ),
              },
            ]
          : []),
      ]}
    />
  );
}
