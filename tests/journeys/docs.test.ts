/** The pages under `/docs`: the reference of the operations and what is downloaded beside it. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { Browser, openSignedIn } from '#testing/browser.ts';
import { failureCodes } from '#core/failures.ts';
import { getText, testService } from '#testing/service.ts';

test('reference: every upload template → linked, and downloaded as it stands in the guide', async () => {
  const service = await testService();
  const browser = new Browser(service);
  const { text } = await browser.open('/docs');
  const guide = join(import.meta.dirname, '../../docs/guide/templates');
  const linked = [...text.matchAll(/href="\/docs\/templates\/([\w-]+\.csv)"/g)].map(([, name = '']) => name);
  assert.deepEqual(linked.toSorted(), readdirSync(guide).toSorted());
  for (const name of linked) {
    const file = await browser.open(`/docs/templates/${name}`);
    assert.equal(file.headers['content-type'], 'text/csv; charset=utf-8');
    assert.equal(file.headers['content-disposition'], `attachment; filename="${name}"`);
    assert.equal(file.text, readFileSync(join(guide, name), 'utf8'));
  }
  assert.equal((await browser.open('/docs/templates/none.csv')).status, 404);
});

test('errors: the type of a problem document → a page with cause and remedy, for every failure code', async () => {
  const service = await testService();
  const browser = new Browser(service);
  const headers = { accept: 'text/html, application/problem+json;q=0.5' };
  const problem = await service.ask('GET', '/experiments/none', { headers });
  const address = new URL(getText(problem.body.type));
  assert.equal(address.origin, service.service.work.site.baseUrl);
  const page = await browser.open(address.pathname);
  assert.equal(page.status, 200);
  assert.match(
    page.text,
    /<h1><code>experiment_not_found<[^]*Cause[^]*No such experiment\.[^]*Remedy[^]*GET \/experiments/,
  );
  const { text } = await browser.open('/docs/errors');
  for (const code of failureCodes) {
    assert.match(text, new RegExp(`href="/docs/errors/${code}"`));
    const one = await browser.open(`/docs/errors/${code}`);
    assert.equal(one.status, 200, code);
    assert.ok(one.text.includes('id="cause"') && one.text.includes('id="remedy"'), code);
  }
  const unknown = await browser.open('/docs/errors/<none>');
  assert.equal(unknown.status, 404);
  assert.match(
    unknown.text,
    /has the code <code>&lt;none&gt;<\/code>[^]*<a href="\/docs\/errors">Errors<\/a> lists all/,
  );
  const excluded = { headers: { accept: 'application/problem+json;q=0, */*' } };
  const plain = await service.ask('GET', '/experiments/none', excluded);
  assert.match(plain.headers['content-type'] ?? '', /^application\/json/);
});

test('guides: the base URL in their calls → written the same way everywhere', () => {
  const guides = join(import.meta.dirname, '../../docs/guide');
  const using = readdirSync(guides).filter((name) => name.endsWith('.md'));
  const texts = using.map((name) => ({ name, text: readFileSync(join(guides, name), 'utf8') }));
  assert.ok(texts.some(({ text }) => text.includes('$URL/lab/')));
  for (const { name, text } of texts) assert.doesNotMatch(text, /\$(?:URL|\{url\}|BASE)\/api/, name);
});

test('reference: every operation that the reader may see → described, with its failures, and no other', async () => {
  const service = await testService();
  const readIds = async (token: string | null) => {
    const { text } = await service.ask('GET', '//api/v1/openapi.json', { token });
    return [...text.matchAll(/"operationId":\s*"(\w+)"/g)].map(([, id]) => id ?? '');
  };
  const stranger = (await new Browser(service).open('/docs')).text;
  const staff = (await (await openSignedIn(service)).open('/docs')).text;
  const [published, all] = [await readIds(null), await readIds(service.token)];
  assert.ok(published.length > 30 && all.length > published.length);
  for (const id of published) assert.match(stranger, new RegExp(`id="${id}"`), id);
  for (const id of all) assert.match(staff, new RegExp(`id="${id}"`), id);
  for (const id of all.filter((each) => !published.includes(each)))
    assert.doesNotMatch(stranger, new RegExp(`id="${id}"`), id);
  assert.doesNotMatch(stranger, /\/lab\/|lab:/);
  assert.match(stranger, /quote_already_accepted/);
});

test('errors: a failure of operations of the lab alone → its page names none of them to a client', async () => {
  const service = await testService();
  const path = '/docs/errors/last_appointing_person';
  assert.doesNotMatch((await new Browser(service).open(path)).text, /\/lab\/staff/);
  assert.match((await (await openSignedIn(service)).open(path)).text, /\/lab\/staff/);
});
