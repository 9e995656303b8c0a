/**
 * For every operation a request that succeeds. A row here prepares it where the operation acts on something that must
 * exist, or changes it. The others send their path with the body of their example.
 */
import type { Operation } from '#core/operation.ts';
import { toRecord } from '#core/records.ts';
import type { Binding } from '#features/binding.ts';
import { createSequences, UNKNOWN_ID, VHH, type Builders, type Invoiced } from './builders.ts';
import { createRawFile, PLATE } from './lab-by-hand.ts';
import { runRequests } from './run-requests.ts';
import { createRunRequest, EMPTY_PLAN, priceDraftRequests } from './lab-requests.ts';
import { getItems, getText, type Ask, type TestAnswer, type TestService } from './service.ts';
import { notificationRequests } from './notification-requests.ts';
import { webhookRequests } from './webhook-requests.ts';

export interface Request {
  readonly path: string;
  readonly body?: unknown;
  /** A file, instead of a body. */
  readonly file?: string;
}

let products = 0;
/** Another product each time, because each can be requested once. */
const createTargetBody = () => ({ name: 'A target of ours', product_id: `T-${++products}`, pdb_id: '1IVO' });

const ONE_LINE = [{ description: 'Assay of your own', quantity: 1, unit_price_cents: 120_000 }];

type Prepare = (build: Builders) => Promise<Request>;

/** What reading operations look at; made once, because reading changes nothing. */
export interface Records {
  readonly released: Invoiced & { readonly organizationId: string };
  readonly resultId: string;
  /** Another released experiment of the same assay. */
  readonly comparedCode: string;
  readonly sequenceId: string;
  readonly updateId: string;
  readonly targetRequestId: string;
  readonly creditNoteNumber: string;
  readonly controlPlotPath: string;
}

export async function prepareRecords({ ask }: Pick<TestService, 'ask'>, build: Builders): Promise<Records> {
  const released = await build.createReleased();
  const results = await ask('GET', `/experiments/${released.id}/results`);
  const sequences = await ask('GET', `/experiments/${released.id}/sequences`);
  const updates = await ask('GET', '/updates');
  const credit = { amount_cents: 100, reason: 'goodwill' };
  const refunded = await ask('POST', `/lab/invoices/${released.invoiceId}/refunds`, { body: credit });
  const charts = await ask('GET', '/lab/control-charts');
  const requested = await ask('POST', '/targets/request-custom', { body: createTargetBody() });
  return {
    released: { ...released, organizationId: await build.readOrganizationId() },
    resultId: getText(getItems(results.body.items)[0]?.id),
    comparedCode: await build.getShareable(),
    sequenceId: getText(getItems(sequences.body.items)[0]?.id),
    updateId: getText(getItems(updates.body.items)[0]?.id),
    targetRequestId: getText(requested.body.id),
    creditNoteNumber: getText(refunded.body.credit_note_number),
    controlPlotPath: getText(getItems(charts.body.charts)[0]?.plot_path),
  };
}

const createRequest = (path: string, body?: unknown): Request =>
  body === undefined ? { path } : { path, body };

/** The paths of reading operations that need more than the ids of `listIds`: a query, or another row's answer. */
function listReads({
  released,
  resultId,
  comparedCode,
  controlPlotPath,
}: Records): Readonly<Record<string, string>> {
  return {
    list_sequences: `/sequences?experiment_id=${released.code}`,
    list_results: `/results?experiment_id=${released.id}`,
    compare_experiments: `/experiments/${released.code}/comparison?with=${comparedCode}`,
    get_comparison_plot: `/experiments/${released.code}/comparison/plot.svg?with=${comparedCode}`,
    diff_results: `/results/${resultId}/diff?against=1`,
    diff_lab_results: `/lab/experiments/${released.code}/results/${resultId}/diff?against=1`,
    get_control_chart_plot: controlPlotPath,
    // A stream that follows has no end.
    stream_updates: '/updates/stream?follow=false',
    stream_all_updates: '/lab/updates/stream?follow=false',
  };
}

/** The ids that paths of reading operations name. */
function listIds({ released, ...records }: Records): Readonly<Record<string, string>> {
  return {
    experiment_id: released.code,
    quote_id: released.quoteId,
    invoice_id: released.invoiceId,
    organization_id: released.organizationId,
    result_id: records.resultId,
    sequence_id: records.sequenceId,
    update_id: records.updateId,
    request_id: records.targetRequestId,
    credit_note_number: records.creditNoteNumber,
  };
}

let clients = 0;

/** Each on a new state, because it changes it. */
const others: Readonly<Record<string, Prepare>> = {
  ...webhookRequests,
  ...notificationRequests,
  ...runRequests,
  ...priceDraftRequests,
  get_target_info: async ({ targets }) => createRequest(`/targets/${targets.perSequence}`),
  create_custom_target_request: async () => createRequest('/targets/request-custom', createTargetBody()),
  submit_feedback: async () =>
    createRequest('/feedback/submit', { feedback_type: 'feedback', request_uuid: UNKNOWN_ID, title: 'Good' }),
  mint_token: async () =>
    createRequest('/partners/mint-token', {
      org: { type: 'new_org', name: 'A client' },
      user: { email: `client-${++clients}@example.org` },
    }),
  renew_partner_token: async ({ mintClientToken }) =>
    createRequest(`/partners/tokens/${await mintClientToken()}/renew`, {}),
  revoke_partner_token: async ({ mintClientToken }) =>
    createRequest(`/partners/tokens/${await mintClientToken()}/revoke`, {}),
  plan_run: async (build) => createRequest('/lab/run-plans', await createRunRequest(build)),
  edit_run_plan: async (build) => {
    const request = { ...(await createRunRequest(build)), seed: 7 };
    const edit = { kind: 'empty', at: { plate: 'P1', well: 'A1' } };
    return createRequest('/lab/run-plans/edit', { request, plan: EMPTY_PLAN, edit });
  },
  write_run_file: async () =>
    createRequest('/lab/run-plans/files', { plan: EMPTY_PLAN, plate: 'P1', kind: 'plate_list' }),
  get_price_list: async ({ createPriceList }) => createRequest(`/lab/price-lists/${await createPriceList()}`),
  compare_price_list: async ({ createPriceList }) =>
    createRequest(`/lab/price-lists/${await createPriceList()}/comparison`),
  create_price_list: async () =>
    createRequest('/lab/price-lists', {
      effective_from: '2999-01-01T00:00:00Z',
      prices: [{ experiment_type: 'affinity', unit_price_cents: 100, replicate_price_cents: 50 }],
    }),
  edit_price_list: async ({ createPriceList }) =>
    createRequest(`/lab/price-lists/${await createPriceList()}`, { note: 'Second half' }),
  delete_price_list: async ({ createPriceList }) =>
    createRequest(`/lab/price-lists/${await createPriceList()}`),
  publish_price_list: async ({ createPriceList }) =>
    createRequest(`/lab/price-lists/${await createPriceList()}/publish`, {}),
  edit_assay_type: async () =>
    createRequest('/lab/assay-types/expression', { turnaround_workdays: 1 + (++products % 100) }),
  edit_lab_calendar: async () => createRequest('/lab/calendar', { queue_workdays: 1 + (++products % 100) }),
  allow_unpaid_run: async ({ createInvoiced }) =>
    createRequest(`/lab/experiments/${(await createInvoiced()).id}/allow-unpaid`, {
      reason: 'a purchase order',
    }),
  get_lab_target: async ({ targets }) => createRequest(`/lab/targets/${targets.perSequence}`),
  create_target: async () =>
    createRequest('/lab/targets', {
      name: 'New',
      vendor_name: 'A vendor',
      catalog_number: `T-${++products}`,
    }),
  edit_target: async ({ targets }) =>
    createRequest(`/lab/targets/${targets.perSequence}`, { stock_ug: ++products }),
  validate_target_import: async () =>
    createRequest('/lab/targets/import/validate', { content: 'catalog_number,name,vendor_name\nX,X,X\n' }),
  import_targets: async () =>
    createRequest('/lab/targets/import', {
      content: `catalog_number,name,vendor_name\nT-${++products},New,A vendor\n`,
    }),
  appoint_staff: async (build) =>
    createRequest('/lab/staff', { email: await build.createAccount(), roles: ['operator'] }),
  change_staff_roles: async (build) =>
    createRequest(`/lab/staff/${await build.createStaff(['operator'])}`, { roles: ['manager'] }),
  dismiss_staff: async (build) => createRequest(`/lab/staff/${await build.createStaff(['operator'])}`),
  retry_job: async ({ createFailedJob }) => createRequest(`/lab/jobs/${await createFailedJob()}/retry`, {}),
  change_member_role: async ({ createMember }) =>
    createRequest(`/organization/members/${await createMember()}`, { role: 'viewer' }),
  remove_member: async ({ createMember }) => createRequest(`/organization/members/${await createMember()}`),
  invite_member: async () =>
    createRequest('/organization/invitations', { email: `guest-${++clients}@example.org`, role: 'viewer' }),
  resend_invitation: async ({ createInvitation }) =>
    createRequest(`/organization/invitations/${await createInvitation()}/resend`, {}),
  revoke_invitation: async ({ createInvitation }) =>
    createRequest(`/organization/invitations/${await createInvitation()}`),
  create_exp: async ({ createBody }) => createRequest('/experiments', createBody()),
  clone_exp: async ({ create }) =>
    createRequest(`/experiments/${(await create()).code}/clone`, { name: 'copied' }),
  import_exp: async () =>
    createRequest('/experiments/import?name=imported&experiment_type=expression', {
      content: `>design-1\n${VHH}\n`,
    }),
  validate_exp: async ({ createBody }) => createRequest('/experiments/validate', createBody()),
  cost_estimate: async ({ createBody }) =>
    createRequest('/experiments/cost-estimate', { experiment_spec: createBody().experiment_spec }),
  modify_exp: async ({ create }) => createRequest(`/experiments/${(await create()).id}`, { name: 'renamed' }),
  delete_exp: async ({ create }) => createRequest(`/experiments/${(await create()).id}`),
  submit_experiment: async ({ create }) => createRequest(`/experiments/${(await create()).id}/submit`, {}),
  cancel_exp: async ({ create }) =>
    createRequest(`/experiments/${(await create()).code}/cancel`, { reason: 'twice' }),
  add_sequences: async ({ create }) =>
    createRequest('/sequences', { experiment_code: (await create()).code, sequences: [{ aa_string: VHH }] }),
  confirm_quote: async ({ createQuoted }) =>
    createRequest(`/quotes/${(await createQuoted()).quoteId}/confirm`, {}),
  confirm_experiment_quote: async ({ createQuoted }) =>
    createRequest(`/experiments/${(await createQuoted()).code}/quote/confirm`, {}),
  reject_quote: async ({ createQuoted }) =>
    createRequest(`/quotes/${(await createQuoted()).quoteId}/reject`, { reason: 'scope', feedback: 'fewer' }),
  pay_invoice: async ({ createInvoiced }) =>
    createRequest(`/invoices/${(await createInvoiced()).invoiceId}/pay`, {}),
  trigger_event: async () => createRequest('/sandbox/events', { event_type: 'quote.opened' }),
  mint_payment_token: async () => createRequest('/sandbox/payment-tokens', { max_amount_cents: 20_000 }),
  create_token: async () => createRequest('/tokens', { name: 'made', role: 'viewer', expires_in: '7d' }),
  create_share: async ({ getShareable }) => createRequest('/shares', { experiment_id: await getShareable() }),
  revoke_share: async ({ createShare }) => createRequest(`/shares/${await createShare()}`),
  attenuate_token: async () =>
    createRequest('/tokens/attenuate', {
      token: OWN_TOKEN,
      name: 'narrow',
      attenuation: { read_only: true },
    }),
  revoke_token: async () => createRequest('/tokens/revoke', {}),
  revoke_token_by_id: async () => createRequest(`/tokens/${OWN_TOKEN_ID}/revoke`, {}),
  approve_target_request: async (build) =>
    createRequest(`/lab/target-requests/${await build.createTargetRequest()}/approve`, {
      target: { pricing: null },
      lead_time_days: 14,
    }),
  decline_target_request: async (build) =>
    createRequest(`/lab/target-requests/${await build.createTargetRequest()}/decline`, {
      reason: 'Nobody sells it.',
    }),
  create_custom_quote: async ({ createUnpriced }) =>
    createRequest('/lab/quotes', { experiment_id: (await createUnpriced()).code, line_items: ONE_LINE }),
  edit_custom_quote: async ({ createCustomDraft }) =>
    createRequest(`/lab/quotes/${(await createCustomDraft()).quoteId}`, { notes: 'as discussed' }),
  open_custom_quote: async ({ createCustomDraft }) =>
    createRequest(`/lab/quotes/${(await createCustomDraft()).quoteId}/open`, {}),
  withdraw_quote: async ({ createQuoted }) =>
    createRequest(`/lab/quotes/${(await createQuoted()).quoteId}/withdraw`, { reason: 'cheaper' }),
  update_billing_profile: async () => createRequest('/billing/profile', { legal_name: 'Demo Biosciences' }),
  update_organization_billing: async ({ readOrganizationId }) =>
    createRequest(`/lab/organizations/${await readOrganizationId()}/billing`, {
      legal_name: 'Demo Biosciences',
    }),
  set_tax_rate: async () =>
    createRequest('/lab/tax-rates', {
      country: 'FR',
      name: 'VAT',
      treatment: 'taxed',
      rate_basis_points: 2000,
    }),
  remove_tax_rate: async ({ createTaxRate }) => createRequest(`/lab/tax-rates/${await createTaxRate()}`),
  void_invoice: async ({ createInvoiced }) =>
    createRequest(`/lab/invoices/${(await createInvoiced()).invoiceId}/void`, { reason: 'twice' }),
  reissue_invoice: async ({ createVoided }) =>
    createRequest(`/lab/invoices/${(await createVoided()).invoiceId}/reissue`, { reason: 'wrong buyer' }),
  mark_invoice_uncollectible: async ({ createInvoiced }) =>
    createRequest(`/lab/invoices/${(await createInvoiced()).invoiceId}/uncollectible`, { reason: 'gone' }),
  refund_invoice: async ({ createPaid }) =>
    createRequest(`/lab/invoices/${(await createPaid()).invoiceId}/refunds`, {
      amount_cents: 100,
      reason: 'goodwill',
    }),
  retry_refund: async ({ createRefusedRefund }) =>
    createRequest(`/lab/refunds/${await createRefusedRefund()}/retry`, {}),
  record_refund: async ({ createRefusedRefund }) =>
    createRequest(`/lab/refunds/${await createRefusedRefund()}/record`, {
      reference: `by hand ${++clients}`,
    }),
  reject_exp: async ({ createQuoted }) =>
    createRequest(`/lab/experiments/${(await createQuoted()).id}/reject`, { reason: 'no antigen' }),
  cancel_exp_by_staff: async ({ createPaid }) =>
    createRequest(`/lab/experiments/${(await createPaid()).id}/cancel`, { reason: 'no antigen' }),
  reanalyze_experiment: async ({ createReleasedByHand }) =>
    createRequest(`/lab/experiments/${(await createReleasedByHand()).id}/reanalyze`, { reason: 'again' }),
  add_lab_note: async ({ create }) =>
    createRequest(`/lab/experiments/${(await create()).id}/notes`, { note: 'The client calls first.' }),
  send_message: async ({ create }) =>
    createRequest(`/experiments/${(await create()).id}/messages`, { text: 'When do you begin?' }),
  send_lab_message: async ({ create }) =>
    createRequest(`/lab/experiments/${(await create()).id}/messages`, { text: 'On Monday.' }),
  receive_materials: async ({ createPaid }) =>
    createRequest(`/lab/experiments/${(await createPaid()).id}/materials`, {}),
  record_materials: async ({ createPaid }) =>
    createRequest(`/lab/experiments/${(await createPaid()).id}/materials`, {
      materials: [{ sequence_id: null, status: 'ordered' }],
    }),
  start_run: async ({ createQueued }) =>
    createRequest(`/lab/experiments/${(await createQueued()).code}/runs`, { instrument: 'Octet R8' }),
  add_raw_file: async ({ createRunning }) =>
    createRequest(`/lab/experiments/${(await createRunning()).id}/files`, createRawFile(createSequences(1))),
  put_raw_file: async ({ createRunning }) => {
    const { name, content_base64: content } = createRawFile(createSequences(1));
    return {
      path: `/lab/experiments/${(await createRunning()).id}/files/${name}`,
      file: Buffer.from(content, 'base64').toString(),
    };
  },
  preview_raw_file: async ({ create }) => {
    const { name, content_base64: content } = createRawFile(createSequences(1));
    return {
      path: `/lab/experiments/${(await create()).id}/preview/${name}`,
      file: Buffer.from(content, 'base64').toString(),
    };
  },
  preview_raw_files: async ({ create }) =>
    createRequest(`/lab/experiments/${(await create()).id}/preview`, {
      files: [createRawFile(createSequences(1))],
    }),
  map_raw_files: async ({ createRunning }) =>
    createRequest(`/lab/experiments/${(await createRunning()).id}/mapping`, {
      entries: [{ well: 'A1', role: 'left_out' }],
    }),
  complete_raw_data: async ({ createRecorded }) =>
    createRequest(`/lab/experiments/${(await createRecorded()).id}/complete`, {
      reason: 'Less than ordered is enough.',
    }),
  release_results: async ({ createReviewed }) =>
    createRequest(`/lab/experiments/${(await createReviewed()).id}/release`, {
      reason: 'Less than ordered is enough.',
    }),
  send_back_exp: async ({ createReviewed }) =>
    createRequest(`/lab/experiments/${(await createReviewed()).id}/send-back`, {
      reason: 'The drift was not fitted.',
    }),
  set_simulated_lab: async () => createRequest('/lab/simulated-lab', { mode: 'simulated' }),
  decide_replicates: async ({ createReviewed }) =>
    createRequest(`/lab/experiments/${(await createReviewed()).id}/decisions`, {
      decisions: [{ sequence: 'design-1', plate: PLATE, replicate: 1, decision: 'accept' }],
    }),
  amend_results: async ({ createPending }) =>
    createRequest(`/lab/experiments/${(await createPending()).id}/amend`, { reason: 'other settings' }),
  discard_amendment: async ({ createPending }) =>
    createRequest(`/lab/experiments/${(await createPending()).id}/amend/discard`, { reason: 'as before' }),
  send_invoice: async ({ createAutoAccepted }) =>
    createRequest(`/lab/invoices/${(await createAutoAccepted()).invoiceId}/send`, {}),
  record_bank_transfer: async ({ createInvoiced }) =>
    createRequest(`/lab/invoices/${(await createInvoiced()).invoiceId}/bank-transfer`, {}),
};

export async function createFreshRequest(
  operation: Operation,
  build: Builders,
  records: Records | null,
): Promise<Request> {
  const path = records === null ? undefined : listReads(records)[operation.id];
  if (path !== undefined) return createRequest(path);
  const prepare = others[operation.id];
  return prepare === undefined ? createExampleRequest(operation, records) : prepare(build);
}

/** The request of an operation without a row: its path and the body of its example. A read may name `records`. */
function createExampleRequest(operation: Operation, records: Records | null): Request {
  const { id, body, effect, example } = operation;
  const ids = records === null || effect !== 'read' ? {} : listIds(records);
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (parameter, name: string) => ids[name] ?? parameter);
  const parameter = /\{\w+\}/.exec(path)?.[0];
  if (parameter !== undefined)
    throw new Error(`${id} needs a row in tests/support/requests.ts for ${parameter}`);
  const address = addNeeded(operation, path, (name) => String(toRecord(example.query)[name]));
  return createRequest(address, body === undefined ? undefined : example.body);
}

/** Adds the members of the query without which the operation is refused. */
function addNeeded({ query }: Operation, path: string, choose: (name: string) => string): string {
  const { required } = toRecord(query);
  const names = Array.isArray(required) ? required.map(String) : [];
  const asked = names.map((name) => `${name}=${encodeURIComponent(choose(name))}`);
  return asked.length === 0 ? path : `${path}?${asked.join('&')}`;
}

/** The same request, for something that does not exist. */
export function createUnknownRequest(operation: Operation): Request {
  const path = operation.path
    .replace('{quote_id}', `qt_${UNKNOWN_ID.replaceAll('-', '')}`)
    .replace('{job_id}', '999999999')
    .replaceAll(/\{\w+\}/g, UNKNOWN_ID);
  if (operation.id === 'add_sequences')
    return createRequest(path, { experiment_code: UNKNOWN_ID, sequences: [{ aa_string: VHH }] });
  if (/^list_(?:sequences|results)$/.test(operation.id))
    return createRequest(`${path}?experiment_id=${UNKNOWN_ID}`);
  // A stream that follows has no end.
  if (operation.media?.includes('text/event-stream') === true) return createRequest(`${path}?follow=false`);
  if (operation.id === 'import_exp')
    return createRequest(`${path}?name=x&experiment_type=expression`, operation.example.body);
  if (operation.upload !== undefined) return { path, file: '# assayer-traces: 1\n' };
  const address = addNeeded(operation, path, () => UNKNOWN_ID);
  return createRequest(address, operation.body === undefined ? undefined : (operation.example.body ?? {}));
}

export function send(
  ask: TestService['ask'],
  { method }: Pick<Operation, 'method'>,
  { path, body, file }: Request,
  options: Ask = {},
): Promise<TestAnswer> {
  return ask(method, fillCaller(path, options), {
    ...options,
    ...(body === undefined ? {} : { payload: fillCaller(JSON.stringify(body), options) }),
    ...(file === undefined ? {} : { payload: file }),
  });
}

/** Stand for the token of whoever sends the request, and for its id. */
const OWN_TOKEN = 'token-of-the-caller';
const OWN_TOKEN_ID = 'id-of-the-token-of-the-caller';

export function fillCaller(text: string, { token }: Ask): string {
  if (typeof token !== 'string') return text;
  return text.replaceAll(OWN_TOKEN_ID, () => readTokenId(token)).replaceAll(OWN_TOKEN, () => token);
}

/** The id that a token carries, read without any check. */
export function readTokenId(token: string): string {
  const [, payload = ''] = token.split('.');
  const claims: unknown = JSON.parse(Buffer.from(payload, 'base64url').toString());
  return typeof claims === 'object' && claims !== null && 'tid' in claims ? String(claims.tid) : '';
}

const tags = process.env['ASSAYER_TAGS']?.split(',');

/** Whether a matrix has a row for the operation; `ASSAYER_TAGS` limits it to the operations of some tags. */
export function isInMatrix({ operation }: Binding): boolean {
  return tags === undefined || tags.includes(operation.tag);
}
