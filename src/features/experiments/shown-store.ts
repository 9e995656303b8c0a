/** Experiments as clients read them: one in full with everything that belongs to it, and a page of the list. */
import { isUuid } from '#core/ids.ts';
import { getOrganizationId, type Scope, type OrganizationScope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import type { AppliedTax, CostBreakdown } from '../pricing/contract.ts';
import type { TargetPricing } from '../targets/contract.ts';
import type { ExperimentRow } from './store.ts';
import { FROM_SHOWN_QUOTE } from '../quotes/shown-quote.ts';
import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';

export interface DetailRow extends ExperimentRow {
  readonly target: {
    readonly name: string;
    readonly sequence: string | null;
    readonly pricing: TargetPricing | null;
  } | null;
  readonly quote: {
    readonly id: string;
    readonly status: 'draft' | 'open' | 'accepted' | 'canceled' | 'stale';
    readonly total_cents: number;
    readonly currency: string;
    readonly valid_until: string;
    readonly breakdown: CostBreakdown | null;
    readonly subtotal_cents: number;
    readonly tax_cents: number;
    readonly tax: AppliedTax | null;
  } | null;
  readonly invoice: {
    readonly external_id: string;
    readonly status: 'draft' | 'open' | 'paid' | 'void' | 'uncollectible';
    readonly total_cents: number;
    readonly currency: string;
    readonly hosted_key: string | null;
  } | null;
  readonly sequences: readonly {
    readonly name: string;
    readonly aa_string: string;
    readonly is_control: boolean;
    readonly metadata: Readonly<Record<string, unknown>> | null;
  }[];
  /** The request of an antigen that the catalog lacks. */
  readonly target_request: { readonly id: string; readonly status: string } | null;
  readonly result_id: string | null;
}

const DETAIL = `select e.id, e.organization_id, e.code, e.name, e.description, e.status, e.results_status,
  e.experiment_type, e.method, e.target_id, e.requested_target, e.n_replicates, e.antigen_concentrations_nm,
  e.parameters, e.sequence_count, e.payment_method, e.webhook_url, e.created_at, e.updated_at,
  e.eta,
  (select json_build_object('name', t.name, 'sequence', t.details ->> 'sequence', 'pricing', t.pricing)
   from targets t where t.id = e.target_id) as target,
  (select json_build_object('id', q.id, 'status', q.status, 'total_cents', q.total_cents, 'currency', q.currency,
     'valid_until', to_char(q.valid_until at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'),
     'breakdown', q.breakdown, 'subtotal_cents', q.subtotal_cents, 'tax_cents', q.tax_cents, 'tax', q.tax)
   ${FROM_SHOWN_QUOTE}) as quote,
  (select json_build_object('external_id', i.external_id, 'status', i.status, 'total_cents', i.total_cents,
     'currency', i.currency, 'hosted_key', i.hosted_key)
   from invoices i where i.experiment_id = e.id and not exists (select 1 from invoices n where n.replaces_id = i.id)
   order by i.created_at desc limit 1) as invoice,
  (select coalesce(json_agg(json_build_object('name', s.name, 'aa_string', s.aa_string, 'is_control', s.is_control,
     'metadata', s.metadata) order by s.ordinal), '[]')
   from sequences s where s.experiment_id = e.id) as sequences,
  (select json_build_object('id', tr.id, 'status', tr.status) from target_requests tr where tr.experiment_id = e.id
   order by tr.created_at desc, tr.id desc limit 1) as target_request,
  (select r.id from results r where r.experiment_id = e.id and r.released_at is not null
   and r.superseded_at is null
   order by r.rank_best nulls last, r.rank_worst, r.id limit 1) as result_id
  from experiments e where ($1::uuid is null or e.organization_id = $1)`;

export async function findDetail(scope: Scope, sql: Sql, idOrCode: string): Promise<DetailRow | undefined> {
  const text = isUuid(idOrCode) ? `${DETAIL} and e.id = $2` : `${DETAIL} and e.code = $2`;
  return getFirst(await sql.query<DetailRow>(text, [getOrganizationId(scope), idOrCode]));
}

/** Every column of a list item, so that one statement reads a page. `$2` is the public address of the service. */
const ITEM = `e.id, e.code, e.name, e.status, e.results_status, e.experiment_type,
  $2::text || '/experiments/' || e.id as experiment_url, e.target_id, t.name as target_name, e.sequence_count,
  ${writeWireTime('e.status_since')} as status_since, ${writeWireTime('e.eta')} as eta, ${writeWireTime('e.created_at')} as created_at,
  inv.status as invoice_status, $2::text || '/pay/' || inv.hosted_key as provider_invoice_url,
  (select $2::text || '/quotes/' || q.id ${FROM_SHOWN_QUOTE}) as provider_quote_url`;

/** The current invoice of an experiment: a void invoice that was issued again does not count. */
const PRESENT_INVOICE = `left join lateral (
    select i.status, i.hosted_key from invoices i where i.experiment_id = e.id
      and not exists (select 1 from invoices n where n.replaces_id = i.id)
    order by i.created_at desc limit 1) inv on true`;

export function listExperimentPage(
  scope: OrganizationScope,
  sql: Sql,
  query: ListQuery,
  baseUrl: string,
): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: ITEM,
      from: 'experiments e',
      alias: 'e',
      joins: [
        { alias: 't', sql: 'left join targets t on t.id = e.target_id' },
        { alias: 'inv', sql: PRESENT_INVOICE },
      ],
      where: `e.organization_id = $1 and $2::text is not null`,
      values: [scope.organizationId, baseUrl],
      keptTotal: 'select sum(live_count) from experiment_counters where organization_id = $1',
    },
    query,
  );
}
