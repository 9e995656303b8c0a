/** The order form in a browser: files that are chosen and dropped, text that is typed, boxes by keyboard. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { writeWorkbook } from '#documents/workbook.ts';
import { expectAccessibleInBothLooks } from '#testing/axe.ts';
import { openBrowserTab } from '#testing/browser-tab.ts';
import { VHH } from '#testing/builders.ts';
import { getItems, getText, testService } from '#testing/service.ts';

const service = await testService();
const { tab, url, errors } = await openBrowserTab(service);

/** Drops a file on the designs, as a mouse does. */
async function drop(name: string, text: string): Promise<void> {
  const files = await tab.evaluateHandle(
    `(() => { const data = new DataTransfer(); data.items.add(new File([${JSON.stringify(text)}], ${JSON.stringify(name)})); return data; })()`,
  );
  for (const type of ['dragenter', 'dragover', 'drop'])
    await tab.dispatchEvent('.designs-in', type, { dataTransfer: files });
}

test('order form with its script: files are chosen and dropped, a line is mended, boxes are ticked by keyboard → the draft has what was shown', async () => {
  await tab.goto(`${url}/experiments/new`);
  await tab.getByLabel('Name', { exact: true }).fill('in a browser');
  await tab.getByLabel('Assay').selectOption('expression');
  const workbook = writeWorkbook('picks', [
    ['Design', 'Sequence'],
    ['from xlsx', VHH],
    ['bad letter', `${VHH}Z`],
  ]);
  const files = [
    { name: 'picks.xlsx', mimeType: '', buffer: Buffer.from(workbook) },
    { name: 'more.fasta', mimeType: '', buffer: Buffer.from(`>parent\n${VHH}W\n>other\n${VHH}K\n`) },
  ];
  await tab.getByLabel('Files of designs').setInputFiles(files);
  await tab.getByText('2 files: read.').waitFor();
  await tab.getByText('3 designs to order, 1 with a problem').waitFor();
  await tab.getByText('cannot be ordered').waitFor();
  await tab.getByText('picks.xlsx, row 3, column Sequence: bad letter, chain 1, position 102: Z').waitFor();
  await drop('dropped.csv', `name,sequence\ndropped,${VHH}Y\n`);
  await tab.getByText('4 designs to order, 1 with a problem').waitFor();
  await expectAccessibleInBothLooks(tab, 'order form with designs and a problem');

  const text = tab.getByLabel('Sequences', { exact: true });
  await text.fill((await text.inputValue()).replace(`${VHH}Z`, `${VHH}S`));
  await tab.getByText('cannot be ordered').waitFor({ state: 'detached' });
  await tab.getByLabel('Control: parent').focus();
  await tab.keyboard.press('Space');
  await tab.getByText('1 of them controls').waitFor();
  assert.equal(await tab.evaluate('document.activeElement.name'), 'control:parent');
  await tab.keyboard.press('Tab');
  await tab.getByLabel('Leave out: other').check();
  await tab.getByText('4 designs to order, 1 of them controls, 1 left out').waitFor();
  await expectAccessibleInBothLooks(tab, 'order form');
  await tab.getByRole('button', { name: 'Create draft' }).click();
  await tab.getByRole('heading', { name: 'in a browser' }).waitFor();
  const { body } = await service.ask('GET', new URL(tab.url()).pathname);
  assert.deepEqual(
    getItems(body.sequences).map(({ name }) => getText(name)),
    ['from xlsx', 'bad letter', 'parent', 'dropped'],
  );
  assert.equal(body.experiment_spec.sequences.parent.control, true);
  await expectAccessibleInBothLooks(tab, 'draft with its designs');
  assert.deepEqual(errors, []);
});

test('order form with its script: what is typed → price and hits follow, an older answer never replaces a newer one', async () => {
  await tab.goto(`${url}/experiments/new`);
  await tab.getByLabel('Name', { exact: true }).fill('priced');
  await tab.getByLabel('Find a target').fill('P00533');
  await tab.getByRole('button', { name: 'Choose EGFR' }).click();
  await tab.getByLabel('Sequences', { exact: true }).fill(`>a\n${VHH}\n`);
  const price = tab.locator('#order-price .amount');
  await price.waitFor();
  const first = await price.textContent();
  // The answer to two designs is held back until that to three has come.
  let release = (): void => undefined;
  const held = new Promise<void>((resolve) => {
    release = resolve;
  });
  let count = 0;
  await tab.route('**/experiments/new', async (route) => {
    count += 1;
    if (count === 1) await held;
    await route.continue();
  });
  const text = tab.getByLabel('Sequences', { exact: true });
  await text.fill(`>a\n${VHH}\n>b\n${VHH}W\n`);
  await tab.waitForRequest('**/experiments/new');
  await text.fill(`>a\n${VHH}\n>b\n${VHH}W\n>c\n${VHH}K\n`);
  await tab.getByText('3 designs to order').waitFor();
  const latest = await price.textContent();
  assert.notEqual(latest, first);
  const answered = tab.waitForResponse('**/experiments/new');
  release();
  await answered;
  await tab.getByText('3 designs to order').waitFor();
  assert.equal(await price.textContent(), latest);
  await tab.unroute('**/experiments/new');
  await tab.getByLabel('Expected KD, nM').fill('2');
  await tab.getByRole('button', { name: 'Propose concentrations' }).click();
  await tab.waitForFunction(
    `document.querySelector('#order-antigen_concentrations').value === '20, 6.324, 2, 0.632, 0'`,
  );
  await tab.getByText('Not in the catalog? Request a target').click();
  await tab.getByText('More', { exact: true }).click();
  await tab.getByLabel('Find a target').fill('IL');
  await tab.locator('.hits li').nth(3).waitFor();
  await expectAccessibleInBothLooks(tab, 'order form with price, hits and everything open');
  assert.deepEqual(errors, []);
});

test('order form with its script: the page is loaded anew → what was typed and ticked is there; after the order it is not', async () => {
  await tab.goto(`${url}/experiments/new`);
  await tab.getByLabel('Name', { exact: true }).fill('kept');
  await tab.getByLabel('Assay').selectOption('expression');
  await tab.getByLabel('Sequences', { exact: true }).fill(`>a\n${VHH}\n>b\n${VHH}W\n`);
  await tab.getByLabel('Control: b').check();
  await tab.getByLabel('Leave out: a').check();
  await tab.getByText('1 design to order, 1 of them controls, 1 left out').waitFor();
  await tab.reload();
  await tab.getByText('1 design to order, 1 of them controls, 1 left out').waitFor();
  assert.equal(await tab.getByLabel('Name', { exact: true }).inputValue(), 'kept');
  assert.ok(await tab.getByLabel('Control: b').isChecked());
  await tab.getByRole('button', { name: 'Create draft' }).click();
  await tab.getByRole('heading', { name: 'kept' }).waitFor();
  await tab.goto(`${url}/experiments/new`);
  assert.equal(await tab.getByLabel('Name', { exact: true }).inputValue(), '');
  assert.deepEqual(errors, []);
});
