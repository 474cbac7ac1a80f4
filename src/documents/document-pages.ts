import type { Country } from '../countries/country.ts';
import { asHtml, type Page } from '../platform/http/page.ts';
import type { StoredDocument } from './documents.ts';

function contact({ contact_link, service_name }: StoredDocument): string {
  if (!contact_link) return '';
  const name = asHtml(service_name);
  if (/^https?:\/\//.test(contact_link))
    return `<p>If you have any questions, <a href="${asHtml(contact_link)}">contact ${name}</a>.</p>`;
  const link = contact_link.includes('@') ? 'mailto' : 'tel';
  return `<p>If you have any questions, contact ${name} at <a href="${link}:${asHtml(contact_link)}">${asHtml(contact_link)}</a>.</p>`;
}

/** Human-readable, such as `234 KB`. */
function sizeInWords(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  if (bytes < 1024 * 1024) return `${Math.round(bytes / 1024)} KB`;
  return `${(bytes / 1024 / 1024).toFixed(1)} MB`;
}

export function downloadPage({ calendar }: Country, document: StoredDocument, fileUrl: string): Page {
  const { filename, file_extension, size_in_bytes, available_until, service_name } = document;
  return {
    title: 'Download your file',
    content: `<p><b>${asHtml(service_name)}</b> sent you a file.</p>
      <dl>${filename ? `<dt>File</dt><dd>${asHtml(filename)}</dd>` : ''}
      <dt>Type</dt><dd>${asHtml(file_extension.toUpperCase())}</dd>
      <dt>Size</dt><dd>${sizeInWords(size_in_bytes)}</dd>
      <dt>Available until</dt><dd>${calendar.dayInWords(new Date(available_until))}</dd></dl>
      <p><a class="button" href="${asHtml(fileUrl)}">Download this file</a></p>${contact(document)}`,
  };
}

export function confirmPage({ calendar }: Country, document: StoredDocument, problem?: string): Page {
  return {
    title: 'Confirm your email address',
    content: `<p><b>${asHtml(document.service_name)}</b> sent you a file to download. It is available until ${calendar.dayInWords(new Date(document.available_until))}.</p>
      <p>To keep it safe, enter the email address that the message was sent to.</p>
      ${problem ? `<p class="error">${asHtml(problem)}</p>` : ''}
      <form method="post"><label for="email_address">Email address</label>
      <input id="email_address" name="email_address" type="email" autocomplete="email" required>
      <button>Continue</button></form>${contact(document)}`,
  };
}

export const wrongAddress =
  'This is not the email address the file was sent to. Enter the address of the inbox in which you found the link.';

export function expiredPage({ calendar }: Country, document: StoredDocument): Page {
  return {
    title: 'No longer available',
    content: `<p>This file was available until ${calendar.dayInWords(new Date(document.available_until))}. Ask ${asHtml(document.service_name)} to send it again.</p>${contact(document)}`,
  };
}

export const notFoundPage: Page = {
  title: 'This link does not work',
  content: '<p>Check that the whole link was copied. The email it came with may have broken it into two lines.</p>',
};

export const slowDownPage: Page = {
  title: 'Too many attempts',
  content: '<p>Wait five minutes, then try again.</p>',
};
