import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { parquetReadObjects } from 'hyparquet';
import { getDocument } from 'pdfjs-dist/legacy/build/pdf.mjs';
import { unzip } from '#analysis/formats/reading/zip.ts';
import { createBuilders, expectStatus, createSequences } from '#testing/builders.ts';
import { findMisplaced, readPdf } from '#testing/pdf.ts';
import { getItems, testService, getText, type Json } from '#testing/service.ts';

const host = await testService();
const { ask, clock, service } = host;
const { createBody, createReleased } = await createBuilders(host);
const HOUR_MS = 3_600_000;

/** The link of the experiment's package as a path of this service. */
async function getLink(code: string): Promise<string> {
  const answer = expectStatus(await ask('GET', `/experiments/${code}/data-package`), 307);
  const url = new URL(answer.headers.location ?? '');
  return url.pathname + url.search;
}

async function download(link: string): Promise<Map<string, Buffer>> {
  const answer = await service.app.inject({ method: 'GET', url: link });
  assert.equal(answer.statusCode, 200, answer.body.slice(0, 300));
  assert.equal(answer.headers['content-type'], 'application/zip');
  const files = unzip({ name: 'package.zip', bytes: answer.rawPayload });
  return new Map(files.map(({ name, bytes }) => [name, Buffer.from(bytes)]));
}

function readText(files: Map<string, Buffer>, path: string): string {
  const found = files.get(path);
  assert.ok(found !== undefined, `${path} is not in the package`);
  return found.toString('utf8');
}

function readJson(path: string): Json {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it must be is what the tests look at
  return JSON.parse(readText(files, path)) as Json;
}

/** The rows of a table whose cells hold no line ends, by column name. */
function parseRows(csv: string): Record<string, string>[] {
  const [header = '', ...lines] = csv.trimEnd().split('\r\n');
  const names = header.split(',');
  return lines.map((line) =>
    Object.fromEntries(names.map((name, index) => [name, line.split(',')[index] ?? ''])),
  );
}

/** The names of the pictures, without their ordinals. */
function listPlots(archive: Map<string, Buffer>): string[] {
  return [...archive.keys()].flatMap((path) => /^plots\/(?:\d{4}_)?(.*)\.svg$/.exec(path)?.[1] ?? []);
}

const affinity = await createReleased(
  createBody({
    experiment_type: 'affinity',
    sequences: createSequences(3),
    n_replicates: 2,
    parameters: { sandbox: { force: 'binder' } },
  }),
);
const files = await download(await getLink(affinity.code));
const results = getItems((await ask('GET', `/experiments/${affinity.code}/results`)).body.items);

test('data package: the manifest → lists every other file with its size and digest', () => {
  const listed = getItems(readJson('manifest.json').files);
  assert.deepEqual(
    new Set(listed.map(({ path }) => getText(path))),
    new Set([...files.keys()].filter((name) => name !== 'manifest.json')),
  );
  for (const { path, bytes, sha256 } of listed) {
    const content = files.get(getText(path)) ?? Buffer.alloc(0);
    assert.equal(bytes, content.length, getText(path));
    assert.equal(sha256, createHash('sha256').update(content).digest('hex'), getText(path));
  }
});

test('data package: the result tables → hold the values of the API', () => {
  const table = parseRows(readText(files, 'results.csv'));
  assert.equal(table.length, results.length);
  for (const [index, row] of table.entries()) {
    const result = results[index];
    assert.equal(row.result_id, result?.id);
    const { kd } = getQuantities(result);
    assert.equal(row.kd_m, String(kd?.value));
    assert.equal(row.kd_relation, kd?.relation);
  }
  const replicates = parseRows(readText(files, 'replicates.csv'));
  assert.equal(replicates.length, results.length * 2);
  const evaluations = parseRows(readText(files, 'evaluations.csv'));
  const aggregates = evaluations.filter(({ quantity, replicate }) => quantity === 'kd' && replicate === '');
  assert.deepEqual(
    aggregates.map(({ value }) => value),
    table.map((row) => row.kd_m),
  );
  const single = evaluations.filter(({ quantity, replicate }) => quantity === 'kd' && replicate !== '');
  assert.equal(single.length, results.length * 2);
  for (const row of single) assert.ok(Number(row.ci95_low) < Number(row.value) && row.unit === 'M');
});

function getQuantities(result: unknown): Record<string, { value: number; relation: string }> {
  assert.ok(typeof result === 'object' && result !== null && 'quantities' in result);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- compared field by field by the caller
  return result.quantities as Record<string, { value: number; relation: string }>;
}

test('data package: affinity → holds curves, fits, sequences, construct, methods, plots and notebook', () => {
  const curves = gunzipSync(files.get('curves.csv.gz') ?? Buffer.alloc(0)).toString('utf8');
  const [header = '', ...points] = curves.trimEnd().split('\r\n');
  assert.equal(
    header,
    'experiment_code,sequence_name,replicate,concentration_m,time_s,signal,fit,residual,rmax,excluded,analyte_concentration_m',
  );
  assert.ok(points.length > 1_000);
  const records = results.map((result) => ({ ...result, data_package_url: null }));
  assert.deepEqual(JSON.parse(readText(files, 'fits.json')), records);
  assert.equal(readText(files, 'sequences.fasta').match(/^>/gm)?.length, 3);
  assert.match(readText(files, 'targets.json'), /"sequence": "[A-Z]{20,}/);
  assert.match(readText(files, 'methods.md'), /## Settings of the analysis[\s\S]*## Raw files/);
  const methods = readText(files, 'methods.md');
  for (const shown of ['`baseline_s` | 5 s', '`limits.kon_max` | 1×10⁷ 1/(M·s)'])
    assert.ok(methods.includes(`| ${shown} |`), shown);
  assert.match(methods, /Ordered: 3 designs against .* by BLI\./);
  assert.match(methods, /Outcomes of the sequences: 3 measured\./);
  assert.match(methods, /Replicates by referencing: 6 reference and blank subtracted \(double referenced\)/);
  const models = /Models of the fitted replicates: ([^.]+)\./.exec(methods)?.[1] ?? '';
  const fitted = models.split(', ').map((part) => Number(/ in (\d+)$/.exec(part)?.[1]));
  assert.equal(
    fitted.reduce((sum, count) => sum + count, 0),
    6,
    models,
  );
  assert.match(methods, /\| `assign` +\| none +\|/);
  assert.deepEqual(listPlots(files), [
    'ranking',
    'rates',
    ...results.map(({ sequence_name: name }) => getText(name)),
  ]);
  const source = JSON.stringify(readJson('notebook.ipynb').cells);
  const columns = readText(files, 'results.csv').split('\r\n')[0]?.split(',') ?? [];
  const used = [...source.matchAll(/(?:results|shown)\['(\w+)'\]/g)].map(([, name]) => name ?? '');
  assert.ok(used.includes('kd_m'));
  assert.deepEqual(
    used.filter((name) => !columns.includes(name)),
    [],
  );
});

test('data package: curves as Parquet and as CSV → the same points', async () => {
  const bytes = files.get('curves.parquet') ?? Buffer.alloc(0);
  const file = new Uint8Array(bytes).buffer;
  const rows = await parquetReadObjects({ file });
  const csv = gunzipSync(files.get('curves.csv.gz') ?? Buffer.alloc(0)).toString('utf8');
  const points = parseRows(csv);
  assert.equal(rows.length, points.length);
  for (const index of [0, 1_000, points.length - 1]) {
    for (const [name, cell] of Object.entries(points[index] ?? {}))
      assert.equal(String(rows[index]?.[name] ?? ''), cell, name);
  }
});

test('data package: the report → a tagged PDF with every sequence and curve', async () => {
  const bytes = files.get('report.pdf') ?? Buffer.alloc(0);
  const pdf = await getDocument({ data: new Uint8Array(bytes), verbosity: 0 }).promise;
  const texts: string[] = [];
  const roles: string[] = [];
  for (let number = 1; number <= pdf.numPages; number += 1) {
    const page = await pdf.getPage(number);
    const { items } = await page.getTextContent();
    texts.push(...items.flatMap((item) => ('str' in item ? [item.str] : [])));
    roles.push(
      ...JSON.stringify(await page.getStructTree())
        .matchAll(/"role":"(\w+)"/g)
        .map(([, role = '']) => role),
    );
  }
  const text = texts.join(' ');
  for (const result of results) assert.ok(text.includes(getText(result.sequence_name)));
  assert.match(text, /Ranking.*Curves.*When not to trust a KD.*Methods.*Settings of the analysis/);
  assert.equal(roles.filter((role) => role === 'Figure').length, results.length + 2);
  assert.deepEqual(findMisplaced(await readPdf(bytes)), []);
});

test('data_package_url: every result record → a link that works without a token', async () => {
  const links = new Set(results.map((result) => getText(result.data_package_url)));
  assert.equal(links.size, 1);
  const [one] = results;
  const single = await ask('GET', `/results/${getText(one?.id)}`);
  assert.equal(single.body.data_package_url, one?.data_package_url);
  const { pathname, search } = new URL(getText(one?.data_package_url));
  assert.deepEqual([...(await download(pathname + search)).keys()], [...files.keys()]);
});

test('data package: the same results twice → the same bytes', async () => {
  const first = await service.app.inject({ method: 'GET', url: await getLink(affinity.code) });
  const second = await service.app.inject({ method: 'GET', url: await getLink(affinity.id) });
  assert.ok(first.rawPayload.equals(second.rawPayload));
});

/** Column of `results.csv`, what of the API it has to be, and its unit. */
const FLAT: Readonly<Record<string, readonly (readonly [string, string, string])[]>> = {
  affinity: [
    ['kd_arithmetic_mean_m', 'details.kd_arithmetic_mean_m', 'M'],
    ['kd_geometric_cv', 'details.kd_geometric_cv', ''],
    ['fit_kind', 'details.fit_kind', ''],
    ['r2', 'details.r2', ''],
    ['chi2_nm2', 'details.chi2', 'nm²'],
    ['residual_rms_of_rmax_percent', 'summary.rmse_max_signal_pct', '%'],
    ['concentrations_m', 'details.concentrations_m', 'M'],
    ['binding_strength', 'summary.binding_strength', ''],
  ],
  screening: [
    ['binding', 'summary.binding', ''],
    ['response_nm', 'details.response', 'nm'],
    ['response_sd_nm', 'details.response_sd', 'nm'],
    ['threshold_nm', 'details.threshold', 'nm'],
    ['z_score', 'details.z_score', ''],
    ['loading_level_nm', 'details.loading_level', 'nm'],
  ],
  thermostability: [
    ['tm_method', 'summary.tm_method', ''],
    ['tm_sd_c', 'summary.tm_sd', '°C'],
    ['tm_all_c', 'summary.tm_all', '°C'],
    ['delta_tm_control', 'summary.delta_tm_control', ''],
    ['r2', 'summary.r2', ''],
    ['no_transition_reason', 'summary.no_transition_reason', ''],
  ],
  expression: [
    ['expressed', 'summary.expressed', ''],
    ['expression_class', 'summary.expression_class', ''],
    ['lloq_ng_per_ul', 'summary.lloq', 'ng/µL'],
    ['uloq_ng_per_ul', 'summary.uloq', 'ng/µL'],
    ['loading_signal_nm_per_s', 'summary.loading_signal', 'nm/s'],
  ],
  fluorescence: [
    ['cv_percent', 'summary.cv_pct', '%'],
    ['ex_nm', 'summary.ex_nm', 'nm'],
    ['z_prime_plate', 'summary.z_prime_plate', ''],
    ['saturated', 'summary.saturated', ''],
  ],
};

/** The flat columns of an archive say what its records say, and the manifest says what they are. */
function assertFlat(type: string, archive: Map<string, Buffer>): void {
  const table = parseRows(readText(archive, 'results.csv'));
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- what it must be is looked at below
  const records = JSON.parse(readText(archive, 'fits.json')) as Json[];
  assert.equal(table.length, records.length);
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- as above
  const manifest = JSON.parse(readText(archive, 'manifest.json')) as Json;
  const columns = getItems(Object(manifest.columns)['results.csv']);
  const header = Object.keys(table[0] ?? {});
  assert.deepEqual(
    columns.map(({ name }) => getText(name)),
    header,
  );
  assert.equal(new Set(header).size, header.length);
  let seen = 0;
  for (const [column, path, unit] of FLAT[type] ?? []) {
    assert.equal(columns.find(({ name }) => getText(name) === column)?.unit, unit, column);
    const [part = '', member = ''] = path.split('.');
    // A list of concentrations has one notation.
    const write = (item: unknown) =>
      column === 'concentrations_m' ? Number(item).toExponential() : String(item);
    for (const [index, record] of records.entries()) {
      const from: unknown = part === 'summary' ? getItems(record.summary)[0] : Object(record)[part];
      const value: unknown = Object(from)[member];
      const expected = (Array.isArray(value) ? value : [value ?? '']).map(write).join(' ');
      assert.equal(table[index]?.[column], expected, `${column} of ${index}`);
      if (expected !== '') seen += 1;
    }
  }
  assert.ok(seen >= records.length, `${seen} cells say something`);
}

test('data package: affinity → its tables have flat columns', () => assertFlat('affinity', files));

for (const type of ['screening', 'thermostability', 'expression', 'fluorescence']) {
  test(`data package: ${type} → a report, figures and a notebook that reads its own columns`, async () => {
    const spec = { experiment_type: type, sequences: createSequences(4), n_replicates: 2 };
    const withoutTarget = { method: undefined, target_id: undefined };
    const measured = await createReleased(
      createBody(type === 'screening' ? spec : { ...spec, ...withoutTarget }),
    );
    const own = await download(await getLink(measured.code));
    assert.equal(parseRows(readText(own, 'results.csv')).length, 4);
    const overviews = ['ranking', type === 'thermostability' ? 'melts' : 'plates'];
    assert.deepEqual(listPlots(own).slice(0, overviews.length), overviews);
    assert.equal(listPlots(own).length, overviews.length + 4);
    const report = own.get('report.pdf') ?? Buffer.alloc(0);
    assert.match(report.toString('latin1'), /^%PDF-1\.7/);
    assert.deepEqual(findMisplaced(await readPdf(report)), []);
    const columns = readText(own, 'results.csv').split('\r\n')[0]?.split(',') ?? [];
    const used = readText(own, 'notebook.ipynb').matchAll(/(?:results|shown)\['(\w+)'\]/g);
    for (const [, name = ''] of used) assert.ok(columns.includes(name), `${name} is no column`);
    assertFlat(type, own);
  });
}

test('data package: a fluorescence report with 48 sequences → each plate once, and many sequences on a page', async () => {
  const spec = { experiment_type: 'fluorescence', sequences: createSequences(48), n_replicates: 2 };
  const { code } = await createReleased(createBody({ ...spec, method: undefined, target_id: undefined }));
  const own = await download(await getLink(code));
  const { pages, text } = await readPdf(own.get('report.pdf') ?? Buffer.alloc(0));
  assert.ok(pages.length <= 48 / 5, `${pages.length} pages`);
  const figures = pages.flatMap(({ roles }) => roles).filter((role) => role === 'Figure');
  // The ranking, cut in two where a page ends, and the plates.
  assert.ok(figures.length <= 3, `${figures.length} figures`);
  const rows = parseRows(readText(own, 'replicates.csv'));
  assert.equal(rows.length, 96);
  const plates = new Set(rows.map(({ plate }) => plate));
  for (const plate of plates)
    assert.equal(text.split(`Plate ${plate}`).length - 1, 1 + Number(plates.size === 1));
  for (const { plate = '', well = '' } of rows)
    assert.ok(text.includes(`${plate} ${well}: `), `${plate} ${well} is not in the report`);
});

test('data package: a thermostability report with 26 sequences → replicates share a plot, twelve sequences to a page', async () => {
  const spec = { experiment_type: 'thermostability', sequences: createSequences(26), n_replicates: 1 };
  const { code } = await createReleased(createBody({ ...spec, method: undefined, target_id: undefined }));
  const own = await download(await getLink(code));
  assert.deepEqual(listPlots(own).slice(0, 4), ['ranking', 'melts-1', 'melts-2', 'melts-3']);
  assert.equal(listPlots(own).length, 4 + 26);
  const report = await readPdf(own.get('report.pdf') ?? Buffer.alloc(0));
  const figures = report.pages.flatMap(({ roles }) => roles).filter((role) => role === 'Figure');
  assert.equal(figures.length, 4);
  assert.ok(report.pages.length <= 8, `${report.pages.length} pages`);
  assert.deepEqual(findMisplaced(report), []);
  // Without a Tm a sequence has a line and its curves, and no place in the figure of the ranking.
  for (const { sequence_name: name = '', tm_c: tm = '' } of parseRows(readText(own, 'results.csv')))
    assert.ok(
      report.text.split(name).length - 1 >= (tm === '' ? 2 : 3),
      `${name} stands in table, ranking and overlay`,
    );
});

test('link_invalid: a link with another experiment or a later expiry → 403', async () => {
  const link = await getLink(affinity.code);
  const other = '01980000-0000-7000-8000-00000000ffff';
  for (const changed of [
    link.replace(affinity.id, other),
    link.replace(/expires=\d/, 'expires=9'),
    link.split('?')[0] ?? '',
    `${link}0`,
  ]) {
    const answer = await service.app.inject({ method: 'GET', url: changed });
    assert.equal(answer.statusCode, 403, changed);
    assert.match(answer.body, /link_invalid/);
  }
});

test('link_expired: an hour later → 410', async () => {
  const link = await getLink(affinity.code);
  clock.advance(HOUR_MS);
  const answer = await service.app.inject({ method: 'GET', url: link });
  assert.equal(answer.statusCode, 410);
  assert.match(answer.body, /link_expired/);
});
