// Stands between the front end of GOV.UK Notify and Pennypost, and hands over the files that the front end keeps in its own buckets.
//
//   PENNYPOST=http://localhost:6011 S3_ENDPOINT=https://s3.eu-west-1.amazonaws.com node hand-over.mjs
//
// PORT is where it listens (6014); give the front end that address as API_HOST_NAME. AWS_REGION, AWS_ACCESS_KEY_ID,
// AWS_SECRET_ACCESS_KEY and the S3_BUCKET_... variables are those of the front end. Every request is passed on with the front end's own
// credentials. The front end reads its files later, too, so they stay in its buckets.
import { createServer } from 'node:http';
import { signedHeaders } from '../../../dist/platform/storage/aws-signature.js';

const { env } = process;
const pennypost = env.PENNYPOST ?? 'http://localhost:6011';
const store = env.S3_ENDPOINT ?? `https://s3.${env.AWS_REGION}.amazonaws.com`;
const account = {
  service: 's3',
  region: env.AWS_REGION,
  access_key_id: env.AWS_ACCESS_KEY_ID,
  secret_access_key: env.AWS_SECRET_ACCESS_KEY,
  session_token: env.AWS_SESSION_TOKEN,
};

/** Calls of the front end that name a file: each gets what is missing before it is passed on. */
const handOvers = [
  ['POST', /^\/service\/([^/]+)\/job$/, uploadRecipients],
  ['POST', /^\/service\/([^/]+)\/contact-list$/, uploadContactList],
  ['POST', /^\/service\/([^/]+)\/send-pdf-letter$/, addLetter],
  ['POST', /^\/letter-attachment$/, addAttachment],
  ['POST', /^\/service\/([^/]+)\/templates\/[^/]+\/template_email_files$/, addEmailFile],
];
const reportPath = /^\/service\/[^/]+\/report-request\/([^/]+)$/;

createServer((request, response) => {
  answer(request, response).catch((error) => {
    process.stderr.write(`${request.method} failed: ${error.message}\n`);
    response.writeHead(502, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ result: 'error', message: 'The file could not be handed over' }));
  });
}).listen(Number(env.PORT ?? 6014), env.HOST ?? '127.0.0.1', function () {
  process.stdout.write(`Files are handed over on http://localhost:${this.address().port}\n`);
});

async function answer(request, response) {
  const { pathname } = new URL(request.url, pennypost);
  let body = Buffer.concat(await request.toArray());
  const [, pattern, handOver] =
    handOvers.find(([method, path]) => method === request.method && path.test(pathname)) ?? [];
  if (handOver) {
    const fields = JSON.parse(body);
    const added = await handOver(fields, pattern.exec(pathname)[1], request.headers.authorization);
    body = Buffer.from(JSON.stringify({ ...fields, ...added }));
  }
  const { host: _, connection: _connection, 'content-length': _length, ...headers } = request.headers;
  const answered = await callPennypost(request.method, request.url, headers, body);
  const text = Buffer.from(await answered.arrayBuffer());
  const report = request.method === 'GET' && answered.ok && reportPath.exec(pathname);
  if (report && JSON.parse(text).data.status === 'stored') await storeReport(pathname, report[1], headers);
  response
    .writeHead(answered.status, { 'content-type': answered.headers.get('content-type') ?? 'text/plain' })
    .end(text);
}

/** The spreadsheet, with what the front end notes beside it. */
async function uploadRecipients({ id }, service, authorization) {
  const { content, notes } = await readObject('S3_BUCKET_CSV_UPLOAD', `service-${service}-notify/${id}.csv`);
  const { original_file_name: name = 'recipients.csv', template_id, sender_id } = notes;
  await upload(service, { id, filename: name, template_id, sender_id }, content, authorization);
}

async function uploadContactList({ id, original_file_name }, service, authorization) {
  const { content } = await readObject('S3_BUCKET_CONTACT_LIST_UPLOAD', `service-${service}-notify/${id}.csv`);
  await upload(service, { id, filename: original_file_name, contact_list: true }, content, authorization);
}

async function addLetter({ file_id }, service) {
  const { content } = await readObject('S3_BUCKET_TRANSIENT_UPLOADED_LETTERS', `service-${service}/${file_id}.pdf`);
  return { content: content.toString('base64') };
}

/** This call does not name the service. */
async function addAttachment({ upload_id, template_id }, _, authorization) {
  const headers = { authorization, 'content-type': 'application/json' };
  const found = await callPennypost(
    'POST',
    '/platform-admin/find-by-uuid',
    headers,
    JSON.stringify({ uuid: template_id }),
  );
  const service = (await found.json()).context?.service_id;
  const { content } = await readObject('S3_BUCKET_LETTER_ATTACHMENTS', `service-${service}/${upload_id}.pdf`);
  return { content: content.toString('base64') };
}

async function addEmailFile({ id }, service) {
  const { content } = await readObject('S3_BUCKET_TEMPLATE_EMAIL_FILES', `${service}/${id}`);
  return { content: content.toString('base64') };
}

async function storeReport(path, id, headers) {
  const report = await callPennypost('GET', `${path}/report.csv`, headers);
  if (!report.ok) throw new Error(`the report is not served: ${report.status}`);
  const content = Buffer.from(await report.arrayBuffer());
  await callStore('PUT', 'S3_BUCKET_REPORT_REQUESTS_DOWNLOAD', `notifications_report/${id}.csv`, content);
}

/** A file of the front end is CSV, whatever it was made from. A repeated call finds it uploaded. */
async function upload(service, { filename, ...query }, content, authorization) {
  const known = Object.entries({ ...query, filename: filename.replace(/\.[^.]*$|$/, '.csv') });
  const search = new URLSearchParams(known.filter(([, value]) => value !== undefined && value !== 'None'));
  const headers = { authorization, 'content-type': 'text/csv' };
  const uploaded = await callPennypost('POST', `/service/${service}/upload?${search}`, headers, content);
  if (uploaded.ok) return;
  const { message } = await uploaded.json();
  if (message?.id === undefined) throw new Error(`the file is refused: ${JSON.stringify(message)}`);
}

function callPennypost(method, path, headers, body) {
  const sent = method === 'GET' || method === 'HEAD' ? undefined : body;
  return fetch(pennypost + path, { method, headers, body: sent, redirect: 'manual' });
}

async function readObject(bucket, key) {
  const response = await callStore('GET', bucket, key);
  const notes = [...response.headers].filter(([name]) => name.startsWith('x-amz-meta-'));
  return {
    content: Buffer.from(await response.arrayBuffer()),
    notes: Object.fromEntries(notes.map(([name, value]) => [name.slice('x-amz-meta-'.length), value])),
  };
}

async function callStore(method, bucket, key, body = Buffer.alloc(0)) {
  const url = `${store}/${env[bucket]}/${key}`;
  const headers = await signedHeaders(account, { method, url, headers: {}, body }, new Date());
  const response = await fetch(url, { method, headers, body: method === 'PUT' ? body : undefined });
  if (!response.ok) throw new Error(`the object store says ${response.status} for a file in ${bucket}`);
  return response;
}
