import type { ListQuery } from '#core/filter/index.ts';
import { listPage, writeWireTime } from '#core/list-page.ts';
import type { RawJson } from '#core/reply.ts';
import { getOrganizationId, type LabScope, type OrganizationScope, type Scope } from '#core/scope.ts';
import { getFirst, type Sql } from '#core/sql.ts';
import { insertManyOwned, createColumnMaker } from '#core/write-rows.ts';
import { INVOICE, ORGANIZATION, TARGET, WAITING_ACTOR } from '../queue/list-fields.ts';
import { materialStates } from './list-fields.ts';
import type { AntigenStock, Material } from './rules.ts';

const KNOWN = `coalesce(m.status, 'missing') as status, m.lot, m.amount_ug, m.concentration_mg_per_ml,
  to_char(m.expires_on, 'YYYY-MM-DD') as expires_on, m.recorded_by, m.updated_at`;

/** What each experiment needs: its sequences in their order, then its antigen. */
const MATERIALS = `select * from (
    select s.experiment_id, 'sequence' as kind, s.id as subject_id, s.name, s.ordinal,
      coalesce(m.form, 'gene_fragment') as form, ${KNOWN}
    from sequences s
    left join experiment_materials m on m.experiment_id = s.experiment_id and m.subject_id = s.id
    where ($1::uuid is null or s.organization_id = $1) and s.experiment_id = any($2)
    union all
    select e.id, 'antigen', e.id, coalesce(t.name, e.requested_target ->> 'name', 'antigen'), null,
      coalesce(m.form, 'protein'), ${KNOWN}
    from experiments e left join targets t on t.id = e.target_id
    left join experiment_materials m on m.experiment_id = e.id and m.subject_id = e.id
    where ($1::uuid is null or e.organization_id = $1) and e.id = any($2)
      and (e.target_id is not null or e.requested_target is not null)) needed
  order by experiment_id, ordinal nulls last`;

export interface MaterialOfExperiment extends Material {
  readonly experiment_id: string;
}

export async function selectMaterials(
  scope: Scope,
  sql: Sql,
  experimentIds: readonly string[],
): Promise<MaterialOfExperiment[]> {
  return sql.query<MaterialOfExperiment>(MATERIALS, [getOrganizationId(scope), experimentIds]);
}

export interface MaterialsToPut {
  readonly experiment_id: string;
  readonly recorded_by: string;
  readonly at: Date;
}

/** Writes what is known of materials; a missing one loses its row. */
export async function putMaterials(
  scope: OrganizationScope,
  sql: Sql,
  into: MaterialsToPut,
  materials: readonly Material[],
): Promise<void> {
  const missing = materials.filter(({ status }) => status === 'missing');
  const known = materials.filter(({ status }) => status !== 'missing');
  if (missing.length > 0)
    await sql.query(
      'delete from experiment_materials where organization_id = $1 and experiment_id = $2 and subject_id = any($3)',
      [scope.organizationId, into.experiment_id, missing.map((material) => material.subject_id)],
    );
  if (known.length === 0) return;
  const listValues = createColumnMaker(known);
  await sql.query(
    ...insertManyOwned(
      scope,
      'experiment_materials',
      {
        experiment_id: into.experiment_id,
        subject_id: listValues('uuid', (material) => material.subject_id),
        status: listValues('text', ({ status }) => status),
        form: listValues('text', ({ form }) => form),
        lot: listValues('text', ({ lot }) => lot),
        amount_ug: listValues('float8', (material) => material.amount_ug),
        concentration_mg_per_ml: listValues('float8', (material) => material.concentration_mg_per_ml),
        expires_on: listValues('date', (material) => material.expires_on),
        recorded_by: into.recorded_by,
        updated_at: into.at,
      },
      `on conflict (experiment_id, subject_id) do update set status = excluded.status, form = excluded.form,
         lot = excluded.lot, amount_ug = excluded.amount_ug,
         concentration_mg_per_ml = excluded.concentration_mg_per_ml, expires_on = excluded.expires_on,
         recorded_by = excluded.recorded_by, updated_at = excluded.updated_at
         where experiment_materials.organization_id = excluded.organization_id`,
    ),
  );
}

/** What an order needs, in numbers; `$1` is today. */
const COUNTS = `join lateral (
    select count(*) as n_materials,
      count(*) filter (where not (there and not expired)) as n_missing,
      count(*) filter (where status = 'ordered') as n_ordered,
      count(*) filter (where there and expired) as n_expired
    from (
      select k.status, coalesce(k.status in ('received', 'in_stock'), false) as there,
        coalesce(k.expires_on < $1::date, false) as expired
      from (
        select s.id as subject_id from sequences s where s.experiment_id = e.id
        union all
        select e.id where e.target_id is not null or e.requested_target is not null) needed
      left join experiment_materials k on k.experiment_id = e.id and k.subject_id = needed.subject_id) known
    ) m on true`;

const NEEDED = `e.id as experiment_id, e.code as experiment_code, e.name as experiment_name, e.organization_id,
  o.name as organization_name, e.status, ${writeWireTime('e.status_since')} as status_since,
  ${WAITING_ACTOR} as waiting_actor, inv.status as invoice_status,
  coalesce(t.name, e.requested_target ->> 'name') as target_name,
  m.n_materials, m.n_missing, m.n_ordered, m.n_expired`;

/** Lists orders between the acceptance of the quote and the run, with what each needs on this day. */
export function listNeededPage(_lab: LabScope, sql: Sql, query: ListQuery, today: string): Promise<RawJson> {
  return listPage(
    sql,
    {
      item: NEEDED,
      from: 'experiments e',
      alias: 'e',
      joins: [
        { alias: 'o', sql: ORGANIZATION },
        { alias: 't', sql: TARGET },
        { alias: 'inv', sql: INVOICE },
        { alias: 'm', sql: COUNTS },
      ],
      where: `$1::date is not null and e.status = any($2)`,
      values: [today, materialStates],
    },
    query,
  );
}

/** What the catalog has of a target, for its antigen. */
export async function findAntigenStock(sql: Sql, targetId: string): Promise<AntigenStock | undefined> {
  return getFirst(
    await sql.query<AntigenStock>('select lot, stock_ug from targets where id = $1', [targetId]),
  );
}
