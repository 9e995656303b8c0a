import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createBuilders, expectFailure, expectStatus, UNKNOWN_ID } from '#testing/builders.ts';
import { proveCoverage, createRecordedService } from '#testing/recorder.ts';
import { getItems, getNumber, getText } from '#testing/service.ts';

const service = await createRecordedService();
const { ask, issueToken } = service;
const { createBody, create, createQuoted, createCustomDraft, readOrganizationId } =
  await createBuilders(service);

const updateProfile = (changes: object) => ask('PATCH', '/billing/profile', { body: changes });
const setRate = (body: object) => ask('POST', '/lab/tax-rates', { body });
const vat = { country: 'DE', name: 'VAT', treatment: 'taxed', rate_basis_points: 1_900 };

test('update_billing_profile: some fields, or null → those change, null clears one, the rest stays', async () => {
  const first = expectStatus(
    await updateProfile({ legal_name: 'Demo GmbH', country: 'DE', tax_id: 'DE123456789' }),
    200,
  );
  assert.equal(first.body.address, null);
  const second = expectStatus(
    await updateProfile({ tax_id: null, address: '1 Example Street\n10115 Berlin' }),
    200,
  );
  assert.equal(second.body.legal_name, 'Demo GmbH');
  assert.equal(second.body.tax_id, null);
  assert.deepEqual(expectStatus(await ask('GET', '/billing/profile'), 200).body, second.body);
  for (const bad of [{ country: 'de' }, { legal_name: 'a\nb' }, { page_size: 'a5' }, { color: 'red' }])
    expectFailure(await updateProfile(bad), 400, 'invalid_request');
});

test('permission_denied: a member reads the billing profile → 403', async () => {
  const token = await issueToken({ role: 'member' });
  expectFailure(await ask('GET', '/billing/profile', { token }), 403, 'permission_denied');
});

test('update_organization_billing: staff change the profile of an organization → it is stored', async () => {
  const path = `/lab/organizations/${await readOrganizationId()}/billing`;
  const changed = expectStatus(await ask('PATCH', path, { body: { page_size: 'letter' } }), 200);
  assert.equal(changed.body.page_size, 'letter');
  assert.equal(expectStatus(await ask('GET', path), 200).body.page_size, 'letter');
});

test('organization_not_found: the billing profile of an unknown organization → 404', async () => {
  const path = `/lab/organizations/${UNKNOWN_ID}/billing`;
  expectFailure(await ask('GET', path), 404, 'organization_not_found');
  expectFailure(await ask('PATCH', path, { body: { country: 'DE' } }), 404, 'organization_not_found');
});

test('set_tax_rate: the organization is in a taxed country → estimate, quote and invoice show the same tax', async () => {
  expectStatus(await setRate(vat), 200);
  expectStatus(await updateProfile({ country: 'DE', tax_id: null }), 200);
  const spec = { body: { experiment_spec: createBody().experiment_spec } };
  const estimate = expectStatus(await ask('POST', '/experiments/cost-estimate', spec), 200).body.totals;
  assert.deepEqual(
    [estimate.subtotal_cents, estimate.tax_cents, estimate.total_cents],
    [21_200, 4_028, 25_228],
  );
  const { id } = await create();
  assert.deepEqual((await ask('GET', `/experiments/${id}`)).body.costs.totals, estimate);
  const { quoteId } = await createQuoted();
  const quote = (await ask('GET', `/quotes/${quoteId}`)).body;
  assert.deepEqual([quote.tax_cents, quote.total_cents], [4_028, 25_228]);
  assert.deepEqual(quote.tax, { name: 'VAT', rate_basis_points: 1_900, note: '' });
  const accepted = await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} });
  const invoice = (await ask('GET', `/invoices/${getText(accepted.body.invoice_id)}`)).body;
  assert.deepEqual([invoice.tax_cents, invoice.amount_cents, invoice.tax], [4_028, 25_228, quote.tax]);
});

test('set_tax_rate: reverse charge or no tax → 0 with a note, and an open quote keeps its tax', async () => {
  expectStatus(await setRate({ ...vat, treatment: 'taxed' }), 200);
  expectStatus(await updateProfile({ country: 'DE', tax_id: null }), 200);
  const before = await createQuoted();
  expectStatus(await setRate({ ...vat, treatment: 'reverse_charge' }), 200);
  const taxed = await createQuoted();
  assert.equal((await ask('GET', `/quotes/${taxed.quoteId}`)).body.tax_cents, 4_028);
  expectStatus(await updateProfile({ tax_id: 'DE123456789' }), 200);
  const reversed = (await ask('GET', `/quotes/${(await createQuoted()).quoteId}`)).body;
  assert.equal(reversed.tax_cents, 0);
  assert.match(getText(reversed.tax.note), /Reverse charge/);
  const none = { ...vat, treatment: 'none', rate_basis_points: 0, note: 'Exempt under article 1.' };
  expectStatus(await setRate(none), 200);
  const exempt = (await ask('GET', `/quotes/${(await createQuoted()).quoteId}`)).body;
  assert.deepEqual([exempt.tax_cents, exempt.tax.note], [0, 'Exempt under article 1.']);
  assert.equal((await ask('GET', `/quotes/${before.quoteId}`)).body.tax_cents, 4_028);
});

test('invoice: the billing profile changes after the quote → the invoice has the buyer and tax of the quote', async () => {
  expectStatus(await setRate({ ...vat, treatment: 'reverse_charge' }), 200);
  const buyer = { legal_name: 'Demo GmbH', country: 'DE', tax_id: 'DE123456789' };
  expectStatus(await updateProfile(buyer), 200);
  const { quoteId } = await createQuoted();
  expectStatus(await updateProfile({ legal_name: 'Demo Inc.', country: 'US', tax_id: null }), 200);
  const accepted = await ask('POST', `/quotes/${quoteId}/confirm`, { body: {} });
  const invoiceId = getText(expectStatus(accepted, 200).body.invoice_id);
  const invoice = (await ask('GET', `/invoices/${invoiceId}`)).body;
  assert.match(getText(invoice.tax.note), /Reverse charge/);
  const [row] = await service.service.database.read.query<{ parties: { buyer: object } }>(
    'select parties from invoices where id = $1',
    [invoiceId],
  );
  assert.deepEqual(row?.parties.buyer, {
    name: 'Demo GmbH',
    address_lines: ['1 Example Street', '10115 Berlin'],
    country: 'DE',
    tax_id: 'DE123456789',
  });
  const next = (await ask('GET', `/quotes/${(await createQuoted()).quoteId}`)).body;
  assert.deepEqual([next.tax_cents, next.tax.note], [0, '']);
});

test('open_custom_quote: the buyer’s country changed since the draft → the quote has the tax of the new one', async () => {
  expectStatus(await setRate(vat), 200);
  expectStatus(await updateProfile({ country: 'US', tax_id: null }), 200);
  const { quoteId } = await createCustomDraft();
  const before = (await ask('GET', `/lab/quotes/${quoteId}`)).body;
  assert.equal(before.tax_cents, 0);
  expectStatus(await updateProfile({ country: 'DE' }), 200);
  const opened = expectStatus(await ask('POST', `/lab/quotes/${quoteId}/open`), 200).body;
  const subtotal = getNumber(opened.subtotal_cents);
  const taxCents = Math.round(subtotal * 0.19);
  assert.deepEqual([opened.tax_cents, opened.total_cents], [taxCents, subtotal + taxCents]);
  assert.equal(opened.tax.rate_basis_points, 1_900);
});

test('invalid_request: an unknown country or a malformed tax id → 400 names the field', async () => {
  const path = `/lab/organizations/${await readOrganizationId()}/billing`;
  expectStatus(await updateProfile({ country: 'DE', tax_id: null }), 200);
  const refused: readonly (readonly [object, string, RegExp])[] = [
    [{ country: 'UK' }, 'country', /UK is not a country of ISO 3166-1; United Kingdom is GB/],
    [{ country: 'ZZ' }, 'country', /ZZ is not a country/],
    [{ country: 'XX', tax_id: '-' }, 'country', /XX is not a country/],
    [{ tax_id: 'x' }, 'tax_id', /must be a VAT number of Germany, such as DE123456789/],
    [{ country: 'US', tax_id: '??' }, 'tax_id', /may hold letters, digits/],
  ];
  for (const [changes, field, sentence] of refused) {
    for (const answer of [await updateProfile(changes), await ask('PATCH', path, { body: changes })]) {
      const { body: failure } = expectFailure(answer, 400, 'invalid_request');
      assert.equal(getText(getItems(failure.problems)[0]?.path), field);
      assert.match(getText(failure.error), sentence);
    }
  }
  expectStatus(await updateProfile({ tax_id: 'DE123456789' }), 200);
  // The country and the tax id belong together, whichever of them changes.
  assert.match(
    getText(expectFailure(await updateProfile({ country: 'FR' }), 400, 'invalid_request').body.error),
    /tax_id must be a VAT number of France/,
  );
  expectStatus(await updateProfile({ address: '2 Example Street' }), 200);
  for (const country of ['UK', 'ZZ', 'XX'])
    expectFailure(await setRate({ ...vat, country }), 400, 'invalid_request');
});

test('invalid_request: a tax rate for a country without tax → 400', async () => {
  expectFailure(await setRate({ ...vat, treatment: 'none' }), 400, 'invalid_request');
});

test('tax_rate_not_found: a tax rate is removed twice → 204, then 404', async () => {
  expectStatus(await setRate({ ...vat, country: 'AT' }), 200);
  const listed = expectStatus(await ask('GET', '/lab/tax-rates'), 200);
  assert.ok(getItems(listed.body.items).some(({ country }) => getText(country) === 'AT'));
  expectStatus(await ask('DELETE', '/lab/tax-rates/AT'), 204);
  expectFailure(await ask('DELETE', '/lab/tax-rates/AT'), 404, 'tax_rate_not_found');
});

proveCoverage('billing');
