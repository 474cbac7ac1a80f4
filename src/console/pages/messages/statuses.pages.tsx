import { t } from '../../../language/text.ts';
import type { Status } from '../../../notifications/notification.ts';
import type { Channel } from '../../../protocol/channels.ts';
import { channelLabels, shownChannels } from '../../message-labels.ts';
import type { Pages } from '../../page.ts';
import { MessageStatus } from '../../parts/status.tsx';

export const statusHelp = '/help/statuses';

/** Explains the statuses in the message log. Pages open it as a drawer. */
export function statusHelpPages(pages: Pages): void {
  pages.add(statusHelp, {
    who: 'signed-in',
    below: 'Messages',
    show: () => ({
      title: t('What the statuses mean'),
      content: (
        <div class="stack measure">
          {shownChannels.map((channel) => (
            <section key={channel} class="stack stack--tight" aria-labelledby={`statuses-${channel}`}>
              <h2 id={`statuses-${channel}`}>{channelLabels[channel].names}</h2>
              <dl class="facts">
                {meanings[channel].map(([status, meaning]) => [
                  <dt key={status}>
                    <MessageStatus status={status} channel={channel} />
                  </dt>,
                  <dd key={`${status} meaning`}>{meaning}</dd>,
                ])}
              </dl>
            </section>
          ))}
        </div>
      ),
    }),
  });
}

type Meaning = [status: Status, meaning: string];

const accepted: Meaning = ['created', t('We have the message and will hand it to a provider in a moment.')];
const technical: Meaning = [
  'technical-failure',
  t('No provider accepted the message, so it was not sent. Send it again when the provider is working.'),
];

const meanings: Record<Channel, Meaning[]> = {
  email: [
    accepted,
    ['sending', t('The provider has the email. We are waiting to hear whether it arrived.')],
    ['delivered', t('The email reached the inbox.')],
    ['temporary-failure', t('The inbox did not accept the email, for example because it was full. Try again later.')],
    ['permanent-failure', t('The email address does not exist, or it is on your suppression list. Check the address.')],
    technical,
  ],
  sms: [
    accepted,
    ['sending', t('The provider has the text. We are waiting to hear whether it arrived.')],
    ['pending', t('The network is still trying to reach the phone. This can take up to 3 days.')],
    ['sent', t('The text went to another country, whose network does not say whether it arrived.')],
    ['delivered', t('The text reached the phone.')],
    ['temporary-failure', t('The phone was switched off or out of reach for too long. Try again later.')],
    ['permanent-failure', t('The phone number does not exist. Check the number.')],
    technical,
  ],
  letter: [
    ['pending-virus-check', t('We are checking your file for viruses.')],
    ['created', t('The letter waits for the next print run. You can cancel it until then.')],
    ['sending', t('The printer has the letter.')],
    ['delivered', t('The letter was printed and posted. The post does not say when it arrives.')],
    ['cancelled', t('Somebody cancelled the letter before it was printed.')],
    ['returned-letter', t('The post brought the letter back. Check the address.')],
    ['validation-failed', t('The printer cannot print your file. Correct the file and send it again.')],
    ['virus-scan-failed', t('Your file has a virus, so we deleted it.')],
    ['permanent-failure', t('The printer refused the letter.')],
    ['technical-failure', t('The letter was not printed and you will not be charged. Send it again.')],
  ],
};
