/** Makes a released experiment large: it copies its sequences, results and curves, so that no lab has to measure them. */
import type { Sql } from '#core/sql.ts';

/** Copies in one statement; more of them would take longer than a statement may. */
const COPIES_OF_STATEMENT = 10;

/** Writes each result `copies` more times, under sequences of its own that follow the others in rank. */
export async function multiplyResults(sql: Sql, experimentId: string, copies: number): Promise<void> {
  for (let from = 1; from <= copies; from += COPIES_OF_STATEMENT) {
    const values = [experimentId, from, Math.min(copies, from + COPIES_OF_STATEMENT - 1)];
    await sql.query(COPY_SEQUENCES, values);
    await sql.query(COPY_RESULTS, values);
    await sql.query(COPY_CURVES, values);
  }
}

const writeCopyId = (id: string): string => `md5(${id}::text || n)::uuid`;

const COPY_SEQUENCES = `insert into sequences (experiment_id, ordinal, id, organization_id, name, aa_string, length, is_control, metadata, created_at)
  select s.experiment_id, s.ordinal + n * 10000, ${writeCopyId('s.id')}, s.organization_id, s.name || '-' || n, s.aa_string,
    s.length, s.is_control, s.metadata, s.created_at
  from sequences s, generate_series($2::int, $3::int) n where s.experiment_id = $1 and s.ordinal < 10000`;

const COPY_RESULTS = `insert into results (id, organization_id, experiment_id, experiment_code, experiment_type, sequence_id,
    title, version, status, outcome, target_id, binding_score, summary, metadata, record, released_at, created_at, updated_at)
  select ${writeCopyId('r.id')}, r.organization_id, r.experiment_id, r.experiment_code, r.experiment_type,
    ${writeCopyId('r.sequence_id')}, r.title || '-' || n, r.version, r.status, r.outcome, r.target_id, r.binding_score, r.summary,
    r.metadata, r.record || jsonb_build_object('sequence_name', (r.record ->> 'sequence_name') || '-' || n, 'place',
      case when r.place is null then null else r.place + n * 1000 end),
    r.released_at, r.created_at, r.updated_at
  from results r join sequences s on s.id = r.sequence_id, generate_series($2::int, $3::int) n
  where r.experiment_id = $1 and s.ordinal < 10000`;

const COPY_CURVES = `insert into result_curves (result_id, organization_id, curves)
  select ${writeCopyId('r.id')}, c.organization_id, c.curves
  from results r join sequences s on s.id = r.sequence_id join result_curves c on c.result_id = r.id,
    generate_series($2::int, $3::int) n
  where r.experiment_id = $1 and s.ordinal < 10000`;
