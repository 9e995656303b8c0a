/** Everything that a client can read about an order, by door, to prove what is there and what is not. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { unzip } from '#analysis/formats/reading/zip.ts';
import type { ExperimentStatus } from '#core/lifecycle.ts';
import { statusWords } from '#ui/words.ts';
import { openSignedIn, type Browser } from './browser.ts';
import { expectStatus } from './builders.ts';
import { readPdf } from './pdf.ts';
import { getItems, getText, type Ask, type Json, type TestAnswer, type TestService } from './service.ts';
import { callTool } from './tool-call.ts';

export const doors = ['rest', 'tools', 'pages', 'feed', 'pdf', 'package'] as const;
export type Door = (typeof doors)[number];
export type Seen = Readonly<Record<Door, string>>;

export interface Client {
  readonly ask: (method: string, path: string, options?: Ask) => Promise<TestAnswer>;
  readonly token: string;
  /** Opens a page in the browser of the client and answers its text. */
  readonly openPage: (path: string) => Promise<string>;
  /** The texts of the quote and the invoice of an order, and of its package: empty where there is none yet. */
  readonly readDocuments: (orderId: string) => Promise<Pick<Seen, 'pdf' | 'package'>>;
  /** Asks every door about one order and about all lists; a door without an answer gives an empty text. */
  readonly readDoors: (orderId: string) => Promise<Seen>;
}

const LISTS = ['/experiments', '/quotes', '/invoices', '/results', '/sequences', '/targets', '/audit'];
const TOOLS = ['list_experiments', 'list_quotes', 'list_invoices', 'list_results', 'list_updates'];

/** PDFs and packages that were read before, by the digest of their bytes: reading one takes longer than asking. */
const texts = new Map<string, string>();

interface Named {
  readonly code: string;
  /** The sequences of the order by name. */
  readonly named: Readonly<Record<string, string>>;
}

/** Each door shows this step: the status, a quote and an invoice once the order is priced, and what is released. */
export function assertStep(
  { code, named }: Named,
  seen: Seen,
  status: ExperimentStatus,
  released: readonly string[],
): void {
  for (const door of ['rest', 'tools', 'feed'] as const)
    assert.ok(seen[door].includes(`"${status}"`), `${door} lacks ${status}`);
  assert.ok(seen.pages.includes(statusWords[status]), `pages lack ${statusWords[status]}`);
  assertDocuments({ code, named }, seen, status, released);
}

/** The quote names the order once it is priced; the package has a picture of each released result and of no other. */
function assertDocuments(
  { code, named }: Named,
  seen: Pick<Seen, 'pdf' | 'package'>,
  status: ExperimentStatus,
  released: readonly string[],
): void {
  assert.equal(seen.pdf.includes(code), status !== 'waiting_for_confirmation', `pdf in ${status}`);
  assert.equal(seen.package === '', released.length === 0, `package in ${status}`);
  for (const name of Object.keys(named))
    assert.equal(seen.package.includes(`_${name}.svg`), released.includes(name), `picture of ${name}`);
}

/** Asks each door about one order, and no list, whether it shows this step. */
export async function expectStep(
  { client, id, ...named }: Named & { readonly client: Client; readonly id: string },
  status: ExperimentStatus,
  released: readonly string[],
): Promise<Pick<Seen, 'pdf' | 'package'>> {
  const { ask, openPage } = client;
  const path = `/experiments/${id}`;
  const record = JSON.stringify(await callTool({ ask }, 'get_exp_info', { experiment_id: id }));
  assert.ok(record.replaceAll('\\"', '"').includes(`"${status}"`), `the tool lacks ${status}`);
  const feed = (await ask('GET', `${path}/updates?limit=100`)).text;
  assert.ok(feed.includes(`"${status}"`), `the feed lacks ${status}`);
  const page = await openPage(path);
  assert.ok(page.includes(statusWords[status]), `the page lacks ${statusWords[status]}`);
  assert.equal(page.includes('href="/results/'), released.length > 0, `results on the page in ${status}`);
  const documents = await client.readDocuments(id);
  assertDocuments(named, documents, status, released);
  return documents;
}

/** Somebody in an organization of their own, with a browser in which they are signed in. */
export async function createClient(service: TestService): Promise<Client> {
  const token = await service.issueToken({ role: 'admin', ownOrganization: true });
  const ask: Client['ask'] = (method, path, options = {}) => service.ask(method, path, { ...options, token });
  const userId = getText(expectStatus(await ask('GET', '/whoami'), 200).body.user_id);
  const browser = await openSignedIn(service, userId);
  const readDocuments = async (orderId: string) => ({
    pdf: await readPdfs(service, ask, orderId),
    package: await readPackage(service, ask, orderId),
  });
  return {
    ask,
    token,
    openPage: async (path) => (await browser.open(path)).text,
    readDocuments,
    readDoors: async (orderId) => ({
      rest: await readRest(ask, orderId),
      tools: await readTools(ask, orderId),
      pages: await readPages(browser, ask, orderId),
      feed: await readAll(ask, ['/updates?limit=100', `/experiments/${orderId}/updates?limit=100`]),
      ...(await readDocuments(orderId)),
    }),
  };
}

async function readAll(ask: Client['ask'], paths: readonly string[]): Promise<string> {
  const answers: string[] = [];
  for (const path of paths) answers.push((await ask('GET', path)).text);
  return answers.join('\n');
}

async function listReleased(ask: Client['ask'], orderId: string): Promise<readonly Json[]> {
  const { body } = await ask('GET', `/experiments/${orderId}/results?limit=100`);
  return body.items === undefined ? [] : getItems(body.items);
}

async function readRest(ask: Client['ask'], orderId: string): Promise<string> {
  const order = `/experiments/${orderId}`;
  const own = ['', '/sequences', '/quote', '/invoice', '/results?limit=100', '/plot.svg'];
  const results = await listReleased(ask, orderId);
  const parts = results.flatMap(({ id }) => [`/results/${getText(id)}`, `/results/${getText(id)}/versions`]);
  return readAll(ask, [
    ...LISTS.map((path) => `${path}?limit=100`),
    ...own.map((path) => order + path),
    ...parts,
  ]);
}

async function readTools(ask: Client['ask'], orderId: string): Promise<string> {
  const answers = [JSON.stringify(await callTool({ ask }, 'get_exp_info', { experiment_id: orderId }))];
  for (const name of TOOLS) answers.push(JSON.stringify(await callTool({ ask }, name, { limit: 100 })));
  return answers.join('\n').replaceAll('\\"', '"');
}

async function readPages(browser: Browser, ask: Client['ask'], orderId: string): Promise<string> {
  const results = await listReleased(ask, orderId);
  const paths = ['/experiments', `/experiments/${orderId}`, '/invoices', '/targets'];
  const pages: string[] = [];
  for (const path of [...paths, ...results.map(({ id }) => `/results/${getText(id)}`)])
    pages.push((await browser.open(path)).text);
  return pages.join('\n');
}

/** The bytes behind the link that an operation answers; undefined where there is none. */
async function followLink({ service }: TestService, answer: TestAnswer): Promise<Buffer | undefined> {
  if (answer.status !== 307) return undefined;
  const { pathname, search } = new URL(answer.headers.location ?? '');
  const { rawPayload } = await service.app.inject({ method: 'GET', url: pathname + search });
  return rawPayload;
}

async function readOnce(bytes: Buffer, read: () => Promise<string>): Promise<string> {
  const digest = createHash('sha256').update(bytes).digest('hex');
  const text = texts.get(digest) ?? (await read());
  texts.set(digest, text);
  return text;
}

async function readPdfs(service: TestService, ask: Client['ask'], orderId: string): Promise<string> {
  const invoice = await ask('GET', `/experiments/${orderId}/invoice`);
  const { invoice_id: invoiceId } = invoice.body;
  const paths = [
    `/experiments/${orderId}/quote/pdf`,
    ...(typeof invoiceId === 'string' ? [`/invoices/${getText(invoiceId)}/pdf`] : []),
  ];
  const documents: string[] = [];
  for (const path of paths) {
    const bytes = await followLink(service, await ask('GET', path));
    if (bytes !== undefined) documents.push(await readOnce(bytes, async () => (await readPdf(bytes)).text));
  }
  return documents.join('\n');
}

async function readPackage(service: TestService, ask: Client['ask'], orderId: string): Promise<string> {
  const bytes = await followLink(service, await ask('GET', `/experiments/${orderId}/data-package`));
  if (bytes === undefined) return '';
  return readOnce(bytes, async () => {
    const files = unzip({ name: 'package.zip', bytes });
    const parts: string[] = [];
    for (const { name, bytes: content } of files)
      parts.push(
        name,
        name.endsWith('.pdf') ? (await readPdf(content)).text : Buffer.from(content).toString(),
      );
    return parts.join('\n');
  });
}
