import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  expectFailure,
  expectStatus,
  listProblemPaths,
  createSequences,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';

const harness = await testService({ MAX_RESIDUES_PER_SEQUENCE: '200' });
const { ask } = harness;
const { createBody, targets } = await createBuilders(harness);

type Spec = Readonly<Record<string, unknown>>;

const plain: Spec = { experiment_type: 'thermostability', method: undefined, target_id: undefined };
const affinity: Spec = { experiment_type: 'affinity' };
const S = 'experiment_spec';
const VHH_OF_201 = VHH.repeat(2).slice(0, 201);

/** What is wrong with a specification, and the paths of the problems it is answered with. */
const refused: readonly (readonly [what: string, spec: Spec, status: number, ...paths: string[]])[] = [
  ['no method', { method: undefined }, 400, `${S}.method`],
  ['an unknown method', { method: 'elisa' }, 400, `${S}.method`],
  ['a method where none is taken', { ...plain, method: 'bli' }, 400, `${S}.method`],
  ['no target', { target_id: undefined }, 400, `${S}.target_id`],
  ['a target that is no id', { target_id: 'EGFR' }, 400, `${S}.target_id`],
  ['a target where none is taken', { ...plain, target_id: targets.perSequence }, 400, `${S}.target_id`],
  ['two targets', { requested_target: { name: 'x' } }, 400, `${S}.requested_target`],
  [
    'a custom target for an assay without one',
    { ...plain, requested_target: { name: 'x' } },
    400,
    `${S}.requested_target`,
  ],
  [
    'a custom target without a name',
    { target_id: undefined, requested_target: {} },
    400,
    `${S}.requested_target.name`,
  ],
  ['no sequences', { sequences: {} }, 400, `${S}.sequences`],
  ['omitted sequences', { sequences: undefined }, 400, `${S}.sequences`],
  ['sequences as a text', { sequences: VHH }, 400, `${S}.sequences`],
  ['no replicate', { n_replicates: 0 }, 400, `${S}.n_replicates`],
  ['six replicates', { n_replicates: 6 }, 400, `${S}.n_replicates`],
  ['half a replicate', { n_replicates: 1.5 }, 400, `${S}.n_replicates`],
  ['a series for a screening', { antigen_concentrations: [100] }, 400, `${S}.antigen_concentrations`],
  [
    'a negative concentration',
    { ...affinity, antigen_concentrations: [100, -1] },
    400,
    `${S}.antigen_concentrations`,
  ],
  ['a series of zero only', { ...affinity, antigen_concentrations: [0] }, 400, `${S}.antigen_concentrations`],
  [
    'a concentration twice',
    { ...affinity, antigen_concentrations: [1, 1] },
    400,
    `${S}.antigen_concentrations`,
  ],
  ['an unknown field', { replicates: 3 }, 400, `${S}.replicates`],
  ['an unknown type', { experiment_type: 'alchemy' }, 400, `${S}.experiment_type`],
  ['a name of spaces', { sequences: { ' ': VHH } }, 400, `${S}.sequences. `],
  ['a stop in the middle', { sequences: { a: 'AC*DE' } }, 422, `${S}.sequences.a`],
  ['an empty sequence', { sequences: { a: '' } }, 422, `${S}.sequences.a`],
  ['an empty chain', { sequences: { a: 'ACD::EFG' } }, 422, `${S}.sequences.a`],
  ['five chains', { sequences: { a: 'A:C:D:E:F' } }, 422, `${S}.sequences.a`],
  ['one residue beyond the limit', { sequences: { a: VHH_OF_201 } }, 422, `${S}.sequences.a`],
  [
    'one residue beyond the limit, in two chains',
    { sequences: { a: `${VHH_OF_201.slice(0, 100)}:${VHH_OF_201.slice(100)}` } },
    422,
    `${S}.sequences.a`,
  ],
  [
    'an unknown metadata field',
    { sequences: { a: { aa_string: VHH, metadata: { tag: 'N' } } } },
    400,
    `${S}.sequences.a.metadata.tag`,
  ],
  [
    'an ScFv without its domains',
    { sequences: { a: { aa_string: VHH, metadata: { type: 'sc_fv' } } } },
    400,
    `${S}.sequences.a.metadata.VH`,
    `${S}.sequences.a.metadata.VL`,
  ],
  [
    'a Fab without its constant regions',
    { sequences: { a: { aa_string: VHH, metadata: { type: 'FAB', framework_regions: { ch: 'A' } } } } },
    400,
    `${S}.sequences.a.metadata.framework_regions.cl`,
  ],
];

for (const [what, spec, status, ...paths] of refused) {
  const code = status === 400 ? 'invalid_experiment' : 'unprocessable_experiment';
  test(`${code}: ${what} → refused with the path of each problem`, async () => {
    const answer = await ask('POST', '/experiments', { body: createBody(spec) });
    assert.deepEqual(listProblemPaths(expectFailure(answer, status, code)), paths);
  });
}

const SCHEMA_PROBLEM = { antigen_concentrations: 'many' };
const ruleProblems: Spec = {
  method: undefined,
  n_replicates: 9,
  sequences: { ok: VHH, bad: 'AXB', worse: { aa_string: 'J', control: false }, late: 'AC:D1' },
};
// B and X are both no amino acid.
const rulePaths = [
  'method',
  'n_replicates',
  'sequences.bad',
  'sequences.bad',
  'sequences.late',
  'sequences.worse',
];

test('invalid_experiment: problems in and beside the specification → all in one answer', async () => {
  const besides = { name: ' ', webhook_url: 'http://plain.example.org' };
  const answer = await ask('POST', '/experiments', { body: createBody(ruleProblems, besides) });
  const paths = ['name', 'webhook_url', ...rulePaths.map((path) => `${S}.${path}`)];
  assert.deepEqual(listProblemPaths(expectFailure(answer, 400, 'invalid_experiment')), paths.sort());
});

test('invalid_experiment: problems of schema and of content → all in one answer', async () => {
  const besides = { name: '', webhook_url: 'ftp://x', skip_draft: 'yes' };
  const answer = await ask('POST', '/experiments', {
    body: createBody({ ...ruleProblems, ...SCHEMA_PROBLEM }, besides),
  });
  const paths = [
    'name',
    'skip_draft',
    'webhook_url',
    ...['antigen_concentrations', ...rulePaths].map((path) => `${S}.${path}`),
  ];
  assert.deepEqual(listProblemPaths(expectFailure(answer, 400, 'invalid_experiment')), paths.sort());
});

test('unprocessable_experiment: a letter that is no amino acid → the problem names sequence, chain, position and letter', async () => {
  const answer = await ask('POST', '/experiments', {
    body: createBody({ sequences: { fab: 'ACDEF:GHIKB' } }),
  });
  const [problem] = getItems(expectFailure(answer, 422, 'unprocessable_experiment').body.problems);
  assert.match(getText(problem?.message), /^fab, chain 2, position 5: B /);
});

async function createAndRead(spec: Spec, besides: Spec = {}): Promise<Json> {
  const answer = expectStatus(await ask('POST', '/experiments', { body: createBody(spec, besides) }), 201);
  return (await ask('GET', `/experiments/${getText(answer.body.experiment_id)}`)).body;
}

test('MAX_RESIDUES_PER_SEQUENCE: as many residues as the limit, in one chain and in four → accepted', async () => {
  const text = VHH_OF_201.slice(1);
  const chains = [0, 50, 100, 150].map((at) => text.slice(at, at + 50)).join(':');
  for (const residues of [text, chains]) {
    const body = createBody({ sequences: { a: residues } });
    expectStatus(await ask('POST', '/experiments/validate', { body }), 200);
  }
});

test('create_exp: fields are omitted → they have their defaults', async () => {
  const screening = await createAndRead({});
  assert.equal(screening.n_replicates, 3);
  assert.equal(screening.antigen_concentrations, null);
  assert.deepEqual(screening.parameters, { experiment_type: 'screening' });
  const { antigen_concentrations: series } = await createAndRead(affinity);
  assert.deepEqual(series, [1000, 316.2, 100, 31.6, 0]);
});

test('create_exp: lowercase letters, metadata and controls → sequences are uppercased, all else is stored', async () => {
  const metadata = { type: 'sc_fv', VH: 'ACD', VL: 'EFG', tag_location: 'C', chain_order: ['VH', 'VL'] };
  const sequences = { a: 'acdef:ghik', b: { aa_string: 'acd', control: true, metadata } };
  const detail = await createAndRead({ sequences, parameters: { any: { depth: [1, null] } } });
  const kept = detail.experiment_spec.sequences;
  assert.equal(kept.a, 'ACDEF:GHIK');
  assert.equal(kept.b.control, true);
  assert.deepEqual(kept.b.metadata, { ...metadata, type: 'ScFv', linker: 'GGGGSGGGGSGGGGS' });
  assert.deepEqual(detail.parameters, { any: { depth: [1, null] }, experiment_type: 'screening' });
});

test('create_exp: unknown fields beside the specification → tolerated without effect', async () => {
  const besides = {
    organization_id: 'x',
    status: 'done',
    amount_cents: 1,
    auto_link_material: true,
    id: 'x',
  };
  const detail = await createAndRead({}, besides);
  assert.equal(detail.status, 'draft');
  assert.equal(detail.costs.breakdown.total_cents, 21_200);
  assert.notEqual(detail.id, 'x');
});

test('create_exp: fields are null → they count as omitted', async () => {
  const nothing = {
    n_replicates: null,
    antigen_concentrations: null,
    parameters: null,
    requested_target: null,
  };
  const detail = await createAndRead(nothing, { webhook_url: null, description: null });
  assert.equal(detail.n_replicates, 3);
});

test('create_exp: sequences of doubtful quality → accepted with warnings', async () => {
  const doubtful = { sequences: { short: 'ACDE', twin: VHH, other: VHH } };
  const answer = await ask('POST', '/experiments', { body: createBody(doubtful) });
  assert.ok(getItems(expectStatus(answer, 201).body.warnings).length >= 2);
});

test('validate_exp: unknown keys beside the specification → a warning each, with the key that was meant', async () => {
  const unknown = { auto_acept_quote: true, sequences: {}, n_replicate: 2, organization_id: UNKNOWN_ID };
  const body = { ...createBody({ sequences: { a: VHH } }), ...unknown };
  const { warning_groups: groups, warnings } = expectStatus(
    await ask('POST', '/experiments/validate', { body }),
    200,
  ).body;
  const group = getItems(groups).find(({ rule }) => getText(rule) === 'unknown_key');
  assert.equal(group?.count, 4);
  const sentences = getItems(group?.examples).map(({ message }) => message);
  assert.deepEqual(sentences, [
    'The key "auto_acept_quote" is unknown and ignored; did you mean "auto_accept_quote"?',
    'The key "sequences" is unknown and ignored; it belongs under experiment_spec.',
    'The key "n_replicate" is unknown and ignored; did you mean "experiment_spec.n_replicates"?',
  ]);
  assert.match(getText(getItems(warnings)[0]), /"auto_accept_quote"\?.* And 1 more\.$/);
  const created = expectStatus(await ask('POST', '/experiments', { body }), 201);
  assert.equal(created.body.status, 'draft', 'a creation ignores them');
});

test('create_exp: many sequences with the same flaw → one warning for each rule, with its count and examples', async () => {
  const flawed = Object.fromEntries([1, 2, 3, 4].map((n) => [`d-${n}`, `${'K'.repeat(n)}${VHH}C*`]));
  const sequences = { ...flawed, twin: `K${VHH}C` };
  const { body } = expectStatus(await ask('POST', '/experiments', { body: createBody({ sequences }) }), 201);
  const groups = getItems(body.warning_groups);
  const counts = groups.map(({ rule, count }) => [rule, count]);
  assert.deepEqual(counts.slice(0, 2), [
    ['stop_removed', 4],
    ['cysteine_odd', 5],
  ]);
  assert.equal(new Set(groups.map(({ rule }) => rule)).size, groups.length);
  assert.equal(
    getItems(body.warnings)[1],
    '5 sequences have an odd number of cysteines, so at least one stays unpaired and may form dimers: d-1, d-2, d-3 and 2 more.',
  );
  const odd = groups.find(({ rule }) => getText(rule) === 'cysteine_odd');
  assert.equal(getItems(odd?.examples).length, 3);
  assert.match(getText(getItems(odd?.examples)[0]?.message), /odd \(3\)/);
  const twin = groups.find(({ rule }) => getText(rule) === 'duplicate_sequence');
  assert.deepEqual([twin?.count, getItems(twin?.examples)[0]?.sequence], [1, 'twin']);
});

test('create_exp: two experiments of one organization → codes count up and ids sort by creation', async () => {
  const first = await createAndRead({ sequences: createSequences(1) });
  const second = await createAndRead({ sequences: createSequences(1) });
  assert.match(getText(first.code), /^DEMO-001-\d{3}$/);
  assert.equal(Number(getText(second.code).slice(-3)), Number(getText(first.code).slice(-3)) + 1);
  assert.ok(getText(first.id) < getText(second.id));
});
