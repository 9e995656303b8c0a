import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
  createBuilders,
  createSequences,
  expectFailure,
  expectStatus,
  listProblemPaths,
  UNKNOWN_ID,
  VHH,
} from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getText } from '#testing/service.ts';

const service = await createRecordedService({ MAX_SEQUENCES_PER_EXPERIMENT: '5' });
const { ask } = service;
const { createBody, create, createQuoted } = await createBuilders(service);

const add = (code: string, ...sequences: object[]) =>
  ask('POST', '/sequences', { body: { experiment_code: code, sequences } });

test('list_sequences: the name of a sequence → that sequence alone', async () => {
  const sequences = { 'named-one': VHH, 'named-two': VHH };
  const { code } = await create(createBody({ sequences }));
  const listed = await ask('GET', `/sequences?experiment_id=${code}&name=named-two`);
  const names = getItems(expectStatus(listed, 200).body.items).map(({ name }) => name);
  assert.deepEqual(names, ['named-two']);
});

test('add_sequences: a draft → appended in order, and the draft is priced anew', async () => {
  const { id, code } = await create();
  const added = await add(code, { name: 'b', aa_string: 'acdef:ghik', control: true }, { aa_string: VHH });
  assert.equal(expectStatus(added, 201).body.added_count, 2);
  const listed = expectStatus(await ask('GET', `/experiments/${code}/sequences?sort=asc(created_at)`), 200);
  assert.equal(listed.body.total, 3);
  const detail = await ask('GET', `/experiments/${id}`);
  const names = getItems(detail.body.sequences).map((sequence) => sequence.name);
  assert.deepEqual(names, ['design-1', 'b', 'sequence-3']);
  assert.equal(detail.body.costs.breakdown.assay.sequence_count, 3);
});

test('get_sequence_info: a lowercase sequence → in upper case, with its experiment', async () => {
  const { code } = await create();
  const added = await add(code, { name: 'b', aa_string: 'acdef:ghik', control: true });
  const [sequenceId] = getItems(added.body.sequence_ids);
  const one = expectStatus(await ask('GET', `/sequences/${getText(sequenceId)}`), 200);
  assert.equal(one.body.aa_string, 'ACDEF:GHIK');
  assert.equal(one.body.length, 9);
  assert.equal(one.body.is_control, true);
  assert.equal(one.body.experiment.experiment_code, code);
});

test('list_sequences: search by name or residues, or experiment_id → the matching sequences', async () => {
  const { id, code } = await create(createBody({ sequences: { searched: 'WWWWWWWW' } }));
  const byName = expectStatus(await ask('GET', '/sequences?search=SEARCHED'), 200);
  const byResidue = expectStatus(await ask('GET', '/sequences?search=wwwwww'), 200);
  const narrowed = expectStatus(await ask('GET', `/sequences?experiment_id=${code}`), 200);
  for (const answer of [byName, byResidue, narrowed]) {
    assert.equal(answer.body.total, 1);
    assert.equal(getItems(answer.body.items)[0]?.experiment_id, id);
  }
  assert.equal((await ask('GET', `/sequences?experiment_id=${UNKNOWN_ID}`)).body.total, 0);
});

test('invalid_query: sequences are filtered or sorted by an unknown field → 400', async () => {
  const { id } = await create();
  expectFailure(await ask('GET', '/sequences?filter=eq(color,red)'), 400, 'invalid_query');
  expectFailure(await ask('GET', `/experiments/${id}/sequences?sort=color`), 400, 'invalid_query');
});

test('add_sequences, modify_exp: metadata of an entry is any object → kept as given; in the map of create_exp → 400', async () => {
  const metadata = { round: 2, type: 'sc_fv', parents: ['a', { id: 7 }] };
  const { id, code } = await create();
  const entry = { name: 'any', aa_string: VHH, metadata };
  const added = expectStatus(
    await ask('POST', '/sequences', { body: { experiment_code: code, sequences: [entry] } }),
    201,
  );
  const [sequenceId = ''] = getItems(added.body.sequence_ids).map(getText);
  assert.deepEqual(expectStatus(await ask('GET', `/sequences/${sequenceId}`), 200).body.metadata, metadata);
  expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { sequences: [entry] } }), 200);
  const read = expectStatus(await ask('GET', `/experiments/${id}`), 200);
  assert.deepEqual(read.body.experiment_spec?.sequences?.any, { aa_string: VHH, control: false, metadata });
  const map = createBody({ sequences: { any: { aa_string: VHH, metadata } } });
  expectFailure(await ask('POST', '/experiments', { body: map }), 400, 'invalid_experiment');
});

test('sequence_not_found: an unknown sequence → 404; a malformed id → 400', async () => {
  expectFailure(await ask('GET', `/sequences/${UNKNOWN_ID}`), 404, 'sequence_not_found');
  expectFailure(await ask('GET', '/sequences/one'), 400, 'invalid_request');
});

test('experiment_not_found: sequences are listed for or added to an unknown experiment → 404', async () => {
  expectFailure(await ask('GET', `/experiments/${UNKNOWN_ID}/sequences`), 404, 'experiment_not_found');
  expectFailure(await add('DEMO-001-999', { aa_string: VHH }), 404, 'experiment_not_found');
});

test('invalid_experiment: a name twice in one add_sequences → 400 names the second', async () => {
  const { code } = await create();
  const twice = await add(code, { name: 'b', aa_string: VHH }, { name: 'b', aa_string: VHH });
  assert.deepEqual(listProblemPaths(expectFailure(twice, 400, 'invalid_experiment')), ['sequences.1']);
});

test('unprocessable_experiment: letters that are no residues → 422 names chain and position of each', async () => {
  const { code } = await create();
  const bad = await add(code, { name: 'b', aa_string: 'ACX' }, { name: 'c', aa_string: 'AC:1' });
  expectFailure(bad, 422, 'unprocessable_experiment');
  assert.deepEqual(listProblemPaths(bad), ['sequences.0', 'sequences.1']);
  assert.match(bad.text, /b, chain 1, position 3/);
  assert.match(bad.text, /c, chain 2, position 1/);
});

test('looks_like_dna: a chain of DNA in add_sequences → 422 and nothing is added', async () => {
  const { code } = await create();
  const gene = { name: 'gene', aa_string: 'ATGAGCAAAGGCGAAGAACTGTTTACCGGC' };
  const answer = expectFailure(await add(code, gene), 422, 'looks_like_dna');
  assert.deepEqual(listProblemPaths(answer), ['sequences.0']);
  assert.equal((await ask('GET', `/experiments/${code}/sequences`)).body.total, 1);
});

test('duplicate_sequence_name: a name that the experiment already has → 409', async () => {
  const { code } = await create();
  expectFailure(await add(code, { name: 'design-1', aa_string: VHH }), 409, 'duplicate_sequence_name');
});

test('too_many_sequences: existing and added sequences exceed the limit → 422', async () => {
  const { code } = await create();
  const five = Array.from({ length: 5 }, () => ({ aa_string: VHH }));
  expectFailure(await add(code, ...five), 422, 'too_many_sequences');
  expectStatus(await add(code, ...five.slice(1)), 201);
});

test('experiment_not_editable: sequences are added after submission → 409', async () => {
  const { code } = await createQuoted();
  expectFailure(await add(code, { aa_string: VHH }), 409, 'experiment_not_editable');
});

test('sequences: a list or a map → the same experiment, by creation, change and addition', async () => {
  const [first = '', second = ''] = Object.values(createSequences(2));
  const forms = [
    { 'sequence-1': first, second },
    [first, { name: 'second', aa_string: second, control: false }],
  ];
  for (const sequences of forms) {
    const { id, code } = await create(createBody({ sequences }));
    const expected = [`>sequence-1\n${first}`, `>second\n${second}`];
    const readFasta = async () =>
      getItems((await ask('GET', `/experiments/${id}`)).body.sequences).map(({ fasta }) => getText(fasta));
    assert.deepEqual(await readFasta(), expected);
    const [named, listed] = [{ other: first }, [{ name: 'other', aa_string: first }]];
    const replacing = Array.isArray(sequences) ? listed : named;
    expectStatus(await ask('PATCH', `/experiments/${id}`, { body: { sequences: replacing } }), 200);
    assert.deepEqual(await readFasta(), [`>other\n${first}`]);
    const added = { experiment_code: code, sequences };
    expectStatus(await ask('POST', '/sequences', { body: added }), 201);
    assert.equal((await readFasta()).length, 3);
  }
});

test('invalid_experiment: mistakes in a list of sequences → each at its index, a name given twice too', async () => {
  const twice = [{ name: 'a', aa_string: 'ACD' }, { name: 'a', aa_string: 'ACX' }, 'ACB'];
  const refuse = async (sequences: unknown) =>
    expectFailure(
      await ask('POST', '/experiments', { body: createBody({ sequences }) }),
      400,
      'invalid_experiment',
    );
  const refused = await refuse(twice);
  assert.deepEqual(
    listProblemPaths(refused),
    [1, 1, 2].map((index) => `experiment_spec.sequences.${index}`),
  );
  const wrong = await refuse(['ACD', 7]);
  assert.deepEqual(listProblemPaths(wrong), ['experiment_spec.sequences.1']);
});

test('invalid_experiment: fields without their wrapper, or too deep in it → each says where it belongs', async () => {
  const { experiment_spec: spec, ...besides } = createBody();
  for (const path of ['/experiments', '/experiments/validate']) {
    const bare = expectFailure(
      await ask('POST', path, { body: { ...besides, ...spec } }),
      400,
      'invalid_experiment',
    );
    for (const field of Object.keys(spec))
      assert.ok(bare.text.includes(`{"path":"${field}","message":"put this under experiment_spec"}`), field);
  }
  const bare = await ask('POST', '/experiments/cost-estimate', { body: spec });
  expectFailure(bare, 400, 'invalid_experiment');
  assert.match(
    bare.text,
    /"path":"sequences","message":"is not a known field here; put this under experiment_spec"/,
  );
  const deep = await ask('POST', '/experiments', { body: { experiment_spec: { ...spec, name: 'deep' } } });
  assert.match(deep.text, /"path":"experiment_spec.name","message":"[^"]*put this at the top level/);
});

test('experiment_closed: sequences are added to a canceled experiment → 409', async () => {
  const { code } = await create();
  expectStatus(await ask('POST', `/experiments/${code}/cancel`), 200);
  expectFailure(await add(code, { aa_string: VHH }), 409, 'experiment_closed');
});

const check = (files: object[], besides: object = {}) =>
  ask('POST', '/sequences/check', { body: { files, ...besides } });

test('check_designs: files of other tools → names, sequences and controls by their headers or cells; what is wrong by file, row and column', async () => {
  const airr = `sequence_id\tsequence\tsequence_alignment_aa\na\tCAGGTG\t${VHH.slice(0, 30)}...${VHH.slice(30)}\n`;
  const pairs = `clone;heavy;light\nb;${VHH};DIQMTQSPSSLSASVGDRV\n`;
  const competition = `id,Design,Sequence,score,is_control\n1,c,${VHH}A,0.5,TRUE\n2,d,${VHH}J1,0.4,FALSE\n3,e,,0.1,no\n`;
  const bare = `first,${VHH}C\nsecond,${VHH}D\n`;
  const { body } = expectStatus(
    await check([
      { name: 'airr.tsv', text: airr },
      { name: 'pairs.csv', text: pairs },
      { name: 'competition.csv', text: competition },
    ]),
    200,
  );
  assert.deepEqual(
    getItems(body.designs).map(({ name, aa_string: letters, control }) => [name, letters, control]),
    [
      ['a', VHH, false],
      ['b', `${VHH}:DIQMTQSPSSLSASVGDRV`, false],
      ['c', `${VHH}A`, true],
      ['d', `${VHH}J1`, false],
    ],
  );
  assert.deepEqual(
    getItems(body.problems).map(({ file, line, column, sequence, kind }) => [
      file,
      line,
      column,
      sequence,
      kind,
    ]),
    [
      ['competition.csv', 3, 'Sequence', 'd', 'content'],
      ['competition.csv', 3, 'Sequence', 'd', 'content'],
      ['competition.csv', 4, 'Sequence', null, 'unreadable'],
    ],
  );
  assert.deepEqual(getItems(body.files)[2]?.columns, {
    sequence: 'Sequence',
    name: 'Design',
    control: 'is_control',
  });
  const headless = expectStatus(await check([{ name: 'bare.csv', text: bare }]), 200).body;
  assert.deepEqual(
    getItems(headless.designs).map(({ name }) => name),
    ['first', 'second'],
  );
  const chosen = { name: 'c.csv', text: `x,y\n${VHH},${VHH}W\n`, columns: { sequence: 'y' } };
  const [design] = getItems(expectStatus(await check([chosen]), 200).body.designs);
  assert.deepEqual([design?.name, design?.aa_string], [VHH, `${VHH}W`]);
});

test('check_designs: the same name in two files, the same sequence twice and ordered before → renamed, and said', async () => {
  const { code } = await create(createBody({ sequences: { known: `${VHH}YY` } }));
  const files = [
    { name: 'a.fasta', text: `>one\n${VHH}\n>two\n${VHH}\n` },
    { name: 'b.fasta', text: `>one\n${VHH}YY\n` },
  ];
  const { body } = expectStatus(await check(files), 200);
  const [, two, renamed] = getItems(body.designs);
  assert.equal(renamed?.name, 'one-2');
  assert.deepEqual(renamed?.earlier, [{ experiment_code: code, name: 'known' }]);
  assert.ok(getItems(two?.checks).some(({ rule }) => getText(rule) === 'duplicate_sequence'));
  assert.match(getText(getItems(body.notes)[0]), /^b\.fasta: .*one is one-2\.$/);
  const own = expectStatus(await check(files, { except: code }), 200).body;
  assert.deepEqual(getItems(own.designs)[2]?.earlier, []);
});

test('check_designs: DNA, a picture, an empty file, a table without sequences → each is named; translate → amino acids', async () => {
  const gene = { name: 'gene.fasta', text: '>gene\nATGAGCAAAGGCGAAGAACTGTTTACCGGCTAA\n' };
  const files = [
    gene,
    { name: 'x.png', base64: Buffer.from([0x89, 0x50, 0, 1]).toString('base64') },
    { name: 'empty.csv', text: ' ' },
    { name: 'table.csv', text: 'a,b\n1,2\n' },
    { name: 'broken.xlsx', base64: Buffer.from('PK\u0003\u0004 no workbook').toString('base64') },
    { name: 'wide.txt', base64: Buffer.from(`\ufeff>w\n${VHH}\n`, 'utf16le').toString('base64') },
  ];
  const { body } = expectStatus(await check(files), 200);
  assert.deepEqual(
    getItems(body.problems).map(({ file, kind }) => [file, kind]),
    [
      ['gene.fasta', 'dna'],
      ['x.png', 'unreadable'],
      ['empty.csv', 'unreadable'],
      ['table.csv', 'unreadable'],
      ['broken.xlsx', 'unreadable'],
    ],
  );
  assert.equal(getItems(body.designs)[1]?.aa_string, VHH);
  const translated = expectStatus(await check([gene], { translate: true }), 200).body;
  assert.equal(getItems(translated.designs)[0]?.aa_string, 'MSKGEELFTG');
  assert.deepEqual(translated.problems, []);
});

test('invalid_request, too_many_sequences: neither text nor bytes, or more designs than an order takes → refused', async () => {
  expectFailure(await check([{ name: 'nothing.csv' }]), 400, 'invalid_request');
  const many = Array.from({ length: 6 }, (_, index) => `>d${index}\n${VHH}\n`).join('');
  expectFailure(await check([{ name: 'many.fasta', text: many }]), 422, 'too_many_sequences');
});

proveCoverage('sequences');
