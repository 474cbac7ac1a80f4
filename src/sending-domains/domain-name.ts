import { domainToASCII } from 'node:url';

type NameProblem = 'not-a-domain' | 'mailbox-provider';

const label = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
/** At least two labels. The last one is not a number, so an address does not match. */
const aLabels = new RegExp(`^(?:${label}\\.)+(?!\\d+$)${label}$`);
const maxLength = 253;

/** Mailbox providers whose domains vary by country: yahoo.fr, gmx.at, hotmail.co.uk. */
const inManyCountries = /(?:^|\.)(?:yahoo|gmx|hotmail|yandex)\.(?:com?\.)?[a-z]{2,3}$/;
const mailboxProviders = [
  ...['gmail.com', 'googlemail.com', 'outlook.com', 'live.com', 'live.co.uk', 'msn.com', 'passport.com'],
  ...[
    'aol.com',
    'ymail.com',
    'rocketmail.com',
    'icloud.com',
    'me.com',
    'mac.com',
    'proton.me',
    'protonmail.com',
    'pm.me',
  ],
  ...[
    'fastmail.com',
    'zoho.com',
    'hey.com',
    'tutanota.com',
    'tuta.com',
    'mail.com',
    'email.com',
    'mail.ru',
    'bk.ru',
    'list.ru',
  ],
  ...['qq.com', '163.com', '126.com', 'naver.com', 'web.de', 't-online.de', 'freenet.de', 'mailbox.org', 'posteo.de'],
  ...[
    'orange.fr',
    'wanadoo.fr',
    'free.fr',
    'laposte.net',
    'sfr.fr',
    'libero.it',
    'ziggo.nl',
    'kpnmail.nl',
    'telenet.be',
  ],
  ...['btinternet.com', 'sky.com', 'virginmedia.com', 'talktalk.net', 'ntlworld.com', 'eircom.net', 'bigpond.com'],
  ...['comcast.net', 'verizon.net', 'att.net', 'sbcglobal.net', 'bellsouth.net', 'cox.net', 'charter.net', 'shaw.ca'],
];

/** Converts a name as people type it, in any script, to its A-label: lower case, without a trailing dot. */
export function parseDomainName(text: string): { name: string } | { problem: NameProblem; name: string } {
  const typed = text.trim().replace(/\.$/, '');
  // The conversion drops some characters and decodes others, so only possible characters of a name are passed to it.
  const isPossible = typed.length <= maxLength && !/[\0-,/:-@[-`{-\x9f\s]/.test(typed);
  const name = isPossible ? domainToASCII(typed) : '';
  if (name.length > maxLength || !aLabels.test(name)) return { problem: 'not-a-domain', name: '' };
  const isOfProvider = inManyCountries.test(name) || mailboxProviders.some((provider) => isSameOrBelow(name, provider));
  return isOfProvider ? { problem: 'mailbox-provider', name } : { name };
}

/** Whether the name is this domain or below it. */
export function isSameOrBelow(name: string, domain: string): boolean {
  return name === domain || name.endsWith(`.${domain}`);
}
