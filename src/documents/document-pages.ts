import type { Country } from '../countries/country.ts';
import { formatted, type Text, t } from '../language/text.ts';
import { asHtml, type Page, withHtml } from '../platform/http/page.ts';
import type { StoredDocument } from './documents.ts';

function contact({ contact_link, service_name }: StoredDocument): string {
  if (!contact_link) return '';
  const service = asHtml(service_name);
  const address = asHtml(contact_link);
  if (/^https?:\/\//.test(contact_link)) {
    const sentence = withHtml((slot) =>
      // i18n: {link} and {end} mark the words that are a link
      t('If you have any questions, {link}contact {service}{end}.', {
        ...{ link: slot(`<a href="${address}">`), service: slot(service), end: slot('</a>') },
      }),
    );
    return `<p>${sentence}</p>`;
  }
  const link = `<a href="${contact_link.includes('@') ? 'mailto' : 'tel'}:${address}">${address}</a>`;
  const sentence = withHtml((slot) =>
    t('If you have any questions, contact {service} at {address}.', { service: slot(service), address: slot(link) }),
  );
  return `<p>${sentence}</p>`;
}

/** Returns a human-readable size, such as `234 KB`. */
function formatSize(bytes: number): Text {
  if (bytes < 1024) return t('{size} bytes', { size: bytes });
  // i18n: kilobytes
  if (bytes < 1024 * 1024) return t('{size} KB', { size: Math.round(bytes / 1024) });
  // i18n: megabytes
  return t('{size} MB', { size: formatted(({ locale }) => oneDecimal(locale).format(bytes / 1024 / 1024)) });
}

function oneDecimal(locale: string): Intl.NumberFormat {
  return new Intl.NumberFormat(locale, { useGrouping: false, minimumFractionDigits: 1, maximumFractionDigits: 1 });
}

function endOf({ calendar }: Country, { available_until }: StoredDocument): Text {
  return formatted(({ dates }) => dates.long(calendar.day(new Date(available_until))));
}

export function downloadPage(country: Country, document: StoredDocument, fileUrl: string): Page {
  const { filename, file_extension, size_in_bytes, service_name } = document;
  const lead = withHtml((slot) => t('{service} sent you a file.', { service: slot(`<b>${asHtml(service_name)}</b>`) }));
  return {
    title: t('Download your file'),
    content: `<p>${lead}</p>
      <dl>${filename ? `<dt>${asHtml(t('File'))}</dt><dd>${asHtml(filename)}</dd>` : ''}
      <dt>${asHtml(t('Type'))}</dt><dd>${asHtml(file_extension.toUpperCase())}</dd>
      <dt>${asHtml(t('Size'))}</dt><dd>${asHtml(formatSize(size_in_bytes))}</dd>
      <dt>${asHtml(t('Available until'))}</dt><dd>${asHtml(endOf(country, document))}</dd></dl>
      <p><a class="button" href="${asHtml(fileUrl)}">${asHtml(t('Download this file'))}</a></p>${contact(document)}`,
  };
}

export function confirmPage(country: Country, document: StoredDocument, problem?: Text): Page {
  const lead = withHtml((slot) =>
    t('{service} sent you a file to download. It is available until {day}.', {
      ...{ service: slot(`<b>${asHtml(document.service_name)}</b>`), day: endOf(country, document) },
    }),
  );
  return {
    title: t('Confirm your email address'),
    content: `<p>${lead}</p>
      <p>${asHtml(t('To keep it safe, enter the email address that the message was sent to.'))}</p>
      ${problem ? `<p class="error">${asHtml(problem)}</p>` : ''}
      <form method="post"><label for="email_address">${asHtml(t('Email address'))}</label>
      <input id="email_address" name="email_address" type="email" autocomplete="email" required>
      <button>${asHtml(t('Continue'))}</button></form>${contact(document)}`,
  };
}

export const wrongAddress = t(
  'This is not the email address the file was sent to. Enter the address of the inbox in which you found the link.',
);

export function expiredPage(country: Country, document: StoredDocument): Page {
  const sentence = withHtml((slot) =>
    t('This file was available until {day}. Ask {service} to send it again.', {
      ...{ day: endOf(country, document), service: slot(asHtml(document.service_name)) },
    }),
  );
  return { title: t('No longer available'), content: `<p>${sentence}</p>${contact(document)}` };
}

export function notFoundPage(): Page {
  const hint = t('Check that the whole link was copied. The email it came with may have broken it into two lines.');
  return { title: t('This link does not work'), content: `<p>${asHtml(hint)}</p>` };
}

export function slowDownPage(): Page {
  return { title: t('Too many attempts'), content: `<p>${asHtml(t('Wait five minutes, then try again.'))}</p>` };
}
