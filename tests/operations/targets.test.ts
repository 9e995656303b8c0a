import assert from 'node:assert/strict';
import { test } from 'node:test';
import { builders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, recordedService } from '#testing/recorder.ts';
import { itemsOf } from '#testing/service.ts';

const service = await recordedService();
const { ask } = service;
const { targets } = await builders(service);

test('list_targets: selfservice_only keeps those with a price, detailed adds the details', async () => {
  const all = expectStatus(await ask('GET', '/targets?limit=100'), 200);
  const selfService = expectStatus(await ask('GET', '/targets?limit=100&selfservice_only=true'), 200);
  const conjugated = expectStatus(await ask('GET', '/targets?limit=100&show_conjugated=true'), 200);
  assert.ok(Number(all.body.total) >= 30);
  assert.ok(Number(selfService.body.total) < Number(all.body.total));
  assert.ok(Number(conjugated.body.total) >= Number(all.body.total));
  assert.ok(itemsOf(selfService.body.items).every((item) => Boolean(item.pricing)));
  const detailed = expectStatus(await ask('GET', '/targets?search=egfr&detailed=true'), 200);
  const [egfr] = itemsOf(detailed.body.items);
  assert.equal(egfr?.uniprot_id, 'P00533');
  assert.deepEqual(egfr?.gene_names, egfr?.details.gene_names);
});

test('invalid_query: a sort on a field that targets do not have is refused', async () => {
  expectFailure(await ask('GET', '/targets?sort=desc(colour)'), 400, 'invalid_query');
});

test('get_target_info: answers every kind of pricing with details', async () => {
  for (const id of Object.values(targets)) {
    const target = expectStatus(await ask('GET', `/targets/${id}`), 200);
    assert.equal(target.body.id, id);
    assert.equal(typeof target.body.details, 'object');
  }
});

test('target_not_found: an unknown id is 404, one that is no id is 400', async () => {
  expectFailure(await ask('GET', `/targets/${UNKNOWN_ID}`), 404, 'target_not_found');
  expectFailure(await ask('GET', '/targets/EGFR'), 400, 'invalid_request');
});

proveCoverage('targets');
