import assert from 'node:assert/strict';
import { PassThrough, Readable } from 'node:stream';
import { describe, it } from 'node:test';
import { toRecord, type UnknownRecord } from '#core/records.ts';
import { Nullable, OneOf, Type, Uuid } from '#core/schema.ts';
import { listControlCharts } from '#features/controls/contract.ts';
import { getLabNeeds } from '#features/queue/needs-contract.ts';
import { getExperimentResults } from '#features/results/contract.ts';
import { chooseColumns, getItemSchema, listLeaves, type ListPlace } from './list-columns.ts';
import { operationsByWords } from './siblings.ts';
import { findListPlace } from './siblings.ts';
import { layTable } from './table.ts';
import { runInTerminal } from './terminal.ts';
import { formatMember } from './values.ts';

function lay(item: unknown, rows: readonly UnknownRecord[], place: ListPlace, columns?: number): string[] {
  const stdout = Object.assign(new PassThrough(), columns === undefined ? {} : { isTTY: true, columns });
  const environment = { NO_COLOR: '1', TZ: 'UTC' };
  const terminal = { stdin: Readable.from([]), stdout, stderr: new PassThrough(), environment };
  return runInTerminal(terminal, () => [...layTable(chooseColumns(item, rows, place, false), rows).lines]);
}

const kd = { value: 9.1e-9, unit: 'M', relation: '=', ci95_low: 8e-9, ci95_high: 1e-8, log10_sd: null, n: 3 };
const tm = { ...kd, value: 63.42, unit: '°C', ci95_low: 63.1, ci95_high: 63.7 };
const koff = { ...kd, value: 0.00123, unit: '1/s', relation: '<', ci95_low: null, ci95_high: null };
const createResult = (name: string, grade: string, quantities: UnknownRecord): UnknownRecord => ({
  title: `Affinity of ${name} to EGFR`,
  sequence_name: name,
  assessment: { grade, reasons: [] },
  outcome: 'measured',
  quantities,
});

describe('columns of lists', () => {
  it('results: values by name → a column for each, with units that people read, beside grade and outcome', () => {
    const rows = [
      createResult('a', 'solid', { kd, koff }),
      createResult('b', 'indicative', { kd: { ...kd, relation: '>', value: 1e-5 }, tm }),
    ];
    const item = getItemSchema(getExperimentResults);
    assert.deepEqual(lay(item, rows, findListPlace(getExperimentResults), 120), [
      'TITLE                  SEQUENCE NAME  GRADE       OUTCOME        KD   KOFF 1/s  TM °C',
      'Affinity of a to EGFR  a              solid       measured   9.1 nM  < 1.23e-3',
      'Affinity of b to EGFR  b              indicative  measured  > 10 µM              63.4',
    ]);
  });

  it('units: the end of a name → money, concentrations, temperatures, sizes and days as people read them', () => {
    const item = Type.Object({
      amount_cents: Type.Integer(),
      currency: Type.String(),
      control_kd_m: Type.Number(),
      temperature_c: Type.Number(),
      size_bytes: Type.Integer(),
      lead_time_days: Nullable(Type.Integer()),
    });
    const row = { currency: 'eur', control_kd_m: 3.2e-9, temperature_c: 25, size_bytes: 12_000 };
    const rows = [{ ...row, amount_cents: 12_000, lead_time_days: 1 }];
    assert.deepEqual(lay(item, rows, {}, 120), [
      '    AMOUNT  CONTROL KD  TEMPERATURE   SIZE  LEAD TIME',
      '120.00 EUR      3.2 nM        25 °C  12 kB      1 day',
    ]);
  });

  it('a terminal: times → behind the other columns, their offset in the title; ids of other things → both ends', () => {
    const item = Type.Object({
      created_at: Type.String(),
      actor: Type.String(),
      subject: Type.String(),
      hash: Type.String(),
      user_id: Nullable(Uuid),
    });
    const id = '01980000-0000-7000-8000-0000000000c1';
    const row = {
      created_at: '2026-01-02T03:04:05.000Z',
      actor: 'ada',
      subject: id,
      hash: 'ff',
      user_id: id,
    };
    assert.deepEqual(lay(item, [row], {}, 80), [
      'ACTOR  SUBJECT         CREATED AT +00:00',
      'ada    01980000…000c1  2026-01-02 03:04',
    ]);
    assert.deepEqual(lay(item, [row], {}), [
      'ACTOR  SUBJECT                               CREATED AT',
      `ada    ${id}  2026-01-02T03:04:05.000Z`,
    ]);
  });

  const addresses = ['https://example.org/hooks/a-long-enough-name', 'https://example.org/hooks/b'];
  for (const [words, rows, shown, width] of [
    [
      'webhooks list',
      addresses.map((address) => ({
        id: 'x',
        url: address,
        created_at: '2026-01-02T03:04:05.000Z',
        format: 'events',
      })),
      [...addresses, '2026-01-02 03:04'],
      80,
    ],
    [
      'updates list',
      ['Results released', 'Data analyzed'].map((name) => ({
        id: 'x',
        experiment_code: 'DEMO-001-001',
        name,
        type: 'status_change',
        event_type: 'experiment.status_changed',
        previous_status: 'in_review',
        actor: name === 'Data analyzed' ? { kind: 'lab', name: null } : { kind: 'client', name: 'ada@a.org' },
        timestamp: '2026-01-02T03:04:05.000Z',
      })),
      ['DEMO-001-001', 'Data analyzed', 'ada@a.org', 'lab', '2026-01-02 03:04'],
      80,
    ],
    [
      'audit list',
      ['create_quote', 'create_experiment_by_import'].map((operation) => ({
        created_at: '2026-01-02T03:04:05.000Z',
        actor_kind: 'user',
        actor: 'grace.hopper@example.org',
        operation,
        subject: 'DEMO-001-001',
        details_text: operation,
      })),
      ['grace.hopper@example.org', 'create_quote', '2026-01-02 03:04'],
      80,
    ],
    [
      'lab invoices list',
      ['INV-1', 'INV-2'].map((number) => ({
        invoice_number: number,
        experiment_code: `DEMO-001-00${number}`,
        status: 'paid',
        amount_cents: number === 'INV-1' ? 1_000 : 2_000,
        currency: 'usd',
        created_at: '2026-01-02T03:04:05.000Z',
        due_date: number === 'INV-1' ? '2026-02-02T03:04:05.000Z' : '2026-02-03T03:04:05.000Z',
        organization_name: 'An organization',
      })),
      ['INV-1', 'paid', '2026-01-02 03:04'],
      72,
    ],
  ] as const)
    it(`${words} in ${width} columns: what names the item, its time, its actor and its status → in the row, also where all share it`, () => {
      const operation = operationsByWords.get(words);
      assert.ok(operation !== undefined);
      const lines = lay(getItemSchema(operation), rows, findListPlace(operation), width);
      const above = lines.filter((line) => !line.startsWith('    ')).join('\n');
      for (const text of shown) assert.ok(above.includes(text), `${text} in\n${lines.join('\n')}`);
    });

  it('a list in an item: things with codes → the first of them, and how many more there are', () => {
    const schema = toRecord(toRecord(toRecord(getLabNeeds.output)['properties'])['needs'])['items'];
    const orders = [1, 2, 3, 4, 5].map((number) => ({ experiment_code: `DEMO-001-00${number}` }));
    const rows = [
      { kind: 'overdue_invoice', total: 12, orders },
      { kind: 'materials', total: 1, orders: orders.slice(0, 1) },
    ];
    assert.deepEqual(lay(schema, rows, {}, 80), [
      'KIND             TOTAL  ORDERS',
      'overdue_invoice     12  DEMO-001-001, DEMO-001-002, DEMO-001-003 and 9 more',
      'materials            1  DEMO-001-001',
    ]);
  });

  it('a narrow terminal: what all rows share → gives way; what differs → stands below its row', () => {
    const item = Type.Object({
      code: Type.String(),
      kind: Type.String(),
      status: OneOf(['open', 'done']),
      owner: Type.String(),
      place: Type.String(),
    });
    const shared = { kind: 'a kind of them all' };
    const rows = [
      { ...shared, code: 'A-1', status: 'open', owner: 'Ada Lovelace', place: 'London' },
      { ...shared, code: 'A-2', status: 'done', owner: 'Grace Hopper', place: 'New York' },
    ];
    assert.deepEqual(lay(item, rows, {}, 30), [
      'CODE  STATUS  OWNER',
      'A-1   open    Ada Lovelace',
      '    place: London',
      'A-2   done    Grace Hopper',
      '    place: New York',
    ]);
  });

  it('a table of few columns: too narrow → its texts are shortened, and every column is there', () => {
    const item = Type.Object({
      description: Type.String(),
      quantity: Type.Integer(),
      total_cents: Type.Integer(),
    });
    const row = {
      description: 'Binding affinity assay, 3 replicates per sequence',
      quantity: 52,
      total_cents: 1_544_400,
    };
    assert.deepEqual(lay(item, [row], {}, 80), [
      'DESCRIPTION                                        QUANTITY       TOTAL',
      'Binding affinity assay, 3 replicates per sequence        52  $15,444.00',
    ]);
    assert.deepEqual(lay(item, [row], {}, 50), [
      'DESCRIPTION                   QUANTITY       TOTAL',
      'Binding affinity assay, 3 r…        52  $15,444.00',
    ]);
  });

  it('a record: a value and a list of values → with unit and interval', () => {
    assert.equal(formatMember('kd', kd), '9.1 nM (95 % CI 8.0–10.0)');
    assert.equal(formatMember('tm', tm), '63.4 °C (95 % CI 63.1–63.7)');
    assert.equal(formatMember('concentrations_m', [1e-7, 3.16e-8]), '100 nM, 32 nM');
    assert.equal(formatMember('rate_basis_points', 1900), '19 %');
  });

  it('CSV: values by open names → the columns of every name in the rows; records within → none', () => {
    const leaves = listLeaves(getItemSchema(getExperimentResults), [
      createResult('a', 'solid', { kd }),
      createResult('b', 'solid', { tm }),
    ]);
    const quantities = leaves.filter((leaf) => leaf.startsWith('quantities.'));
    assert.deepEqual(quantities.slice(0, 2), ['quantities.kd.value', 'quantities.kd.unit']);
    assert.ok(quantities.includes('quantities.tm.ci95_low'));
    for (const part of ['rows', 'summary', 'analysis', 'quantities']) assert.ok(!leaves.includes(part), part);
  });

  it('CSV: parts of a known form → a column for each value', () => {
    const item = Type.Object({
      id: Type.String(),
      qc: Type.Object({ pass: Type.Boolean(), flags: Type.Array(Type.String()) }),
    });
    assert.deepEqual(listLeaves(item), ['id', 'qc.pass', 'qc.flags']);
  });
});

describe('columns of every list', () => {
  it('operands: a list whose items an operation takes → the id or code that it takes, whole, at any width', () => {
    const lists = [...operationsByWords].filter(([, { list }]) => list !== undefined);
    let taken = 0;
    for (const [words, operation] of lists) {
      const takers = [...operationsByWords.values()].filter(({ path }) =>
        path.startsWith(`${operation.path}/{`),
      );
      const place = findListPlace(operation);
      if (takers.length > 0) assert.ok(place.operands !== undefined, words);
      taken++;
      if (place.operands === undefined) continue;
      taken++;
      const [row = {}] = toItems(operation.example.output);
      const operand = place.operands.find((name) => name in row) ?? '';
      const value = String(row[operand]);
      assert.ok(value.length > 1, `${words}: its example lacks ${operand}`);
      for (const width of [60, 80, 120, undefined])
        assert.ok(lay(getItemSchema(operation), [row, row], place, width).join('\n').includes(value), words);
    }
    assert.ok(taken > 25, String(taken));
    assert.deepEqual(findListPlace(listControlCharts).operands, ['chart_id', 'id']);
  });
});

function toItems(output: unknown): UnknownRecord[] {
  const { items } = toRecord(output);
  return Array.isArray(items) ? items.map(toRecord) : [];
}
