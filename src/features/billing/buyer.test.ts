import assert from 'node:assert/strict';
import { test } from 'node:test';
import { getCountryName, findCountryProblem } from '#core/countries.ts';
import { findTaxIdProblem } from './rules.ts';

test('countries: every pair of letters → the 249 assigned codes pass, all others are refused', () => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split('');
  const codes = letters.flatMap((first) => letters.map((second) => first + second));
  const assigned = codes.filter((code) => findCountryProblem(code) === undefined);
  assert.equal(assigned.length, 249);
  for (const code of assigned) assert.notEqual(getCountryName(code), code, `${code} has a name`);
  assert.equal(findCountryProblem('UK'), 'UK is not a country of ISO 3166-1; United Kingdom is GB');
  assert.equal(findCountryProblem('EL'), 'EL is not a country of ISO 3166-1; Greece is GR');
  for (const code of ['ZZ', 'XX', 'EU', 'XK', 'AA', 'SU'])
    assert.equal(findCountryProblem(code), `${code} is not a country of ISO 3166-1`);
});

test('tax ids: a VAT number of the country, or a usual form outside the European Union → accepted; others → refused', () => {
  const good: readonly (readonly [string, string | null])[] = [
    ['DE 123 456 789', 'DE'],
    ['de123456789', 'DE'],
    ['FRXX123456789', 'FR'],
    ['EL123456789', 'GR'],
    ['NL123456789B01', 'NL'],
    ['CHE-123.456.789 MWST', 'CH'],
    ['12-3456789', 'US'],
    ['GB123456789', 'GB'],
    ['ABC&800101XX1', 'MX'],
    ['12-3456789', null],
  ];
  for (const [taxId, country] of good) assert.equal(findTaxIdProblem(taxId, country), undefined, taxId);
  const bad: readonly (readonly [string, string | null, RegExp])[] = [
    ['x', 'DE', /must be a VAT number of Germany, such as DE123456789/],
    ['DE12345678', 'DE', /VAT number of Germany/],
    ['DE123456789', 'FR', /VAT number of France, such as FR/],
    ['123456789', 'DE', /VAT number of Germany/],
    ['-', 'US', /4 to 25 letters and digits/],
    ['none', 'US', /at least two digits/],
    ['n/a', null, /4 to 25/],
    ['<b>12345</b>', 'US', /letters, digits, spaces/],
    ['1'.repeat(26), 'US', /4 to 25/],
  ];
  for (const [taxId, country, problem] of bad)
    assert.match(findTaxIdProblem(taxId, country) ?? '', problem, taxId);
});
