import { type ApiRequest, toBody, toPersonalisation } from './api-request.ts';

/** A request as a program. `quick-start.test.ts` runs those whose language is available in the tests. */
export interface Snippet {
  id: (typeof languages)[number];
  label: string;
  code: string;
}

export const languages = ['curl', 'node', 'python', 'java', 'dotnet', 'php', 'ruby', 'go'] as const;

interface Source {
  baseUrl: string;
  apiKey: string;
  request: ApiRequest;
}

/** Uses the official clients of the protocol where they exist; Go uses its standard library. */
export function buildSnippets(source: Source): Snippet[] {
  return [
    { id: 'curl', label: 'curl', code: curl(source) },
    { id: 'node', label: 'Node', code: node(source) },
    { id: 'python', label: 'Python', code: python(source) },
    { id: 'java', label: 'Java', code: java(source) },
    { id: 'dotnet', label: '.NET', code: dotnet(source) },
    { id: 'php', label: 'PHP', code: php(source) },
    { id: 'ruby', label: 'Ruby', code: ruby(source) },
    { id: 'go', label: 'Go', code: go(source) },
  ];
}

/** JSON string literals are valid in JavaScript, Python, Java, C# and Go. */
const quoted = (text: string) => JSON.stringify(text);
const inShell = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
/** PHP and Ruby interpolate variables in double quotes. */
const single = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;

export function curl({ baseUrl, apiKey, request }: Source): string {
  return [
    `curl ${inShell(`${baseUrl}/v2/notifications/${request.channel}`)} \\`,
    `  -H ${inShell(`Authorization: Bearer ${apiKey}`)} \\`,
    "  -H 'Content-Type: application/json' \\",
    `  -d ${inShell(JSON.stringify(toBody(request), null, 2))}`,
  ].join('\n');
}

function node({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const values = `{\n${pairs(request, (name, value) => `    ${quoted(name)}: ${value},`)}\n  }`;
  const call = {
    sms: `client.sendSms(${quoted(template_id)}, ${quoted(to)}, {\n  personalisation: ${values},\n})`,
    email: `client.sendEmail(${quoted(template_id)}, ${quoted(to)}, {\n  personalisation: ${values},\n})`,
    letter: `client.sendLetter(${quoted(template_id)}, {\n  personalisation: ${values},\n})`,
  }[channel];
  return [
    '// npm install notifications-node-client',
    "import { NotifyClient } from 'notifications-node-client';",
    '',
    `const client = new NotifyClient(${quoted(baseUrl)}, ${quoted(apiKey)});`,
    '',
    `const response = await ${call};`,
    'console.log(response.data.id);',
  ].join('\n');
}

function python({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = { sms: `    phone_number=${quoted(to)},`, email: `    email_address=${quoted(to)},`, letter: '' };
  return [
    '# pip install notifications-python-client',
    'from notifications_python_client.notifications import NotificationsAPIClient',
    '',
    `client = NotificationsAPIClient(${quoted(apiKey)}, base_url=${quoted(baseUrl)})`,
    '',
    `response = client.send_${channel}_notification(`,
    ...(channel === 'letter' ? [] : [recipient[channel]]),
    `    template_id=${quoted(template_id)},`,
    '    personalisation={',
    ...lines(request, (name, value) => `        ${quoted(name)}: ${value},`),
    '    },',
    ')',
    'print(response["id"])',
  ].join('\n');
}

const methods = { sms: 'Sms', email: 'Email', letter: 'Letter' };

function java({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = channel === 'letter' ? '' : `${quoted(to)}, `;
  const method = methods[channel];
  return [
    '// Maven: uk.gov.service.notify:notifications-java-client',
    'import java.util.HashMap;',
    'import java.util.Map;',
    'import uk.gov.service.notify.NotificationClient;',
    '',
    'public class QuickStart {',
    '  public static void main(String[] arguments) throws Exception {',
    '    NotificationClient client = new NotificationClient(',
    `        ${quoted(apiKey)}, ${quoted(baseUrl)});`,
    '    Map<String, Object> personalisation = new HashMap<>();',
    ...lines(request, (name, value) => `    personalisation.put(${quoted(name)}, ${value});`),
    `    var response = client.send${method}(`,
    `        ${quoted(template_id)}, ${recipient}personalisation, null);`,
    '    System.out.println(response.getNotificationId());',
    '  }',
    '}',
  ].join('\n');
}

function dotnet({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = { sms: `    mobileNumber: ${quoted(to)},`, email: `    emailAddress: ${quoted(to)},` };
  return [
    '// dotnet add package GovukNotify',
    'using Notify.Client;',
    '',
    `var client = new NotificationClient(${quoted(baseUrl)}, ${quoted(apiKey)});`,
    '',
    `var response = client.Send${methods[channel]}(`,
    ...(channel === 'letter' ? [] : [recipient[channel]]),
    `    templateId: ${quoted(template_id)},`,
    '    personalisation: new Dictionary<string, dynamic>',
    '    {',
    ...lines(request, (name, value) => `        { ${quoted(name)}, ${value} },`),
    '    });',
    'Console.WriteLine(response.id);',
  ].join('\n');
}

function php({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = channel === 'letter' ? [] : [`    ${single(to)},`];
  return [
    '<?php',
    '// composer require alphagov/notifications-php-client guzzlehttp/guzzle',
    "require 'vendor/autoload.php';",
    '',
    '$client = new Alphagov\\Notifications\\Client([',
    `    'baseUrl' => ${single(baseUrl)},`,
    `    'apiKey' => ${single(apiKey)},`,
    "    'httpClient' => new GuzzleHttp\\Client(),",
    ']);',
    '',
    `$response = $client->send${methods[channel]}(`,
    ...recipient,
    `    ${single(template_id)},`,
    '    [',
    ...lines(request, (name, _, value) => `        ${single(name)} => ${single(value)},`),
    '    ]',
    ');',
    "echo $response['id'];",
  ].join('\n');
}

function ruby({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = { sms: `  phone_number: ${single(to)},`, email: `  email_address: ${single(to)},` };
  return [
    '# gem install notifications-ruby-client',
    "require 'notifications/client'",
    '',
    `client = Notifications::Client.new(${single(apiKey)}, ${single(baseUrl)})`,
    '',
    `response = client.send_${channel}(`,
    ...(channel === 'letter' ? [] : [recipient[channel]]),
    `  template_id: ${single(template_id)},`,
    '  personalisation: {',
    ...lines(request, (name, _, value) => `    ${single(name)} => ${single(value)},`),
    '  }',
    ')',
    'puts response.id',
  ].join('\n');
}

function go({ baseUrl, apiKey, request }: Source): string {
  const { channel, template_id, to } = request;
  const recipient = { sms: `\t\t"phone_number": ${quoted(to)},`, email: `\t\t"email_address": ${quoted(to)},` };
  return [
    'package main',
    '',
    'import (',
    '\t"bytes"',
    '\t"encoding/json"',
    '\t"fmt"',
    '\t"io"',
    '\t"net/http"',
    ')',
    '',
    'func main() {',
    '\tbody, _ := json.Marshal(map[string]any{',
    `\t\t"template_id": ${quoted(template_id)},`,
    ...(channel === 'letter' ? [] : [recipient[channel]]),
    '\t\t"personalisation": map[string]string{',
    ...lines(request, (name, value) => `\t\t\t${quoted(name)}: ${value},`),
    '\t\t},',
    '\t})',
    `\trequest, _ := http.NewRequest("POST", ${quoted(`${baseUrl}/v2/notifications/${channel}`)}, bytes.NewReader(body))`,
    `\trequest.Header.Set("Authorization", ${quoted(`Bearer ${apiKey}`)})`,
    '\trequest.Header.Set("Content-Type", "application/json")',
    '\tresponse, err := http.DefaultClient.Do(request)',
    '\tif err != nil {',
    '\t\tpanic(err)',
    '\t}',
    '\tdefer response.Body.Close()',
    '\ttext, _ := io.ReadAll(response.Body)',
    '\tfmt.Println(response.Status, string(text))',
    '}',
  ].join('\n');
}

type Line = (name: string, quotedValue: string, value: string) => string;

function lines(request: ApiRequest, line: Line): string[] {
  return Object.entries(toPersonalisation(request)).map(([name, value]) => line(name, quoted(value), value));
}

function pairs(request: ApiRequest, line: Line): string {
  return lines(request, line).join('\n');
}
