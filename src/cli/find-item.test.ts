import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Api } from './api.ts';
import { CommandError, RefusedError } from './command-error.ts';
import { requireTarget, pickItem, type Target } from './find-item.ts';

const createTarget = (number: number, name: string, accession: string | null, genes: string[]): Target => ({
  id: `019b76da-0000-7000-8000-00000000000${number}`,
  name,
  uniprot_id: accession,
  gene_names: genes,
  organism: 'Homo sapiens',
  selfservice: true,
});

const egfr = createTarget(1, 'EGFR', 'P00533', ['EGFR', 'ERBB', 'HER1']);
const her2 = createTarget(2, 'HER2', 'P04626', ['ERBB2', 'HER2']);
const biotinylated = createTarget(3, 'EGFR, biotinylated', 'P00533', ['EGFR', 'ERBB', 'HER1']);
const other = createTarget(4, 'ERBB protein', 'Q99999', ['ERBX', 'ERBB']);
const all = [egfr, her2, biotinylated, other];

/** A catalog that searches like the service: by a substring of any name. */
function createCatalog(targets: readonly Target[], conjugated: ReadonlySet<Target>): Api {
  const answer = (path: string): unknown => {
    const url = new URL(path, 'http://lab.example');
    const byId = /^\/targets\/(.+)$/.exec(url.pathname)?.[1];
    if (byId !== undefined) {
      const found = targets.find(({ id }) => id === byId);
      if (found === undefined)
        throw new RefusedError(
          {
            status: 404,
            code: 'target_not_found',
            sentence: 'No such target.',
            problems: [],
            requestId: undefined,
            retryAfterS: undefined,
          },
          'No such target.',
        );
      return found;
    }
    const text = (url.searchParams.get('search') ?? '').toLowerCase();
    const items = targets.filter(
      (each) =>
        [each.name, each.uniprot_id, ...each.gene_names].some((word) => word?.toLowerCase().includes(text)) &&
        (url.searchParams.get('show_conjugated') === 'true' || !conjugated.has(each)),
    );
    return { items, total: items.length };
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a stand-in answers what it is asked for
  const get = async <Answer>(path: string): Promise<Answer> => answer(path) as Answer;
  return {
    runChange: (_, change) => change(''),
    connection: { url: 'http://lab.example', token: 'asy_test_x' },
    isSandbox: true,
    check: (value) => value,
    get,
    readPage: get,
    open: () => Promise.reject(new Error('not asked')),
    send: () => Promise.reject(new Error('not asked')),
    post: () => Promise.reject(new Error('nothing is changed by looking')),
    stream: () => Promise.reject(new Error('nor by waiting')),
    list: get,
  };
}

const api = createCatalog(all, new Set([biotinylated]));

describe('choice of a target', () => {
  it('pickItem: a name, gene, synonym or accession in any case → that target', () => {
    assert.equal(pickItem('egfr', [egfr, her2]), egfr);
    assert.equal(pickItem('erbb2', [egfr, her2]), her2);
    assert.equal(pickItem('HER1', [egfr, her2]), egfr);
    assert.equal(pickItem('p04626', [egfr, her2]), her2);
  });

  it('pickItem: a name, gene and synonym match → the name counts before the gene, the gene before the synonym', () => {
    assert.equal(pickItem('HER2', [createTarget(5, 'Fusion', null, ['HER2']), her2]), her2);
    assert.equal(pickItem('ERBX', [egfr, other]), other);
  });

  it('pickItem: a part of a name → no target', () => {
    assert.equal(pickItem('EGF', [egfr]), undefined);
  });

  it('pickItem: several targets match → an error that lists them', () => {
    assert.throws(() => pickItem('ERBB', [egfr, other]), {
      name: 'CommandError',
      message: /"ERBB" names 2 of them.*\n {2}EGFR \(P00533, Homo sapiens\) {2}019b.*1\n {2}ERBB protein/,
    });
  });
});

describe('search of the catalog', () => {
  it('requireTarget: an id → that target; an unknown id → an error', async () => {
    assert.equal(await requireTarget(api, her2.id), her2);
    await assert.rejects(requireTarget(api, '019b76da-0000-7000-8000-000000000009'), /no target with the id/);
  });

  it('requireTarget: a protein with conjugated forms → the plain one unless the form is named', async () => {
    assert.equal(await requireTarget(api, 'P00533'), egfr);
    assert.equal(await requireTarget(api, 'EGFR, biotinylated'), biotinylated);
  });

  it('requireTarget: no match → an error that names similar targets', async () => {
    await assert.rejects(requireTarget(api, 'EGF'), (error) => {
      assert.ok(error instanceof CommandError);
      assert.equal(error.exitCode, 1);
      assert.match(error.message, /^No target is called "EGF"\. There are:\n {2}EGFR/);
      return true;
    });
    await assert.rejects(requireTarget(api, 'EGFRR'), /Did you mean this one\?\n {2}EGFR /);
    await assert.rejects(requireTarget(api, 'HRE2'), /Did you mean this one\?\n {2}HER2 /);
    await assert.rejects(requireTarget(api, 'nonsense'), /"assayer targets list" lists what there is/);
  });
});
