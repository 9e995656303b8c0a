/** What the service draws and writes: of hard fixtures, of simulated experiments of every assay, and of its billing. */
import { TARGETLESS } from '#cli/assays.ts';
import { hasPlot } from '#assays/registry.ts';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { openSignedIn } from '#testing/browser.ts';
import { createBuilders, expectStatus, type Builders } from '#testing/builders.ts';
import { drawHardFigures, drawHardFiguresPdf } from '#testing/hard-figures.ts';
import { getItems, testService, getText, type Json, type TestService } from '#testing/service.ts';
import { createDesigns, createRepeatableBytes } from './repeatable.ts';

/** Files by path; `.svg` and `.pdf` are pictures, everything else is text. */
export type Frozen = Map<string, Uint8Array>;

const LINES_OF_LONG_QUOTE = 1_000;
const THUMBNAILS_MAX = 3;
const PAGES_MAX = 2;

/** What there is to freeze; everything is the same each time, whichever subjects were frozen before. */
export const SUBJECTS = ['fixed', ...listSubjects().map(({ name }) => name), 'documents'];

/** Freezes one subject after the other, each with a service of its own. */
export async function freezeSubject(name: string): Promise<Frozen> {
  const frozen: Frozen = new Map();
  if (name === 'fixed') {
    for (const { name: figure, svg } of drawHardFigures())
      frozen.set(`fixed/${formatFileName(figure)}.svg`, encodeText(svg));
    frozen.set('fixed/hard-figures.pdf', await drawHardFiguresPdf());
    return frozen;
  }
  const service = await testService({}, { random: createRepeatableBytes(20_260_302) });
  const made = await createBuilders(service);
  if (name === 'documents') await freezeDocuments(frozen, service, made);
  for (const subject of listSubjects())
    if (subject.name === name) await freezeExperiment(frozen, service, made, subject);
  return frozen;
}

interface Subject {
  readonly name: string;
  readonly spec: Readonly<Record<string, unknown>> & { readonly experiment_type: string };
}

function listSubjects(): Subject[] {
  const bound = { method: 'bli', n_replicates: 2 };
  return [
    { name: 'affinity', spec: { ...bound, experiment_type: 'affinity', sequences: createDesigns(8) } },
    {
      name: 'affinity-binders',
      spec: {
        ...bound,
        experiment_type: 'affinity',
        sequences: createDesigns(6),
        n_replicates: 3,
        parameters: { sandbox: { force: 'binder' } },
      },
    },
    { name: 'screening', spec: { ...bound, experiment_type: 'screening', sequences: createDesigns(12) } },
    ...TARGETLESS.map((type) => ({
      name: type,
      spec: { experiment_type: type, n_replicates: 3, sequences: createDesigns(12) },
    })),
    ...TARGETLESS.filter((type) => hasPlot(type, 'melts')).map((type) => ({
      name: `${type}-many`,
      spec: { experiment_type: type, n_replicates: 2, sequences: createDesigns(26) },
    })),
  ];
}

async function freezeExperiment(
  frozen: Frozen,
  service: TestService,
  { createReleased, targets }: Builders,
  { name, spec }: Subject,
): Promise<void> {
  const { ask } = service;
  const target = TARGETLESS.some((type) => type === spec.experiment_type)
    ? {}
    : { target_id: targets.perSequence };
  const { code } = await createReleased({ name, experiment_spec: { ...spec, ...target } });
  for (const view of ['ranking', 'plates', 'rates', 'melts']) {
    const plot = await ask('GET', `/experiments/${code}/plot.svg?view=${view}`);
    frozen.set(`${name}/${view}.${plot.status === 200 ? 'svg' : 'txt'}`, encodeText(maskText(plot.text)));
  }
  const link = await ask('GET', `/experiments/${code}/data-package`);
  for (const { name: path, bytes } of unzip({ name: 'package.zip', bytes: await download(service, link) })) {
    const isText = /\.(csv|json|md|ipynb|fasta)$/.test(path);
    if (isText)
      frozen.set(`${name}/package/${path}`, encodeText(maskText(Buffer.from(bytes).toString('utf8'))));
    else if (/\.(svg|pdf)$/.test(path)) frozen.set(`${name}/package/${path}`, bytes);
  }
  await freezePages(frozen, service, name, code);
}

/** The pages that show results, and the small pictures on them. */
async function freezePages(frozen: Frozen, service: TestService, name: string, code: string): Promise<void> {
  const browser = await openSignedIn(service);
  const page = await browser.open(`/experiments/${code}`);
  frozen.set(`${name}/pages/experiment.html`, encodeText(maskText(page.text)));
  const listed = expectStatus(await service.ask('GET', `/experiments/${code}/results?limit=100`), 200);
  for (const [index, item] of getItems(listed.body.items).entries()) {
    const place = String(index + 1).padStart(2, '0');
    if (index < PAGES_MAX) {
      const shown = await browser.open(`/results/${getText(item.id)}`);
      frozen.set(`${name}/pages/result-${place}.html`, encodeText(maskText(shown.text)));
    }
    if (index >= THUMBNAILS_MAX) continue;
    const small = await browser.open(`/results/${getText(item.id)}/thumbnail.svg?top=0.4`);
    frozen.set(`${name}/thumbnail-${place}.svg`, encodeText(small.text));
  }
}

async function freezeDocuments(frozen: Frozen, service: TestService, made: Builders): Promise<void> {
  const { ask } = service;
  const keep = async (name: string, path: string) =>
    frozen.set(`documents/${name}.pdf`, await download(service, await ask('GET', path)));
  const quoted = await made.createQuoted();
  await keep('quote-open', `/experiments/${quoted.id}/quote/pdf`);
  const draft = await made.createCustomDraft();
  await keep('quote-draft-by-hand', `/lab/quotes/${draft.quoteId}/pdf`);
  await keep('quote-long', `/lab/quotes/${await createLongQuote(service, made)}/pdf`);
  const open = await made.createInvoiced();
  await keep('quote-accepted', `/experiments/${open.id}/quote/pdf`);
  await keep('invoice-open', `/invoices/${open.invoiceId}/pdf`);
  const gone = await made.createVoided();
  await keep('invoice-void', `/invoices/${gone.invoiceId}/pdf`);
  const settled = await made.createPaid();
  await keep('invoice-paid', `/invoices/${settled.invoiceId}/pdf`);
  const number = await createCreditNote(service, settled.invoiceId);
  await keep('credit-note', `/invoices/${settled.invoiceId}/credit-notes/${number}/pdf`);
  await keep('invoice-credited', `/invoices/${settled.invoiceId}/pdf`);
}

async function createLongQuote({ ask }: TestService, { createUnpriced }: Builders): Promise<string> {
  const { id } = await createUnpriced();
  const lines = Array.from({ length: LINES_OF_LONG_QUOTE }, (_, index) => ({
    description: `Binding of design ${index + 1}`,
    quantity: 1 + (index % 3),
    unit_price_cents: 10_000 + index,
  }));
  const discounts = [{ description: 'Framework agreement', basis_points: 1_000 }];
  const body = { experiment_id: id, line_items: lines, discounts, notes: 'As discussed.' };
  return getText(expectStatus(await ask('POST', '/lab/quotes', { body }), 201).body.id);
}

/** Refunds the invoice and answers the number of its credit note. */
async function createCreditNote({ ask, service }: TestService, invoiceId: string): Promise<string> {
  const body = { reason: 'goodwill' };
  expectStatus(await ask('POST', `/lab/invoices/${invoiceId}/refunds`, { body }), 201);
  await service.worker.runDue();
  const { body: invoice }: { body: Json } = await ask('GET', `/invoices/${invoiceId}`);
  const found = /CN-[\w-]+/.exec(JSON.stringify(invoice))?.[0];
  if (found === undefined) throw new Error(`no credit note: ${JSON.stringify(invoice)}`);
  return found;
}

async function download({ service }: TestService, link: Awaited<ReturnType<TestService['ask']>>) {
  const url = new URL(expectStatus(link, 307).headers.location ?? '');
  const answer = await service.app.inject({ method: 'GET', url: url.pathname + url.search });
  if (answer.statusCode !== 200) throw new Error(`${answer.statusCode} ${answer.body.slice(0, 300)}`);
  return new Uint8Array(answer.rawPayload);
}

const encodeText = (text: string): Uint8Array => Buffer.from(text, 'utf8');

function formatFileName(name: string): string {
  return name.replaceAll(/[^\p{L}\p{N}.-]+/gu, '-').toLowerCase();
}

/** What is drawn by chance (ids, tokens of forms), or follows from files that are compared themselves (digests, sizes). */
function maskText(text: string): string {
  return text
    .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, 'UUID')
    .replaceAll(/[0-9a-f]{64}/g, 'DIGEST')
    .replaceAll(/"bytes": \d+/g, '"bytes": SIZE')
    .replaceAll(/(name="form_token" value=")[^"]*/g, '$1TOKEN')
    .replaceAll(/(data-organization=")[^"]*/g, '$1ORGANIZATION');
}
