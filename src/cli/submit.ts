/** `assayer submit`: makes an experiment with a quote from a file of sequences or a draft; on request accepts and pays it. */
import { existsSync } from 'node:fs';
import { formatCount } from '#core/words.ts';
import type { Static } from '#core/schema.ts';
import type { ExpInfo } from '#features/experiments/contract.ts';
import { TARGETLESS } from './assays.ts';
import { connect, type Api } from './api.ts';
import { runAttempt } from './attempt.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { EXPERIMENT_CODE } from './find-item.ts';
import { AGAIN, CONNECTION, type Parsed, createUsageError } from './options.ts';
import { ORDER_OPTIONS, readOrder } from './order.ts';
import {
  acceptQuote,
  createExperiment,
  findQuote,
  formatExperimentPath,
  formatPayCommand,
  awaitQuote,
  readQuote,
  describeQuote,
  submitExperiment,
  type Accepted,
  type Created,
  type Invoice,
  type Quote,
} from './purchase.ts';
import { readExperiment } from './follow.ts';
import { showWait } from './progress.ts';
import { printNote, getPalette, toPlainText, print, getTerminal } from './terminal.ts';
import { checkTestPayment, chooseTestPayment, findTestPayment, makeTestPayment } from './test-payment.ts';
import { formatFileTitle, formatStatus } from './words.ts';

export const guide = {
  name: 'submit',
  usage: [
    'FILE --target TARGET [options]',
    `FILE --type ${TARGETLESS.join('|')} [options]`,
    'CODE [--accept [--pay]] [--json]',
  ],
  operands: ['FILE or CODE'],
  about: `Creates an experiment from the sequences of a file and submits it, or submits the draft CODE as it is; the lab answers
with a quote. FILE is FASTA, or CSV with the columns of "assayer experiments import --help".`,
  options: {
    ...ORDER_OPTIONS,
    'name NAME': 'name of the experiment; default: the name of the file',
    draft: 'make the draft alone, to change or submit it later',
    accept: 'accept the quote at once: this orders the experiment',
    pay: 'with --accept, in a sandbox: make the test payment of the method',
    'key-file FILE': 'with --pay: wallet for x402-exact; default: the one that "start --with-chain" made',
    'payment-method METHOD': 'how the invoice is paid: x402-exact, mpp-spt or async_invoice (default)',
    'library KIND': 'sandbox only: simulate designs that are naive (default) or enriched for binders',
    json: 'one JSON object instead of text',
    ...AGAIN,
    ...CONNECTION,
  },
  notes: 'FILE may be "-" for standard input.',
  examples: [
    'submit designs.fasta --target EGFR',
    'submit designs.fasta --target EGFR --type screening --name "round 2" --accept',
    `submit designs.fasta --type ${TARGETLESS[0]} --accept`,
    'submit DEMO-001-002 --accept',
    'submit designs.fasta --target EGFR --accept --pay --json | jq -r .experiment_code',
  ],
};

/** What a draft has been given already. */
const OPTIONS_OF_FILES = [
  'target',
  'type',
  'method',
  'replicates',
  'concentrations',
  'library',
  'translate',
  'name',
  'payment-method',
  'draft',
] as const;

const WARNINGS_SHOWN = 4;

type Submitted = Pick<Created, 'experiment_id' | 'experiment_code' | 'status' | 'warnings'>;

interface Outcome {
  readonly created: Submitted;
  readonly quote?: Quote | undefined;
  readonly accepted?: Accepted;
  readonly invoice?: Invoice;
}

export async function run({ values, positionals }: Parsed<typeof guide>): Promise<void> {
  const file = positionals[0] ?? '';
  if (values.pay === true && values.accept !== true)
    throw createUsageError(guide, '--pay needs --accept, because only an accepted quote can be paid');
  if (values.draft === true && values.accept === true)
    throw createUsageError(guide, '--draft and --accept exclude each other');
  const api = connect(values);
  checkTestPayment(guide, api, values);
  const method = values['payment-method'];
  if (EXPERIMENT_CODE.test(file) && !existsSync(file)) {
    const option = OPTIONS_OF_FILES.find((option) => values[option] !== undefined);
    if (option !== undefined)
      throw createUsageError(guide, `--${option} goes with a file; a draft is submitted as it is`);
    if (values.pay === true) await findTestPayment(api, file, values);
    return runAttempt(api, values['idempotency-key'], async (once) =>
      conclude(once, await submitDraft(once, file), values),
    );
  }
  if (values.pay === true) chooseTestPayment(method ?? 'async_invoice', values);
  const order = await readOrder(guide, api, file, values);
  const name = values.name ?? formatFileTitle(file, order.spec.experiment_type, order.target);
  const request = { name, experiment_spec: order.spec };
  await runAttempt(api, values['idempotency-key'], async (once) => {
    const created = await createExperiment(once, request, values);
    if (values.json !== true) tellWarnings(created.warnings ?? []);
    if (values.draft !== true) return conclude(once, created, values);
    const code = created.experiment_code;
    if (values.json === true) print(JSON.stringify(created, null, 2));
    else print(`${code} is a draft. Next: assayer submit ${code}`);
  });
}

async function submitDraft(api: Api, code: string): Promise<Submitted> {
  const status = await submitExperiment(api, code).catch(async (error: unknown) => {
    if (!(error instanceof RefusedError) || error.refusal.code !== 'move_not_allowed') throw error;
    if ((await findQuote(api, code))?.status !== 'open') throw error;
    const hint = `  It has a quote already: "assayer accept ${code}" accepts it.`;
    throw new CommandError(`${error.message}\n${hint}`, error.exitCode, { cause: error });
  });
  const { id, code: ownCode } = await api.get<Static<typeof ExpInfo>>(formatExperimentPath(code), 'id code');
  return { experiment_id: id, experiment_code: ownCode, status };
}

function tellWarnings(warnings: readonly string[]): void {
  const lines = warnings.map(toPlainText);
  const shown = lines.length > WARNINGS_SHOWN ? lines.slice(0, WARNINGS_SHOWN - 1) : lines;
  for (const line of shown) printNote(`Worth knowing: ${line}`);
  if (shown.length < lines.length)
    printNote(
      `Worth knowing: ${formatCount(lines.length - shown.length, 'more warning')}, which "assayer estimate" lists.`,
    );
}

/** The experiment exists from here on, so its code was printed before anything can fail. */
async function conclude(api: Api, created: Submitted, wishes: Parsed<typeof guide>['values']): Promise<void> {
  const code = created.experiment_code;
  let outcome: Outcome = { created };
  try {
    const quote = await showWait('Waiting for the quote', awaitQuote(api, code));
    outcome = { ...outcome, quote };
    if (wishes.accept === true) {
      if (quote === undefined)
        throw new CommandError(`The lab prices ${code} by hand: accept its quote when it arrives.`);
      const accepted = await acceptQuote(api, code);
      const { status } = await readExperiment(api, code);
      outcome = { created: { ...created, status }, quote: await readQuote(api, code), accepted };
      if (wishes.pay === true) {
        const payment = await findTestPayment(api, code, wishes);
        outcome = { ...outcome, invoice: await makeTestPayment(api, code, { payment, accepted }, true) };
      }
    }
  } finally {
    if (wishes.json === true) print(JSON.stringify(buildJsonAnswer(outcome), null, 2));
    else print(formatLines(outcome).join('\n'));
  }
}

function buildJsonAnswer({ created, quote, accepted, invoice }: Outcome) {
  return {
    experiment_id: created.experiment_id,
    experiment_code: created.experiment_code,
    status: created.status,
    quote: quote ?? null,
    invoice_id: accepted?.invoice_id ?? null,
    hosted_invoice_url: accepted?.hosted_invoice_url ?? null,
    paid: invoice?.status === 'paid',
    warnings: created.warnings ?? [],
  };
}

function formatLines({ created, quote, accepted, invoice }: Outcome): string[] {
  const { bold } = getPalette(getTerminal().stdout);
  const code = created.experiment_code;
  const lines = [`${bold('Experiment')}  ${code}`];
  lines.push(
    quote === undefined
      ? `${bold('Quote')}       none yet (${formatStatus(created.status)})`
      : `${bold('Quote')}       ${describeQuote(quote)}${accepted === undefined ? '' : ', accepted'}`,
  );
  const page = accepted?.hosted_invoice_url;
  if (invoice !== undefined) lines.push(`${bold('Invoice')}     ${invoice.invoice_number ?? ''}, paid`);
  else if (page) lines.push(`${bold('Invoice')}     open`);
  lines.push(`${bold('Next')}        ${toPlainText(describeNextStep(code, quote, accepted, invoice))}`);
  return lines;
}

function describeNextStep(
  code: string,
  quote: Quote | undefined,
  accepted: Accepted | undefined,
  invoice: Invoice | undefined,
): string {
  if (invoice !== undefined) return `assayer watch ${code}`;
  const page = accepted?.hosted_invoice_url;
  if (accepted?.payment.pay_url) return formatPayCommand(code, accepted.payment.kind);
  if (page) return `pay at ${page}`;
  return quote === undefined ? `assayer watch ${code}` : `assayer accept ${code}`;
}
