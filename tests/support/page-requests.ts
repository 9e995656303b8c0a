/** The input of the pages and of other routes outside the API: a form for every action. */
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { FastifyInstance } from 'fastify';

export interface ServedRoute {
  readonly url: string;
  readonly methods: readonly string[];
}

/** Lists every route outside the API. */
export async function listPageRoutes(app: FastifyInstance): Promise<ServedRoute[]> {
  await app.ready();
  const served = app.listRoutes();
  return served
    .filter(({ url }) => !url.startsWith('/api/'))
    .map(({ url, methods, answersHead }) => ({ url, methods: answersHead ? [...methods, 'HEAD'] : methods }));
}

type Fields = Readonly<Record<string, string>>;

const PASSWORD = 'seven quiet otters swim';
const ID = '01980000-0000-7000-8000-00000000ffff';

const PLAN_EDIT: Fields = {
  plan: 'x',
  shown: 'P1',
  show: 'P1',
  act: 'swap',
  well: 'A1',
  other: 'B1',
  other_plate: 'P1',
  role: 'sample',
  sample: 'one',
  replicate: '1',
  concentration_nm: '10',
};
const PLAN_FILE: Fields = {
  kind: 'opentrons_csv',
  sources: 'one, S1, 96, A1',
  volume_ul: '10',
  liquid_class: 'water',
  source_type: 'a',
  destination_type: 'b',
  source_labware: 'c',
  source_slot: '1',
  destination_labware: 'd',
  destination_slot: '2',
  aspiration_height_mm: '1',
  reporter: 'dye',
};
const TARGET: Fields = {
  name: 'EGFR',
  vendor_name: 'A vendor',
  catalog_number: 'A-1',
  purity: '95',
  pricing_type: 'per_broken_lot',
  price: '5.00',
  lots: '24: 500.00',
  bioactivity: 'bli; spr',
  control_kd_nm: '1',
  idempotency_key: 'a-key',
};
/** A row of a review, as its fields are named. */
const REVIEW_ROW = Buffer.from(JSON.stringify(['one', 'P1', 1, null, null])).toString('base64url');
const APPROVAL: Fields = { lead_time_days: '14', note: 'soon' };
const QUOTE: Fields = {
  line_0_description: 'An assay',
  line_0_quantity: '2',
  line_0_unit_price_cents: '100.00',
  discount_0_description: 'Less',
  discount_0_basis_points: '10',
  notes: 'none',
  terms_and_conditions: 'usual',
  valid_until: '2026-05-01',
  intent: 'save',
};

/** A valid form for each action, except for values that exist only at run time. */
export const forms: ReadonlyMap<string, Fields> = new Map<string, Fields>([
  ['/account/name', { name: 'A person' }],
  ['/account/password', { new_password: PASSWORD, current_password: '' }],
  ['/account/passkeys/remove', { passkey_id: ID }],
  ['/account/sessions/end', { session_id: ID }],
  ['/password', { email: 'demo@example.org' }],
  ['/password/:secret', { new_password: PASSWORD }],
  ['/sign-in', { email: 'demo@example.org', password: PASSWORD, next: '/' }],
  ['/sign-in/mail', { email: 'demo@example.org' }],
  ['/sign-up', { email: 'new@example.org', name: 'N', organization: 'O' }],
  ['/sign-up/:secret', { name: 'N', organization: 'O', new_password: PASSWORD }],
  ['/set-up/:secret', { email: 'a@example.org', name: 'N', organization: 'O', new_password: PASSWORD }],
  ['/invitations/continue', { name: 'N', new_password: PASSWORD }],
  ['/invitations/:secret', { name: 'N', new_password: PASSWORD }],
  ['/account/notifications/organization', { digest_hour: '7', 'mail:results': 'daily' }],
  ['/account/notifications/lab', { digest_hour: '7', 'mail:late_run': 'daily' }],
  ['/notifications/stop/:user/:place/:stops', { 'List-Unsubscribe': 'One-Click' }],
  ['/account/programs/revoke', { program_id: ID }],
  ['/organizations/enter', { organization_id: ID }],
  ['/organizations/found', { organization: 'Another' }],
  ['/organization/invite', { email: 'guest@example.org', role: 'viewer', delivery: 'link' }],
  ['/organization/invitations/resend', { invitation_id: ID, delivery: 'link' }],
  ['/organization/invitations/revoke', { invitation_id: ID }],
  ['/organization/members/role', { user_id: ID, role: 'viewer' }],
  ['/organization/members/remove', { user_id: ID }],
  [
    '/organization/billing',
    { legal_name: 'A', address: 'B', country: 'DE', tax_id: 'DE123456789', page_size: 'a4' },
  ],
  [
    '/organization/webhooks/create',
    {
      url: 'https://hooks.example.org/a',
      format: 'slack',
      'event_types:invoice.paid': 'yes',
      idempotency_key: 'a-key',
    },
  ],
  [
    '/organization/webhooks/:webhook_id/save',
    { url: 'https://hooks.example.org/a', format: 'events', 'event_types:invoice.paid': 'yes' },
  ],
  ['/organization/webhooks/trigger', { event_type: 'quote.opened', idempotency_key: 'a-key' }],
  ['/organization/webhooks/:webhook_id/test', { idempotency_key: 'a-key' }],
  ['/organization/webhooks/:webhook_id/enable', {}],
  ['/organization/webhooks/:webhook_id/disable', {}],
  ['/organization/webhooks/:webhook_id/roll', { idempotency_key: 'a-key' }],
  ['/organization/webhooks/:webhook_id/delete', {}],
  ['/organization/webhooks/deliveries/:delivery_id/redeliver', { idempotency_key: 'a-key' }],
  ['/organization/tokens/create', { name: 'ci', role: 'viewer', expires_in: '7d' }],
  [
    '/organization/tokens/attenuate',
    {
      name: 'less',
      token: 'asy_test_x',
      read_only: 'yes',
      non_destructive: 'yes',
      'allowed_actions:read': 'yes',
      'allowed_resources:experiment': 'yes',
      resource_ids: ID,
      expires_at: '',
      max_spend_cents: '1',
    },
  ],
  ['/organization/tokens/revoke', { token_id: ID }],
  ['/organization/shares/create', { result_id: ID, title: 'Ours', shared_by: 'Us', expires_in: '7d' }],
  ['/organization/shares/revoke', { share_id: ID }],
  ['/demo', { idempotency_key: 'a-key' }],
  [
    '/experiments/new',
    {
      name: 'designs',
      description: 'words',
      target_id: '',
      experiment_type: 'expression',
      method: '',
      n_replicates: '2',
      antigen_concentrations: '',
      expected_kd_nm: '5',
      target_search: 'EGFR',
      choose_target: '',
      requested_name: '',
      requested_uniprot_id: '',
      requested_note: '',
      webhook_url: '',
      column_name: '',
      column_sequence: '',
      shown_designs: '',
      from: '',
      sequences: '>one\nACDEFGHIKLMNPQRSTVWY',
      library: 'default',
      translate: 'yes',
      intent: 'create',
      idempotency_key: 'a-key',
    },
  ],
  [
    '/target-requests/new',
    {
      name: 'A receptor',
      product_id: 'R-1',
      vendor: 'A vendor',
      product_url: 'https://vendor.example/R-1',
      sequence: '>one\nACDEFGHIKLMNPQRSTVWY',
      pdb_id: '1IVO',
      pdb_file: 'HEADER    RECEPTOR\nEND\n',
      molecular_weight: '68.5',
      note: 'a monomer',
      idempotency_key: 'a-key',
    },
  ],
  [
    '/experiments/:experiment_id/edit',
    {
      name: 'designs',
      description: 'words',
      target_id: '',
      n_replicates: '2',
      antigen_concentrations: '100, 10',
      expected_kd_nm: '',
      target_search: '',
      choose_target: '',
      webhook_url: '',
      column_name: '',
      column_sequence: '',
      shown_designs: '',
      code: '',
      sequences: '>one\nACDEFGHIKLMNPQRSTVWY',
      library: 'default',
      translate: 'yes',
      intent: 'create',
      idempotency_key: 'a-key',
    },
  ],
  ['/experiments/:experiment_id/rename', { name: 'designs', description: '', idempotency_key: 'a-key' }],
  ['/experiments/:experiment_id/delete', { idempotency_key: 'a-key' }],
  ['/experiments/:experiment_id/submit', { idempotency_key: 'a-key' }],
  [
    '/experiments/:experiment_id/target',
    { target_id: '01980000-0000-7000-8000-000000000001', idempotency_key: 'a-key' },
  ],
  ['/experiments/:experiment_id/cancel', { reason: 'none', idempotency_key: 'a-key' }],
  ['/quotes/:quote_id/accept', { purchase_order_number: 'PO-1', idempotency_key: 'a-key' }],
  ['/quotes/:quote_id/reject', { reason: 'price', feedback: 'dear', idempotency_key: 'a-key' }],
  ['/lab/experiments/:experiment_id/materials', { idempotency_key: 'a-key' }],
  [
    '/lab/experiments/:experiment_id/runs',
    { instrument: 'Octet R8', override_reason: 'known', idempotency_key: 'a-key' },
  ],
  // Its file makes it another kind of form, which tests/screens sends.
  ['/lab/experiments/:experiment_id/files', {}],
  [
    '/lab/experiments/:experiment_id/complete',
    {
      settings: '{}',
      association_s: '300',
      reason: 'Less than ordered is enough.',
      idempotency_key: 'a-key',
    },
  ],
  [
    '/lab/experiments/:experiment_id/release',
    { reason: 'Less than ordered is enough.', idempotency_key: 'a-key' },
  ],
  ['/lab/experiments/:experiment_id/send-back', { reason: 'again', settings: '', idempotency_key: 'a-key' }],
  ['/lab/experiments/:experiment_id/reanalyze', { reason: 'again', settings: '', idempotency_key: 'a-key' }],
  [
    '/lab/experiments/:experiment_id/cancel',
    { reason: 'none', refund_cents: '1.00', idempotency_key: 'a-key' },
  ],
  ['/lab/experiments/:experiment_id/notes', { note: 'A note.', idempotency_key: 'a-key' }],
  ['/lab/experiments/:experiment_id/messages', { text: 'A message.', idempotency_key: 'a-key' }],
  ['/experiments/:experiment_id/messages', { text: 'A message.', idempotency_key: 'a-key' }],
  [
    '/lab/experiments/:experiment_id/review/decisions',
    { page: '', [`d.${REVIEW_ROW}`]: 'exclude', [`r.${REVIEW_ROW}`]: 'A bubble.', idempotency_key: 'a-key' },
  ],
  [
    '/lab/experiments/:experiment_id/review/release',
    { reason: 'Less than ordered is enough.', idempotency_key: 'a-key' },
  ],
  ['/lab/experiments/:experiment_id/review/release-part', { sequences: 'one', idempotency_key: 'a-key' }],
  [
    '/lab/experiments/:experiment_id/review/reanalyze',
    { reason: 'again', settings: '{}', idempotency_key: 'a-key' },
  ],
  [
    '/lab/experiments/:experiment_id/review/send-back',
    { reason: 'again', settings: '', idempotency_key: 'a-key' },
  ],
  ['/lab/experiments/:experiment_id/review/amend', { reason: 'again', idempotency_key: 'a-key' }],
  ['/lab/experiments/:experiment_id/review/discard', { reason: 'none', idempotency_key: 'a-key' }],
  // Its file makes it another kind of form, which tests/screens sends.
  ['/lab/experiments/:experiment_id/raw-files/preview', {}],
  [
    '/lab/experiments/:experiment_id/raw-files/mapping',
    {
      entries: 'plate,well,sample,role,sequence,replicate\n,A1,,left_out,,',
      reason: 'empty',
      intent: 'save',
      idempotency_key: 'a-key',
    },
  ],
  ['/lab/invoices/:invoice_id/send', { idempotency_key: 'a-key' }],
  [
    '/lab/invoices/:invoice_id/transfer',
    { reference: 'SEPA 1', received_on: '2026-03-01', idempotency_key: 'a-key' },
  ],
  ['/lab/invoices/:invoice_id/refunds', { reason: 'none', amount_cents: '1.00', idempotency_key: 'a-key' }],
  [
    '/lab/invoices/:invoice_id/reissue',
    { reason: 'none', purchase_order_number: 'PO-1', idempotency_key: 'a-key' },
  ],
  ['/lab/invoices/:invoice_id/void', { reason: 'none', idempotency_key: 'a-key' }],
  ['/lab/invoices/:invoice_id/uncollectible', { reason: 'none', idempotency_key: 'a-key' }],
  ['/lab/refunds/:refund_id/retry', { idempotency_key: 'a-key' }],
  ['/lab/refunds/:refund_id/record', { reference: 'SEPA 2', idempotency_key: 'a-key' }],
  ['/lab/clients/:organization_id/billing', { legal_name: 'A', address: 'B', country: 'DE', tax_id: '' }],
  ['/lab/staff/appoint', { email: 'demo@example.org', 'roles:operator': 'yes' }],
  ['/lab/staff/:user_id/roles', { 'roles:finance': 'yes' }],
  ['/lab/staff/:user_id/dismiss', {}],
  ['/lab/health/jobs/:job_id/retry', { idempotency_key: 'a-key' }],
  [
    '/lab/plans',
    {
      'experiment:DEM-001-001': 'yes',
      others: 'DEM-001-002',
      size: '96',
      instrument: 'capillaries-24',
      concentrations: '100, 10',
      positive: 'lysozyme',
      negatives: 'none',
      standard: 'tag',
      standard_levels: '0, 1, 2, 4',
      seed: '7',
    },
  ],
  ['/lab/plans/edit', PLAN_EDIT],
  ['/lab/plans/file', { ...PLAN_EDIT, ...PLAN_FILE }],
  ['/lab/plans/save', { ...PLAN_EDIT, run_instrument: 'Octet R8', operator: 'Ada Example' }],
  ['/lab/runs/:run_id/edit', PLAN_EDIT],
  ['/lab/runs/:run_id/file', { ...PLAN_EDIT, ...PLAN_FILE }],
  ['/lab/runs/:run_id/details', { instrument: 'Octet R8', operator: 'Ada Example' }],
  ['/lab/runs/:run_id/start', { instrument: 'Octet R8', operator: 'Ada Example', idempotency_key: 'a-key' }],
  ['/lab/runs/:run_id/cancel', { reason: 'no instrument' }],
  // Their file makes them another kind of form, which tests/screens sends.
  ['/lab/runs/:run_id/raw-files', {}],
  ['/lab/runs/:run_id/raw-files/preview', {}],
  [
    '/lab/runs/:run_id/raw-files/mapping',
    {
      entries: 'plate,well,sample,role,sequence,replicate\n,A1,,left_out,,',
      reason: 'empty',
      intent: 'save',
      idempotency_key: 'a-key',
    },
  ],
  ['/lab/runs/:run_id/complete', { settings: '{}', association_s: '300', idempotency_key: 'a-key' }],
  ['/lab/runs/:run_id/allow-unpaid/:experiment_id', { reason: 'a purchase order' }],
  ['/lab/experiments/:experiment_id/allow-unpaid', { reason: 'a purchase order', idempotency_key: 'a-key' }],
  [
    '/lab/experiments/:experiment_id/materials/record',
    {
      which: 'missing',
      status: 'received',
      form: 'protein',
      lot: 'L-1',
      amount_ug: '1.5',
      concentration_mg_per_ml: '0.1',
      expires_on: '2031-01-31',
      idempotency_key: 'a-key',
    },
  ],
  ['/lab/price-lists/new', { idempotency_key: 'a-key' }],
  ['/lab/price-lists/import', { content: 'kind\nprice', intent: 'check', idempotency_key: 'a-key' }],
  [
    '/lab/price-lists/:price_list_id',
    {
      effective_from: '2026-07-01',
      note: 'second half',
      unit_affinity_any: '199.00',
      further_affinity_any: '49.00',
      discount_0_experiment_type: 'affinity',
      discount_0_sequences_min: '96',
      discount_0_basis_points: '10',
      materials: 'DEMO-0001 = 5.00',
    },
  ],
  ['/lab/price-lists/:price_list_id/publish', { idempotency_key: 'a-key' }],
  ['/lab/price-lists/:price_list_id/delete', {}],
  [
    '/lab/assay-types/:experiment_type',
    {
      offered: 'yes',
      'methods:bli': 'yes',
      n_replicates_min: '1',
      n_replicates_max: '5',
      turnaround_workdays: '15',
    },
  ],
  [
    '/lab/calendar',
    {
      time_zone: 'UTC',
      'workdays:mon': 'yes',
      closing_days: '2026-12-25',
      materials_workdays: '10',
      queue_workdays: '3',
      run_starts_per_workday: '4',
    },
  ],
  ['/lab/targets/new', TARGET],
  ['/lab/targets/:id', TARGET],
  ['/lab/targets/:id/retire', {}],
  ['/lab/targets/:id/list', {}],
  ['/lab/targets/import', { content: 'catalog_number,name\nA-1,A', intent: 'check' }],
  ['/lab/target-requests/:request_id/approve', { ...TARGET, ...APPROVAL, listed_for_everyone: 'yes' }],
  ['/lab/target-requests/:request_id/approve-listed', { ...APPROVAL, target_id: ID }],
  ['/lab/target-requests/:request_id/decline', { reason: 'nobody sells it' }],
  ['/lab/quotes/new', { ...QUOTE, experiment: 'DEM-001-001', idempotency_key: 'a-key' }],
  ['/lab/quotes/orders/:experiment_id/reject', { reason: 'not possible' }],
  ['/lab/quotes/:quote_id', QUOTE],
  ['/lab/quotes/:quote_id/open', {}],
  ['/lab/quotes/:quote_id/withdraw', { reason: 'cheaper' }],
  ['/device/decision', { user_code: 'BCDF-GHJK', intent: 'deny', scope: `${ID}:viewer`, lifetime: '7d' }],
  ['/device/authorization', { client_id: 'assayer-cli', device_name: 'laptop' }],
  [
    '/device/token',
    {
      client_id: 'assayer-cli',
      grant_type: 'urn:ietf:params:oauth:grant-type:device_code',
      device_code: 'x'.repeat(43),
    },
  ],
  [
    '/oauth/consent',
    {
      oauth_query: 'client_id=x&redirect_uri=http://127.0.0.1/',
      intent: 'allow',
      organization_id: ID,
      right: 'order',
      experiments: 'some',
      codes: 'DEM-001-001',
      max_spend: '500',
      no_limit: '',
      lifetime: '7d',
    },
  ],
]);

const SOURCES = join(import.meta.dirname, '../../src');
/** Where pages and their kit stand. */
const IS_PAGE = /^(?:transports\/pages|ui|features\/[^/]+\/pages)\/.*(?<!\.test)\.ts$/;

/** Finds the names that the sources of the pages read from a query or a form; a test checks that none is missing above. */
export function readNamesInSources(): {
  readonly query: ReadonlySet<string>;
  readonly form: ReadonlySet<string>;
} {
  const files = readdirSync(SOURCES, { recursive: true, encoding: 'utf8' }).filter((name) =>
    IS_PAGE.test(name),
  );
  const text = files.map((name) => readFileSync(join(SOURCES, name), 'utf8')).join('\n');
  const find = (pattern: RegExp): string[] => [...text.matchAll(pattern)].map(([, name = '']) => name);
  return {
    query: new Set(find(/queryParameter\([\w.]+, '(\w+)'/g)),
    form: new Set([
      ...find(/\b(?:getField|getShortField)\([\w.]+, '(\w+)'/g),
      ...find(/\bform\.(?!get|keys|has|ts)(\w+)/g),
      ...find(/getIdParameter\(context, '(\w+)'/g),
    ]),
  };
}
