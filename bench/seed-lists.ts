/**
 * Fills a bench database: `scripts/node bench/seed-lists.ts DIRECTORY [--scale N]`, and `bench/lists.ts` itself.
 *
 * Full scale: 1,000 organizations, 100,000 experiments, 1,000,000 sequences, 1,000,000 updates; a quote, an invoice and
 * a result per experiment. One organization is wide (10,000 experiments, 100,000 sequences), one has a long feed (604,000
 * updates); the others share the rest. Rows of all organizations lie mixed on disk, as they come in over time.
 */
import { parseArgs } from 'node:util';
import pg from 'pg';
import type { ServerConnection } from '#adapters/postgres/connection.ts';
import { openBenchDatabase } from './support/database.ts';

export interface Seeded {
  readonly userId: string;
  /** Organization with 10,000 experiments and 100,000 sequences. */
  readonly wide: string;
  /** Organization with 604,000 updates. */
  readonly long: string;
}

const ORGANIZATIONS = 1_000;
const EXPERIMENTS = 100_000;
const WIDE_EXPERIMENTS = 10_000;
const LONG_EXPERIMENTS = 1_000;
const SEQUENCES_EACH = 10;
const UPDATES_EACH = 4;
const LONG_UPDATES_EACH = 604;

/** Residues are put together from five of a thousand pieces, which is much faster than letter by letter. */
const PIECES = `create temporary table pieces as
  select n, (select string_agg(substr('AAAAAAAARRRRRNNNNDDDDDCQQQQEEEEEEEGGGGGGGHHIIIIIILLLLLLLLLLKKKKKKMMFFFFPPPPPSSSSSSSTTTTTWYYYVVVVVVV',
    1 + floor(random() * 101)::int, 1), '') from generate_series(1, 50 + 0 * n)) as text
  from generate_series(0, 999) n`;

const PEOPLE = `with person as (
    insert into users (id, email, created_at, updated_at)
    values (uuidv7(), 'bench@example.org', now(), now()) returning id
  ), made as (
    insert into organizations (id, name, slug, created_at)
    select uuidv7(), 'Organization ' || n, case n when 1 then 'WIDE' when 2 then 'LONG' else 'B' || n end, now()
    from generate_series(1, $1::int) n returning id, slug
  )
  insert into memberships (organization_id, user_id, role, created_at)
  select made.id, person.id, 'admin', now() from made, person where made.slug in ('WIDE', 'LONG')`;

const PLAN = `create temporary table plan as
  with numbered as (
    select id, row_number() over (order by case slug when 'WIDE' then 1 when 'LONG' then 2 else 3 end, id) as place
    from organizations where slug in ('WIDE', 'LONG') or slug ~ '^B[0-9]+$'
  )
  select n, numbered.id as organization_id, numbered.place,
    date_trunc('milliseconds', timestamptz '2026-11-01' - random() * interval '365 days') as created_at
  from generate_series(1, $1::int) n
  join numbered on numbered.place =
    case when n <= $2::int then 1 when n <= $2::int + $3::int then 2 else 3 + n % ($4::int - 2) end`;

const EXPERIMENT_ROWS = `insert into experiments (id, organization_id, code, name, status, experiment_type, method,
    n_replicates, parameters, sequence_count, payment_method, created_at, updated_at)
  select uuidv7(), organization_id, 'B' || place || '-001-' || n,
    case when n % 5000 = 7 then 'Round 2 (CDR3), repeat'
      else (array['EGFR nanobody', 'HER2 binder', 'Round', 'scFv library'])[1 + n % 4] || ' ' || n end,
    (array['draft', 'quote_sent', 'in_queue', 'in_production', 'data_analysis', 'in_review', 'done', 'done', 'done',
      'canceled'])[1 + n % 10],
    (array['affinity', 'screening', 'thermostability'])[1 + n % 3], case when n % 3 < 2 then 'bli' end,
    1 + n % 5,
    jsonb_build_object('ph', 5 + (n % 40) / 10.0, 'buffer',
      jsonb_build_object('name', (array['HEPES', 'PBS', 'Tris'])[1 + n % 3]), 'concentrations', jsonb_build_array(n % 300, 10)),
    ${SEQUENCES_EACH}, 'async_invoice', created_at, created_at + n * interval '1 second'
  from (select * from plan order by created_at) plan`;

const EXPERIMENT_TOTALS = `insert into experiment_counters (organization_id, series, last_number, live_count)
  select organization_id, 1, count(*), count(*) from experiments group by organization_id
  on conflict (organization_id, series) do update set live_count = excluded.live_count`;

const SEQUENCE_ROWS = `insert into sequences (experiment_id, ordinal, id, organization_id, name, aa_string, length,
    is_control, created_at)
  select e.id, k, uuidv7(), e.organization_id, 'design-' || (row_number() over ()) % 100000,
    a.text || b.text || c.text || d.text || f.text, 250, k = 10, e.created_at
  from (select id, organization_id, created_at, row_number() over (order by created_at) as m from experiments) e
  cross join generate_series(1, ${SEQUENCES_EACH}) k
  join pieces a on a.n = (m * 7 + k) % 1000 join pieces b on b.n = (m * 11 + k * 3) % 1000
  join pieces c on c.n = (m / 3 + k * 5) % 1000 join pieces d on d.n = (m / 7 + k * 13) % 1000
  join pieces f on f.n = (m * 17 + k * 29) % 1000
  order by m, k`;

const UPDATE_ROWS = `insert into updates (id, organization_id, experiment_id, experiment_code, type, name, status,
    sequence, created_at)
  select uuidv7(), organization_id, id, code, (array['status_change', 'progress', 'progress', 'results'])[1 + k % 4],
    'Update ' || k, case when k % 4 = 0 then 'in_queue' end,
    row_number() over (partition by organization_id order by at, id, k), at
  from (
    select e.*, k, e.created_at + k * interval '1 minute' as at from experiments e
    join organizations o on o.id = e.organization_id
    cross join lateral generate_series(1, case o.slug when 'LONG' then ${LONG_UPDATES_EACH} else ${UPDATES_EACH} end) k
  ) each_update order by at, id, k`;

const UPDATE_HEAD = `update update_head set last_id = (select id from updates order by id desc limit 1)`;

const QUOTE_ROWS = `insert into quotes (id, organization_id, experiment_id, quote_number, status, pricing_version, currency,
    line_items, breakdown, subtotal_cents, tax_cents, total_cents, notes, terms_and_conditions, valid_until, created_at,
    updated_at)
  select 'qt_' || replace(id::text, '-', ''), organization_id, id, 'Q-' || code, 'open', 'v1', 'usd', '[]', '{}',
    1000 * (row_number() over ()), 0, 1000 * (row_number() over ()), '', '', created_at + interval '30 days', created_at,
    created_at
  from experiments order by created_at`;

const INVOICE_ROWS = `insert into invoices (id, external_id, organization_id, experiment_id, quote_id, status, payment_method,
    currency, line_items, subtotal_cents, tax_cents, total_cents, due_date, created_at, updated_at)
  select uuidv7(), 'in_' || q.id, q.organization_id, q.experiment_id, q.id, 'open', 'async_invoice', 'usd', '[]',
    q.total_cents, 0, q.total_cents, q.valid_until, q.created_at, q.created_at
  from quotes q order by q.created_at`;

const RESULT_ROWS = `insert into results (id, organization_id, experiment_id, experiment_code, experiment_type, sequence_id,
    title, version, status, outcome, binding_score, summary, metadata, record, released_at, created_at, updated_at,
    rank_best, rank_worst, released_place)
  select uuidv7(), e.organization_id, e.id, e.code, e.experiment_type, s.id, s.name, 1, 'final', 'measured',
    case when e.n_replicates > 1 then 5 + random() * 5 end,
    jsonb_build_array(jsonb_build_object('kd_mean', power(10, -6 - 5 * random()))), '{}',
    jsonb_build_object('sequence_name', s.name, 'place', 1, 'n_replicates', e.n_replicates), e.created_at, e.created_at,
    e.created_at, 1e-8, 1e-8, 1
  from experiments e join sequences s on s.experiment_id = e.id and s.ordinal = 1 order by e.created_at`;

/** Fills the database unless it is filled already, and says where to look. */
export async function seedLists(connection: ServerConnection, scale: number): Promise<Seeded> {
  const client = new pg.Client(connection);
  await client.connect();
  try {
    const known = await find(client);
    if (known !== undefined) return known;
    const of = (full: number): number => Math.max(10, Math.round(full * scale));
    const organizations = of(ORGANIZATIONS);
    await client.query('begin');
    await client.query(PIECES);
    await client.query(PEOPLE, [organizations]);
    await client.query(PLAN, [of(EXPERIMENTS), of(WIDE_EXPERIMENTS), of(LONG_EXPERIMENTS), organizations]);
    await client.query(EXPERIMENT_ROWS);
    await client.query(EXPERIMENT_TOTALS);
    await client.query('analyze experiments');
    for (const rows of [SEQUENCE_ROWS, UPDATE_ROWS, UPDATE_HEAD, QUOTE_ROWS, INVOICE_ROWS, RESULT_ROWS]) {
      await client.query(rows);
    }
    await client.query('commit');
    await client.query('vacuum analyze');
    await client.query('checkpoint');
    const made = await find(client);
    if (made === undefined) throw new Error('the seeded organizations are not there');
    return made;
  } finally {
    await client.end();
  }
}

async function find(client: pg.Client): Promise<Seeded | undefined> {
  const { rows } = await client.query<{ slug: string; id: string; user_id: string }>(
    `select o.slug, o.id, m.user_id from organizations o join memberships m on m.organization_id = o.id
     where o.slug in ('WIDE', 'LONG')`,
  );
  const wide = rows.find((row) => row.slug === 'WIDE');
  const long = rows.find((row) => row.slug === 'LONG');
  if (wide === undefined || long === undefined) return undefined;
  return { userId: wide.user_id, wide: wide.id, long: long.id };
}

async function runMain(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: { scale: { type: 'string', default: '1' } },
  });
  const [directory] = positionals;
  if (directory === undefined) throw new Error('name the directory of the bench database');
  const database = await openBenchDatabase(directory);
  try {
    const start = performance.now();
    await seedLists(database.connection, Number(values.scale));
    console.log(`seeded in ${Math.round((performance.now() - start) / 1_000)} s`);
  } finally {
    await database.stop();
  }
}

if (import.meta.main) await runMain();
