/** Rows for every list of the demo organization: ties, gaps and odd characters in each column that can be asked about. */
import { createOrganizationScope } from '#core/scope.ts';
import type { Sql } from '#core/sql.ts';
import { recountExperiments } from '#features/experiments/store.ts';

const ROWS = 23;
/** Characters that have a meaning in a pattern, in a quoted value or in a filter; each list has one such name. */
export const ODD_NAME = String.raw`100%_\ (it's "odd"), β`;

const EXPERIMENTS = `insert into experiments (id, organization_id, code, name, status, results_status, experiment_type,
    method, target_id, n_replicates, parameters, sequence_count, payment_method, created_by_user_id, created_at,
    updated_at, status_since)
  select uuidv7(), $1, 'LST-001-' || lpad(n::text, 3, '0'), case n when 5 then $3 else 'Binder ' || n % 6 end,
    (array['draft', 'quote_sent', 'in_queue', 'done', 'canceled'])[1 + n % 5],
    (array['none', 'partial', 'all'])[1 + n % 3], (array['affinity', 'screening', 'thermostability'])[1 + n % 3],
    case when n % 3 < 2 then 'bli' end,
    case when n % 4 = 0 then (select id from targets order by id limit 1) end, 1 + n % 5,
    case when n % 5 > 0 then jsonb_build_object('ph', 6 + n % 4 / 2.0, 'buffer', jsonb_build_object('name', 'HEPES'),
      'concentrations', jsonb_build_array(n * 50, 10)) end,
    1, 'async_invoice', $2, timestamptz '2026-01-01 08:00:00.123Z' + n / 3 * interval '1 day',
    timestamptz '2026-02-01Z' + n % 4 * interval '1 hour', timestamptz '2026-02-02Z' + n % 5 * interval '1 hour'
  from generate_series(1, ${ROWS}) n`;

const FIRST = `(select id from experiments where code = 'LST-001-001')`;

const SEQUENCES = `insert into sequences (experiment_id, ordinal, id, organization_id, name, aa_string, length, is_control,
    metadata, created_at)
  select e.id, n, uuidv7(), $1, case n when 5 then $2 else 'design-' || n % 6 end,
    repeat('ACDEFGHIKL', n % 4 + 1) || 'W' || substr('ACDEFGHIKLMNPQRSTVWY', 1 + n % 20, 1) || 'W', 10 * (n % 4 + 1) + 3, n % 7 = 0,
    case when n % 3 > 0 then jsonb_build_object('origin', 'round ' || n % 2, 'score', n / 10.0) end,
    timestamptz '2026-01-02Z' + n / 4 * interval '1 day'
  from generate_series(1, ${ROWS}) n
  join experiments e on e.organization_id = $1 and (e.id = ${FIRST} or e.code = 'LST-001-' || lpad(n::text, 3, '0'))`;

const RESULTS = `insert into results (id, organization_id, experiment_id, experiment_code, experiment_type, sequence_id,
    title, version, status, outcome, target_id, binding_score, summary, metadata, record, released_at, created_at,
    updated_at, rank_best, rank_worst, released_place)
  select uuidv7(), $1, e.id, e.code, e.experiment_type, s.id, 'KD of ' || s.name, 1 + n % 2,
    (array['final', 'amended'])[1 + n % 2], (array['measured', 'non_binder', 'failed_qc'])[1 + n % 3],
    case when n % 2 = 0 then (select id from targets order by id limit 1) end,
    case when n % 4 > 0 then 5 + n % 4 / 3.0 end,
    case when n % 5 > 0 then jsonb_build_array(jsonb_build_object('kd_mean', 1e-9 * (1 + n % 4), 'binding', 'true'))
      else '[]' end, '{}',
    jsonb_build_object('sequence_name', s.name, 'is_control', false, 'method', 'bli', 'instrument', 'simulated', 'n_replicates', 1, 'n_replicates_passed', 1)
      || case when n % 6 > 0 then jsonb_build_object('place', n) else '{}' end,
    s.created_at, s.created_at, s.created_at, rank.at, rank.at, rank.at
  from (select *, ordinal as n from sequences where organization_id = $1) s join experiments e on e.id = s.experiment_id
  cross join lateral (select case when n % 6 > 0 then n end as at) rank`;

const UPDATES = `insert into updates (id, organization_id, experiment_id, experiment_code, type, name, previous_status, status,
    created_at)
  select uuidv7(), $1, e.id, e.code, (array['status_change', 'progress', 'quote'])[1 + n % 3],
    case n when 5 then $2 else 'Update ' || n % 6 end, case when n % 3 = 0 then 'draft' end,
    case when n % 3 = 0 then 'quote_sent' end, timestamptz '2026-01-03Z' + n / 3 * interval '1 minute'
  from generate_series(1, ${ROWS}) n
  join experiments e on e.organization_id = $1 and (e.id = ${FIRST} or e.code = 'LST-001-' || lpad(n::text, 3, '0'))`;

const QUOTES = `insert into quotes (id, organization_id, experiment_id, quote_number, status, pricing_version, currency,
    line_items, breakdown, subtotal_cents, tax_cents, total_cents, notes, terms_and_conditions, valid_until, created_at,
    updated_at)
  select 'qt_' || replace(id::text, '-', ''), $1, id, case when code like '%-005' then $2 else 'Q-' || code end, case when n_replicates = 1 then 'stale' else 'open' end,
    'v1', 'usd', '[]', '{}', 1000 * n_replicates, 0, 1000 * n_replicates, '', '',
    updated_at + interval '30 days', created_at, created_at
  from experiments where organization_id = $1`;

const INVOICES = `insert into invoices (id, external_id, organization_id, experiment_id, quote_id, invoice_number, status,
    payment_method, currency, line_items, subtotal_cents, tax_cents, total_cents, amount_paid_cents, due_date, paid_at,
    created_at, updated_at)
  select uuidv7(), 'in_' || id, $1, experiment_id, id, case when n = 5 then $2 when n % 3 > 0 then 'INV-' || n end,
    case when n % 4 = 0 then 'paid' else 'open' end, 'async_invoice', 'usd', '[]', total_cents, 0, total_cents,
    case when n % 4 = 0 then total_cents else 0 end, case when n % 3 > 0 then valid_until end,
    case when n % 4 = 0 then valid_until end, created_at, created_at
  from (select *, row_number() over (order by id) as n from quotes where organization_id = $1) q`;

const REFUNDS = `insert into refunds (id, organization_id, invoice_id, credit_note_number, status, rail, payment_reference,
    amount_cents, tax_cents, currency, is_credit, reason, requested_by, reference, created_at, refunded_at)
  select uuidv7(), $1, id, 'CN-' || n, (array['pending', 'refunded', 'action_required'])[1 + n % 3],
    case n when 5 then $2 else 'rail ' || n % 4 end, '{}', 100 * (1 + n % 6), 0, 'usd', n % 2 = 0, 'a reason', 'lab',
    case when n % 3 = 1 then 'back ' || n end, created_at, case when n % 3 = 1 then created_at end
  from (select *, row_number() over (order by id) as n from invoices where organization_id = $1) i`;

const TOKENS = `insert into tokens (id, organization_id, user_id, name, kind, role, root_token_id, path, created_at,
    expires_at, revoked_at, last_used_at, partner_organization_id)
  select id, $1, $2, case n when 5 then $3 else 'token ' || n % 6 end, 'root', (array['viewer', 'member'])[1 + n % 2], id,
    array[id], timestamptz '2026-01-04Z' + n / 3 * interval '1 day',
    case when n % 4 > 0 then timestamptz '2026-06-01Z' + n % 3 * interval '1 day' end,
    case when n % 5 = 0 then timestamptz '2026-02-01Z' end,
    case when n % 3 > 0 then timestamptz '2026-01-20Z' + n % 4 * interval '1 day' end, $1
  from (select n, uuidv7() as id from generate_series(1, ${ROWS}) n) each_token`;

const TARGET_REQUESTS = `insert into target_requests (id, organization_id, experiment_id, name, product_id, request, status,
    created_at, updated_at)
  select uuidv7(), $1, case when n % 3 = 0 then ${FIRST} end, case n when 5 then $2 else 'Antigen ' || n % 6 end,
    'AG-' || n % 4, '{}', (array['pending_review', 'approved', 'rejected'])[1 + n % 3],
    timestamptz '2026-01-05Z' + n / 3 * interval '1 day', timestamptz '2026-02-05Z' + n % 4 * interval '1 hour'
  from generate_series(1, ${ROWS}) n`;

const FEEDBACK = `insert into feedback (id, organization_id, user_id, request_uuid, reference, feedback_type, title,
    human_note, json_body, created_at, body_digest)
  select uuidv7(), $1, $2, uuidv7(), 'FB-' || n, (array['feature_request', 'feedback', 'bug_report'])[1 + n % 3],
    case when n = 5 then $3 when n % 4 > 0 then 'Title ' || n % 6 end, case when n % 5 > 0 then 'Note ' || n % 3 end,
    null, timestamptz '2026-01-06Z' + n / 3 * interval '1 day', 'body ' || n
  from generate_series(1, ${ROWS}) n`;

const AUDIT = `insert into audit_log (id, organization_id, user_id, token_id, actor, operation_id, subject, status,
    request_id, address, created_at, chain_position, prev_hash, hash)
  select uuidv7(), $1, case when n % 3 > 0 then $2::uuid end, case when n % 4 > 0 then $2::uuid end,
    case n when 5 then $3 else 'actor-' || n % 6 end, (array['modify_exp', 'create_exp'])[1 + n % 2],
    case when n % 5 > 0 then 'subject-' || n % 4 end, (array[200, 201, 204])[1 + n % 3],
    case when n % 6 > 0 then 'req_' || n end, case when n % 3 > 0 then '192.0.2.' || n % 4 end,
    timestamptz '2026-01-07Z' + n / 3 * interval '1 day', case when n < 20 then n end,
    case when n < 20 then 'before' end, case when n < 20 then 'own' end
  from generate_series(1, ${ROWS}) n`;

const MEMBERS = `with people as (
    insert into users (id, email, name, created_at, updated_at, staff_roles, staff_since)
    select uuidv7(), 'row-' || n || '@example.org', case when n = 5 then $2 when n % 4 > 0 then 'Person ' || n % 6 end,
      timestamptz '2026-01-08Z', timestamptz '2026-01-08Z',
      case when n < 20 then array['operator'] else '{}' end,
      case when n < 20 then timestamptz '2026-01-08Z' + n / 3 * interval '1 day' end
    from generate_series(1, ${ROWS}) n returning id, name)
  insert into memberships (organization_id, user_id, role, created_at)
  select $1, id, (array['viewer', 'member', 'billing', 'admin'])[1 + n % 4], timestamptz '2026-01-08Z' + n / 3 * interval '1 day'
  from (select id, row_number() over (order by id) as n from people) p`;

/** Retired, so that the catalog of clients stays that of the seed. */
const TARGETS = `insert into targets (id, name, vendor_name, catalog_number, details, search_text, listed, created_at)
  values (uuidv7(), $1, 'Row vendor', 'ROW-1', '{}', $1, false, timestamptz '2026-01-08Z')`;

const ASSAY_TYPES = `insert into assay_types (experiment_type, offered, methods, replicates_min, replicates_max,
    turnaround_workdays, updated_at)
  select case n when 5 then $1 else 'assay-' || n end, n % 6 > 0, case when n % 2 = 0 then array['bli'] else '{}' end,
    1 + n % 2, 3 + n % 3, case when n % 3 > 0 then 5 + n % 4 end,
    timestamptz '2026-01-10Z' + n / 3 * interval '1 day'
  from generate_series(1, ${ROWS}) n`;

/** Clients see only assays that the price list in effect names. */
const ASSAY_PRICES = `update price_lists set prices = prices || (select jsonb_agg(prices -> 0 ||
    jsonb_build_object('experiment_type', experiment_type)) from assay_types
    where not prices @> jsonb_build_array(jsonb_build_object('experiment_type', experiment_type)))
  where status = 'published' and prices <> '[]'`;

/** Of the past and of the future: the list in effect stays that of the seed. */
const PRICE_LISTS = `insert into price_lists (id, version, status, effective_from, note, prices, created_at, updated_at,
    published_at, applied_at)
  select uuidv7(), case when n % 3 > 0 then 'row-' || n end, case when n % 3 > 0 then 'published' else 'draft' end,
    timestamptz '2026-01-01Z' + case when n % 2 = 0 then interval '9 years' else interval '0' end + n / 4 * interval '1 day',
    case n when 5 then $1 else 'Note ' || n % 6 end, '[]', timestamptz '2025-12-01Z' + n / 3 * interval '1 day',
    timestamptz '2025-12-20Z' + n % 4 * interval '1 day',
    case when n % 3 > 0 then timestamptz '2025-12-25Z' + n % 5 * interval '1 hour' end,
    case when n % 3 > 0 then timestamptz '2025-12-26Z' end
  from generate_series(1, ${ROWS}) n`;

const INVITATIONS = `insert into invitations (id, organization_id, email, role, digest, invited_by_user_id, created_at,
    sent_at, expires_at, accepted_at, revoked_at)
  select uuidv7(), $1, case n when 5 then lower($3) else 'guest-' || n % 6 || '@example.org' end,
    (array['viewer', 'member'])[1 + n % 2], sha256(('row ' || n)::bytea), $2,
    timestamptz '2026-01-09Z' + n / 3 * interval '1 day', timestamptz '2026-01-10Z' + n % 4 * interval '1 day',
    timestamptz '2026-03-01Z' + n % 5 * interval '1 day',
    case when n % 2 = 0 and n > 6 then timestamptz '2026-01-11Z' end,
    case when n % 2 = 1 and n > 6 then timestamptz '2026-01-11Z' end
  from generate_series(1, ${ROWS}) n where n <> 6`;

const JOBS = `insert into jobs (organization_id, kind, payload, attempts, next_at, created_at, lease_until, failed_at,
    last_error)
  select case when n % 3 > 0 then $1::uuid end, case n when 5 then $2 else 'kind_' || n % 6 end,
    case when n % 4 = 0 then jsonb_build_object('experiment_id', ${FIRST}) else '{}' end, n % 5,
    timestamptz '2099-01-12Z' + n % 4 * interval '1 hour', timestamptz '2026-01-12Z' + n / 3 * interval '1 day',
    case when n % 5 = 1 then timestamptz '2099-01-13Z' end,
    case when n % 5 = 2 then timestamptz '2026-01-13Z' + n / 4 * interval '1 day' end,
    case when n % 5 > 1 then 'Reason ' || n % 3 end
  from generate_series(1, ${ROWS}) n`;

const ORGANIZATIONS = `with made as (
    insert into organizations (id, name, slug, created_at)
    select uuidv7(), case n when 5 then $1 else 'Client ' || n % 6 end, 'ROW' || n,
      timestamptz '2026-01-14Z' + n / 3 * interval '1 day'
    from generate_series(1, ${ROWS}) n returning id, slug)
  insert into billing_profiles (organization_id, legal_name, country, updated_at)
  select id, 'Legal ' || right(slug, 1), case when slug < 'ROW2' then 'DE' end, timestamptz '2026-01-14Z'
  from made where slug <> 'ROW7'`;

/** Orders of one of these organizations, which wait for their materials or for a run. */
const NEEDED = `insert into experiments (id, organization_id, code, name, status, results_status, experiment_type, method,
    target_id, n_replicates, sequence_count, payment_method, created_by_user_id, created_at, updated_at)
  select uuidv7(), o.id, 'MAT-001-' || lpad(n::text, 3, '0'), case n when 5 then $2 else 'Order ' || n % 6 end,
    (array['waiting_for_materials', 'in_queue'])[1 + n % 2], 'none', 'affinity', 'bli',
    case when n % 4 = 0 then (select id from targets order by id limit 1) end, 2, 1, 'async_invoice', $1,
    timestamptz '2026-01-16 08:00:00.123Z' + n / 3 * interval '1 day', timestamptz '2026-02-16Z' + n % 4 * interval '1 hour'
  from generate_series(1, ${ROWS}) n join organizations o on o.slug = 'ROW1'
  returning organization_id`;

const LAB_RUNS = `insert into lab_runs (id, status, experiment_type, method, layout, plate_size, plate_count,
    experiment_count, instrument, operator, request, plan, created_by, created_at, updated_at, started_at)
  select uuidv7(), (array['planned', 'running', 'canceled'])[1 + n % 3],
    (array['affinity', 'screening', 'thermostability'])[1 + n % 3], case when n % 3 < 2 then 'bli' end,
    (array['sensor_columns', 'sensor_columns', 'capillaries'])[1 + n % 3], 96, 1 + n % 4, 1 + n % 3,
    case when n = 5 then $1 when n % 4 > 0 then 'Instrument ' || n % 6 end,
    case when n % 5 > 0 then 'Operator ' || n % 3 end, '{}', '{}', 'operator-' || n % 4 || '@lab.example',
    timestamptz '2026-01-12Z' + n / 3 * interval '1 day', timestamptz '2026-02-12Z' + n % 4 * interval '1 hour',
    case when n % 3 = 1 then timestamptz '2026-02-01Z' end
  from generate_series(1, ${ROWS}) n`;

/** The endpoint whose deliveries are listed. */
export const LISTED_WEBHOOK = '01980000-0000-7000-8000-00000000f0f0';

const WEBHOOKS = `with made as (
    insert into webhooks (id, organization_id, url, header_names, sealed_headers, created_at, updated_at)
    values ('${LISTED_WEBHOOK}', $1, 'https://hooks.example.org/', '{}', '', timestamptz '2026-01-15Z',
      timestamptz '2026-01-15Z') returning id)
  insert into webhook_deliveries (id, organization_id, webhook_id, experiment_id, event_type, body, lane, status, attempts,
    next_at, last_outcome, created_at, ended_at)
  select uuidv7(), $1, case when n % 4 > 0 then made.id end, case when n % 3 > 0 then ${FIRST} end,
    case n when 5 then $2 else 'event.' || n % 6 end, '{}', 'lane', (array['delivered', 'failed'])[1 + n % 2], n % 5,
    timestamptz '2099-01-01Z', case when n % 5 > 0 then 'Outcome ' || n % 3 end,
    timestamptz '2026-01-15Z' + n / 3 * interval '1 minute', timestamptz '2026-01-16Z' + n / 4 * interval '1 minute'
  from made cross join generate_series(1, ${ROWS}) n`;

const SHARES = `insert into shares (id, organization_id, experiment_id, sequence_id, digest, title, shared_by,
    shows_sequences, allows_csv, user_id, created_at, expires_at, revoked_at, opened_at)
  select uuidv7(), $1, e.id, case when n % 3 > 0 then (select s.id from sequences s where s.experiment_id = e.id order by s.id limit 1) end,
    sha256(('share ' || n)::bytea), case n when 5 then $3 else 'Title ' || n % 6 end,
    case when n % 4 > 0 then 'Sender ' || n % 3 end, n % 2 = 0, n % 3 = 0, $2,
    timestamptz '2026-01-17Z' + n / 3 * interval '1 day', timestamptz '2099-01-17Z' + n % 4 * interval '1 day',
    case when n % 5 = 0 then timestamptz '2026-01-18Z' + n % 2 * interval '1 hour' end,
    case when n % 4 > 0 then timestamptz '2026-01-19Z' + n % 3 * interval '1 hour' end
  from generate_series(1, ${ROWS}) n
  join experiments e on e.organization_id = $1 and e.code = 'LST-001-' || lpad(n::text, 3, '0')`;

const MESSAGES = `insert into messages (id, organization_id, experiment_id, result_id, side, author, text, created_at)
  select uuidv7(), $1, e.id,
    case when n % 3 > 0 then (select r.id from results r where r.experiment_id = e.id order by r.id limit 1) end,
    (array['client', 'lab'])[1 + n % 2], 'person-' || n % 4 || '@example.org',
    case n when 5 then $2 else 'Question ' || n % 6 end, timestamptz '2026-01-20Z' + n / 3 * interval '1 hour'
  from generate_series(1, ${ROWS}) n
  join experiments e on e.organization_id = $1 and (e.id = ${FIRST} or e.code = 'LST-001-' || lpad(n::text, 3, '0'))`;

interface Holder {
  readonly organizationId: string;
  readonly userId: string;
}

/** Fills every list; answers the experiment that has its own lists filled too. */
export async function insertRows(sql: Sql, { organizationId, userId }: Holder): Promise<string> {
  await sql.query(EXPERIMENTS, [organizationId, userId, ODD_NAME]);
  await recountExperiments(createOrganizationScope(organizationId), sql);
  await sql.query(SEQUENCES, [organizationId, ODD_NAME]);
  await sql.query(RESULTS, [organizationId]);
  await sql.query(SHARES, [organizationId, userId, ODD_NAME]);
  await sql.query(MESSAGES, [organizationId, ODD_NAME]);
  await sql.query(UPDATES, [organizationId, ODD_NAME]);
  await sql.query(QUOTES, [organizationId, ODD_NAME]);
  await sql.query(INVOICES, [organizationId, ODD_NAME]);
  await sql.query(MEMBERS, [organizationId, ODD_NAME]);
  await sql.query(TARGETS, [ODD_NAME]);
  await sql.query(ASSAY_TYPES, [ODD_NAME]);
  await sql.query(ASSAY_PRICES);
  await sql.query(PRICE_LISTS, [ODD_NAME]);
  await sql.query(INVITATIONS, [organizationId, userId, ODD_NAME]);
  await sql.query(REFUNDS, [organizationId, ODD_NAME]);
  await sql.query(TOKENS, [organizationId, userId, ODD_NAME]);
  await sql.query(TARGET_REQUESTS, [organizationId, ODD_NAME]);
  await sql.query(FEEDBACK, [organizationId, userId, ODD_NAME]);
  await sql.query(AUDIT, [organizationId, userId, ODD_NAME]);
  await sql.query(JOBS, [organizationId, ODD_NAME]);
  await sql.query(ORGANIZATIONS, [ODD_NAME]);
  const [needed] = await sql.query<{ organization_id: string }>(NEEDED, [userId, ODD_NAME]);
  if (needed !== undefined) await recountExperiments(createOrganizationScope(needed.organization_id), sql);
  await sql.query(LAB_RUNS, [ODD_NAME]);
  await sql.query(WEBHOOKS, [organizationId, ODD_NAME]);
  const [first] = await sql.query<{ id: string }>(`select ${FIRST} as id`);
  if (first === undefined) throw new Error('the rows are not there');
  return first.id;
}
