/** The explorer of results in a browser: links and form with and without scripts, keys, long tables, small pictures. */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import type { Page } from 'playwright-core';
import { readWorkbook } from '#analysis/formats/reading/xlsx.ts';
import { createAxeContext, expectAccessibleInBothLooks } from '#testing/axe.ts';
import { openSignedIn, signInLink } from '#testing/browser.ts';
import { createBuilders, createSequences, type Invoiced } from '#testing/builders.ts';
import { startChromium } from '#testing/chromium.ts';
import { createPerson } from '#testing/lab-browser.ts';
import { testService } from '#testing/service.ts';

const service = await testService();
const build = await createBuilders(service);

const order = (force: string, count: number): Promise<Invoiced> =>
  build.createReleased(
    build.createBody({
      experiment_type: 'affinity',
      sequences: createSequences(count),
      parameters: { sandbox: { force } },
    }),
  );
const binders = await order('binder', 4);
const others = await order('non_binder', 2);

/** Of the columns of a table, those that are written, as members of `x`. */
async function listColumns(table: string): Promise<{ names: string; members: string }> {
  const [row] = await service.service.database.read.query<{ names: string; members: string }>(
    `select string_agg(column_name, ', ') as names, string_agg('x.' || column_name, ', ') as members
     from information_schema.columns where table_schema = 'public' and table_name = $1 and is_generated = 'NEVER'`,
    [table],
  );
  assert.ok(row !== undefined);
  return row;
}

/** Copies each result of `from` into the experiment of the binders, so that one measurement makes a long table. */
async function copyResults(from: Invoiced, prefix: string, times: number): Promise<void> {
  const sql = service.service.database.read;
  const [sequences, results, curves] = await Promise.all(
    ['sequences', 'results', 'result_curves'].map(listColumns),
  );
  const values = [from.id, binders.id, prefix];
  await sql.query(
    `insert into sequences (${sequences?.names}) select ${sequences?.members} from sequences s, generate_series(1, ${times}) n,
       jsonb_populate_record(s, jsonb_build_object('id', gen_random_uuid(), 'experiment_id', $2::text,
         'ordinal', length($3) * 1000 + s.ordinal * 100 + n, 'name', $3 || s.name || '-' || n)) x
     where s.experiment_id = $1`,
    values,
  );
  await sql.query(
    `insert into results (${results?.names}) select ${results?.members} from results r, generate_series(1, ${times}) n,
       sequences s, jsonb_populate_record(r, jsonb_build_object('id', gen_random_uuid(), 'experiment_id', $2::text,
         'experiment_code', $4::text, 'sequence_id', s.id, 'record', r.record || jsonb_build_object('sequence_name', s.name))) x
     where r.experiment_id = $1 and s.experiment_id = $2::uuid
       and s.name = $3 || (r.record ->> 'sequence_name') || '-' || n`,
    [...values, binders.code],
  );
  await sql.query(
    `insert into result_curves (${curves?.names}) select ${curves?.members} from results a
       join results b on b.experiment_id = $2 and (b.record ->> 'sequence_name') like $3 || (a.record ->> 'sequence_name') || '-%'
       join result_curves c on c.result_id = a.id, jsonb_populate_record(c, jsonb_build_object('result_id', b.id)) x
     where a.experiment_id = $1`,
    values,
  );
}
await copyResults(binders, 'copy-', 50);
await copyResults(others, 'blank-of-', 5);
const TOTAL = 4 + 4 * 50 + 2 * 5;

const page = `/experiments/${binders.code}`;
const browser = await openSignedIn(service);
const open = async (query: string): Promise<string> => (await browser.open(`${page}?${query}`)).text;
const listNames = (text: string): string[] =>
  [...text.matchAll(/<th scope="row"><a [^>]*><bdi>([^<]*)/g)].map(([, name = '']) => name);

test('explorer without scripts: sort by a column, filter, search, pages → the rows that the address asks for', async () => {
  const all = await open('');
  assert.ok(all.includes(`${TOTAL} results`));
  assert.equal(listNames(all).length, 60);
  assert.equal(listNames(await open('offset=180')).length, TOTAL - 180);
  const sorted = await open('sort=-name');
  const { compare } = new Intl.Collator('en', { numeric: true });
  assert.deepEqual(listNames(sorted), listNames(sorted).toSorted(compare).reverse());
  assert.match(sorted, /aria-sort="descending"><a class="sort" id="sort-name"/);
  assert.match(sorted, /href="[^"]*\?sort=name#results"/);
  const named = await open(`search=${encodeURIComponent('BLANK-of-design-1')}`);
  assert.equal(listNames(named).length, 5);
  assert.ok(named.includes(`5 of ${TOTAL} results`));
  assert.equal(listNames(await open('outcome=non_binder')).length, 10);
  assert.equal(listNames(await open('class=none')).length, 10);
  assert.match(await open(`search=${encodeURIComponent(`it's \\ (not), here`)}`), /Nothing matches/);
  assert.ok(listNames(await open('outcome=nonsense&sort=nonsense&columns=nonsense')).length === 60);
});

test('explorer: binders only → no non-binder among the rows, one line says which KD they exclude', async () => {
  const folded = await open('binders=only&sort=-kd&search=copy');
  assert.ok(listNames(folded).every((name) => name.startsWith('copy-')));
  assert.match(folded, /Not among the binders:<\/strong> 10 non-binders \(KD &gt; [\d.]+ [nµ]M[^)]*\)\./);
  assert.match(await open('outcome=non_binder'), /<span class="muted nowrap" title="A KD below [^"]*">&gt; /);
});

test('explorer: columns are chosen → table and exports have these alone; both exports have every row', async () => {
  const query = 'columns=kd&columns=replicates&binders=only&sort=kd';
  const text = await open(query);
  assert.doesNotMatch(text, /id="sort-koff"/);
  assert.match(text, /id="sort-kd"/);
  const csv = await browser.open(`${page}/results.csv?${query}`);
  assert.match(String(csv.headers['content-disposition']), /-results\.csv"$/);
  const [head = '', ...lines] = csv.text.replace('\ufeff', '').trim().split('\r\n');
  assert.equal(lines.length, 204);
  assert.equal(
    head,
    'sequence_name,is_control,kd,kd_relation,kd_ci95_low,kd_ci95_high,kd_unit,n_replicates_passed,n_replicates,n_replicates_ordered,result_id',
  );
  const kds = lines.map((line) => Number(line.split(',')[2]));
  assert.deepEqual(
    kds,
    kds.toSorted((a, b) => a - b),
  );
  const sheet = await service.service.app.inject({
    url: `${page}/results.xlsx?${query}`,
    headers: { cookie: browser.cookie },
  });
  const [read] = readWorkbook({ name: 'results.xlsx', bytes: sheet.rawPayload });
  assert.equal(read?.rows.length, 205);
  const heads = read?.rows[0]?.cells.map(({ text }) => text);
  assert.deepEqual(heads?.slice(0, 3), ['sequence_name', 'is_control', 'kd']);
});

const ASSAYS = [
  ['screening', 'response', 'Sensorgrams'],
  ['thermostability', 'tm', 'Melting curves'],
  ['expression', 'yield_ng_per_ul', null],
  ['fluorescence', 'normalized_to_control', null],
] as const;

for (const [type, value, pictures] of ASSAYS)
  test(`explorer of ${type}: every head that sorts → its rows in that order; export and small pictures are those of the assay`, async () => {
    const binding = type === 'screening' ? {} : { target_id: undefined, method: undefined };
    const spec = { experiment_type: type, sequences: createSequences(4), n_replicates: 2, ...binding };
    const { code } = await build.createReleased(build.createBody(spec));
    const base = `/experiments/${code}`;
    const { text } = await browser.open(base);
    const heads = [...text.matchAll(/id="sort-(\w+)" href="([^"#]*)/g)].map(([, key = '', href = '']) => [
      key,
      href,
    ]);
    assert.ok(heads.length >= 6, text);
    assert.ok(heads.some(([key, href]) => key === value && (href ?? '').includes(`sort=-${value}`)));
    for (const [key, href = ''] of heads) {
      const sorted = await browser.open(href.replaceAll('&amp;', '&'));
      assert.equal(listNames(sorted.text).length, 4, key);
      assert.match(sorted.text, new RegExp(`aria-sort="[a-z]+"><a class="sort" id="sort-${key}"`));
    }
    const csv = await browser.open(`${base}/results.csv?sort=-${value}&columns=${value}`);
    const [head = '', ...lines] = csv.text.replace('\ufeff', '').trim().split('\r\n');
    const column = head.split(',').indexOf(value);
    const values = lines.flatMap((line) => (line.split(',')[column] || []) ?? []).map(Number);
    assert.ok(values.length > 0 && values.every(Number.isFinite), csv.text);
    assert.deepEqual(
      values,
      values.toSorted((a, b) => b - a),
    );
    const title = /<h2 id="pictures">([^<]*)/.exec(text)?.[1] ?? null;
    assert.equal(title, pictures);
  });

test('explorer: a result is opened from a list → previous and next follow this list, and the way back leads to it', async () => {
  const query = 'search=copy-design-1-&sort=-name';
  const names = listNames(await open(query));
  const list = await open(query);
  const href = /<th scope="row"><a href="([^"]*)"/.exec(list)?.[1]?.replaceAll('&amp;', '&') ?? '';
  const result = (await browser.open(href)).text;
  assert.match(result, new RegExp(`1 of ${names.length} in the list, sorted`));
  assert.match(
    result,
    new RegExp(
      `rel="next" href="[^"]*search=copy-design-1-[^"]*"><span>Next</span><bdi class="muted">${names[1]}<`,
    ),
  );
  assert.doesNotMatch(result, /rel="prev"/);
  assert.match(result, new RegExp(`href="${page}\\?search=copy-design-1-&amp;sort=-name#results"`));
});

test('explorer: non-binders among the results → folded in the small pictures, and left out of the ranking', async () => {
  const text = await open('search=design-1&sort=-outcome');
  assert.match(text, /<details class="more-thumbs" id="thumbs-binding"><summary>5 without detected binding</);
  const { text: figure } = await browser.open(`${page}/plot.svg?view=ranking`);
  assert.doesNotMatch(figure, /no binding detected/);
});

test('explorer: somebody of another organization → no door answers', async () => {
  const stranger = await openSignedIn(service, (await createPerson(service)).id);
  for (const door of ['', '/explorer', '/thumbnails.json', '/results.csv', '/results.xlsx'])
    assert.equal((await stranger.open(page + door)).status, 404, door);
});

const chromium = await startChromium();
after(() => chromium.close());
const address = new URL(await service.service.app.listen({ host: '127.0.0.1', port: 0 }));
const url = `http://localhost:${address.port}`;
service.service.setBaseUrl(url);

/** Scrolls through the table; the longest task of the page in time of its thread, which other processes do not stretch. */
async function measureLongestTaskMs(tab: Page): Promise<number> {
  const session = await tab.context().newCDPSession(tab);
  const tasks: number[] = [];
  session.on('Tracing.dataCollected', ({ value }) => {
    for (const { name, tdur } of value as readonly { name?: string; tdur?: number }[])
      if (name?.endsWith('RunTask') === true) tasks.push((tdur ?? 0) / 1_000);
  });
  await session.send('Tracing.start', { traceConfig: { includedCategories: ['toplevel'] } });
  await tab.evaluate(`new Promise((done) => {
    const scroll = document.querySelector('#explorer .scroll');
    let step = 0;
    const move = () => {
      scroll.scrollTop = (scroll.scrollHeight * step) / 60;
      step += 1;
      if (step <= 60) requestAnimationFrame(move);
      else setTimeout(done, 300);
    };
    move();
  })`);
  const ended = new Promise((resolve) => session.once('Tracing.tracingComplete', resolve));
  await session.send('Tracing.end');
  await ended;
  assert.ok(tasks.length > 60);
  return Math.max(...tasks);
}

test('explorer with its script: sort, search, filter and keys → no page is loaded, the address keeps the view, few rows stand in the document', async () => {
  const context = await createAxeContext(chromium, 'light', 1_280);
  const tab = await context.newPage();
  const problems: string[] = [];
  tab.on('pageerror', ({ message }) => problems.push(message));
  await tab.goto(url + (await signInLink(service)));
  await tab.getByRole('button', { name: 'Sign in' }).click();
  await tab.getByRole('button', { name: 'Sign out' }).waitFor();
  const asked: string[] = [];
  let documents = 0;
  tab.on('request', (request) => {
    asked.push(request.url().replace(url, ''));
    if (request.resourceType() === 'document') documents += 1;
  });
  await tab.goto(url + page);
  await tab.locator('#explorer.long').waitFor();
  await tab.locator('#pictures').scrollIntoViewIfNeeded();
  await tab.locator('.thumb-plot .line').first().waitFor();
  assert.equal(asked.filter((path) => path.includes('/thumbnails.json')).length, 1);
  assert.ok(!asked.some((path) => path.includes('/thumbnail.svg')), asked.join('\n'));
  const countRows = (): Promise<number> => tab.locator('table.ranked > tbody:not(.gap) > tr').count();

  await tab.getByRole('link', { name: 'Sequence', exact: true }).click();
  await tab.locator('th[aria-sort=ascending] #sort-name').waitFor();
  assert.match(tab.url(), /\?sort=name$/);
  assert.equal(await tab.evaluate('document.activeElement.id'), 'sort-name');

  // A long table: its end is reached, with at most 200 rows at any time.
  await tab.evaluate(`document.querySelector('#explorer .scroll').scrollTop = 1e6`);
  await tab.locator('tr[aria-rowindex="215"]').waitFor();
  assert.ok((await countRows()) <= 180);
  await tab.evaluate(`document.querySelector('#explorer .scroll').scrollTop = 0`);
  await tab.locator('tr[aria-rowindex="2"]').waitFor();
  assert.ok((await countRows()) <= 180);

  await tab.locator('#explorer .scroll').focus();
  await tab.keyboard.press('j');
  await tab.keyboard.press('j');
  const current = await tab.evaluate(`document.activeElement.closest('tr').getAttribute('aria-rowindex')`);
  assert.equal(current, '3');
  await tab.keyboard.press('k');
  await tab.keyboard.press('/');
  await tab.keyboard.type('blank');
  await tab.getByText(`10 of ${TOTAL} results`).waitFor();
  assert.equal(await tab.evaluate('document.activeElement.value'), 'blank');
  await expectAccessibleInBothLooks(tab, 'explorer');
  await tab.getByLabel('Binders only').check();
  await tab.getByText('Nothing matches').waitFor();
  await tab.getByRole('link', { name: 'Clear' }).click();
  await tab.getByText(`${TOTAL} results`).waitFor();
  await tab.goBack();
  await tab.getByText('Nothing matches').waitFor();
  await tab.goForward();
  await tab.locator('#explorer.long').waitFor();
  await tab.getByText('Columns', { exact: true }).click();
  await tab.getByLabel('Replicates').check();
  await tab.locator('thead', { hasText: 'Replicates' }).waitFor();
  assert.match(tab.url(), /columns=[^&]*replicates/);
  assert.equal(documents, 1);

  assert.ok((await measureLongestTaskMs(tab)) <= 50);

  await tab.goto(`${url}${page}?search=design-2&sort=name`);
  await tab.locator('#explorer .scroll').focus();
  await tab.keyboard.press('j');
  await tab.keyboard.press('Enter');
  await tab.waitForURL(/\/results\//);
  assert.deepEqual(problems, []);
  await context.close();
});
